/**
 * Simulated batches keep the promises of a run whatever their service, their disk and their clock do. A failure prints
 * the shortest schedule that still fails.
 *
 * `DUBWRIGHT_SEED=123 npx vitest run test/simulation` repeats one; `npm run simulate` runs a million.
 */
import { execFile } from "node:child_process"
import { expect, it } from "@effect/vitest"

const seed = process.env["DUBWRIGHT_SEED"]
const [count, first] = seed === undefined ? ["500", "1"] : ["1", seed]

it(
  "500 simulated batches pay once, keep their budget, lose no line, and end",
  { timeout: 1_800_000 },
  async () => {
    // In a process of its own, which replaces functions of the file system.
    const words = ["bench/run.mjs", "simulate", count, first]
    const [error, output] = await new Promise<[Error | null, string]>((ended) => {
      execFile(process.execPath, words, (error, stdout, stderr) => ended([error, stdout + stderr]))
    })
    expect(error, output).toBeNull()
  }
)
