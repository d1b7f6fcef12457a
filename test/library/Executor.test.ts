/** A run with an executor of the caller, which speaks and delivers the jobs, as a fleet does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { dub, embeddedService, type Executor, ffmpegOnPath, localExecutor, silent } from "../../src/effect.ts"

const services = Layer.mergeAll(Layer.provideMerge(embeddedService, ffmpegOnPath), silent, NodeContext.layer)

test("an executor of nine lines replaces the fleet's", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-library-"))
  writeFileSync(join(cwd, "line.srt"), "1\n00:00:01,000 --> 00:00:04,000\nThe harbour is quiet.\n")
  const ledger: Array<string> = []
  const note = (line: string) => Effect.sync(() => ledger.push(line))
  const executor: Executor = {
    speak: (settings, plan) =>
      Effect.tap(localExecutor.speak(settings, plan), ({ created }) => note(`spoke ${created}`)),
    deliver: (plan, takes, out, past) =>
      Effect.tap(localExecutor.deliver(plan, takes, out, past), ({ job, status }) =>
        note(`${job.id} ${status}`)
      ),
    deliveriesAtOnce: 2
  }
  const { status } = await Effect.runPromise(
    Effect.provide(dub({ files: "line.srt", cwd, executor }), services)
  )
  rmSync(cwd, { recursive: true })
  // A job is delivered once its lines are spoken, which may be before the call that spoke them returns.
  expect([status, ledger.toSorted()]).toEqual(["done", ["line delivered", "spoke 1"]])
})
