/**
 * Simulated batches keep the promises of a run whatever their service, their disk and their clock do. A failure prints
 * the shortest schedule that still fails.
 *
 * `DUBWRIGHT_SEED=123 npx vitest run test/simulation` repeats one; `npm run simulate` runs a million.
 */
import { spawnSync } from "node:child_process"
import { expect, it } from "@effect/vitest"

const seed = process.env["DUBWRIGHT_SEED"]
const [count, first] = seed === undefined ? ["500", "1"] : ["1", seed]

it("500 simulated batches pay once, keep their budget, lose no line, and end", { timeout: 600_000 }, () => {
  // In a process of its own, which replaces functions of the file system.
  const { status, stdout } = spawnSync(process.execPath, ["bench/run.mjs", "simulate", count, first], {
    encoding: "utf8"
  })
  expect(status, stdout).toBe(0)
})
