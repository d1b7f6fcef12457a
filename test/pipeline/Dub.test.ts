/** A whole run, its clock moved by hand. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { dub } from "../../src/pipeline/Dub.ts"
import { loadBatch } from "../../src/pipeline/Load.ts"
import { planBatch } from "../../src/pipeline/Plan.ts"
import { Outlay } from "../../src/store/Outlay.ts"
import { temporaryFolder } from "../hostile/Batch.ts"
import { standIn, stored } from "./StandIn.ts"

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

it.scoped(
  "a deadline that comes when nothing is left to be started stops nothing, and ends the batch's spending",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const manifest = join(folder, "night.json")
      writeFileSync(
        join(folder, "note.srt"),
        "1\n00:00:01,000 --> 00:00:04,000\nAll is well, and nobody has seen anything.\n"
      )
      writeFileSync(
        manifest,
        JSON.stringify({
          service: { baseUrl: "http://127.0.0.1:9" },
          jobs: [{ input: "note.srt", provider: "provider_fast", voice: "v1", outputs: ["srt"] }]
        })
      )
      yield* Effect.gen(function* () {
        const batch = yield* loadBatch([manifest], {})
        const deadline = { at: 3_000, words: "06:00" }
        const running = yield* Effect.fork(dub(yield* planBatch(batch), standIn(8_000), { deadline }))
        while (running.unsafePoll() === null) yield* Effect.zipRight(TestClock.adjust("200 millis"), turn)
        const { halt, jobs, report } = yield* Fiber.join(running)
        expect([halt, report.stopped, report.tasks.created, jobs[0]?.status]).toEqual([
          undefined,
          undefined,
          1,
          "delivered"
        ])
        const outlay = yield* Outlay
        expect(yield* outlay.spent(batch.key), "the next run has its limit anew").toEqual([])
      }).pipe(Effect.provide([stored(join(folder, ".dubwright")), Ffmpeg.Default]))
    })
)
