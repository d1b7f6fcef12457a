/** A whole run over a stand-in for the service, its clock moved by hand. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, TestClock } from "effect"
import { TaskId } from "../../src/domain/Ids.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { Unreachable } from "../../src/gateway/Fault.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { dub } from "../../src/pipeline/Dub.ts"
import { loadBatch } from "../../src/pipeline/Load.ts"
import { planBatch } from "../../src/pipeline/Plan.ts"
import { silent } from "../../src/pipeline/Progress.ts"
import { ClipFolder } from "../../src/store/ClipFolder.ts"
import { Deliveries } from "../../src/store/Deliveries.ts"
import { Learned } from "../../src/store/Learned.ts"
import { Outlay } from "../../src/store/Outlay.ts"
import { writableState } from "../../src/store/StateFolder.ts"
import { UtteranceStore } from "../../src/store/UtteranceStore.ts"
import { babble } from "../hostile/Babble.ts"

const text = "All is well, and nobody has seen anything."
const unread = Effect.fail(new Unreachable({ words: "not read here" }))

/** A service whose one task takes eight seconds and five credits. */
const slow = Layer.suspend(() => {
  let doneAt = 0
  return Layer.mock(Gateway, {
    _tag: "gateway/Gateway",
    ping: Effect.void,
    reads: {
      health: unread,
      credits: unread,
      providers: unread,
      models: () => unread,
      voices: () => unread,
      tasks: () => unread
    },
    submit: () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        doneAt = now + 8_000
        return { task: TaskId.make("task-1"), credits: 5 }
      }),
    look: (task) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const nothingMore = { label: undefined, srt: undefined, json: undefined, seconds: undefined }
        return now < doneAt
          ? { _tag: "Waiting" as const, label: undefined }
          : { _tag: "Done" as const, task, audio: "a", took: undefined, ...nothingMore }
      }),
    fetch: () => Effect.succeed({ audio: babble(text), transcript: undefined })
  })
})

const parts = (state: string) =>
  Layer.mergeAll(
    UtteranceStore.Default,
    ClipFolder.Default,
    Deliveries.Default,
    Learned.Default,
    Outlay.Default,
    silent
  ).pipe(
    Layer.provideMerge(writableState(state)),
    Layer.provideMerge(
      Layer.mock(Ffmpeg, { _tag: "ffmpeg/Ffmpeg", binary: { path: "", source: "PATH", version: "" } })
    ),
    Layer.provideMerge(NodeContext.layer)
  )

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

it.effect(
  "a deadline that comes when nothing is left to be started stops nothing, and ends the batch's spending",
  () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
      const manifest = join(folder, "night.json")
      writeFileSync(join(folder, "note.srt"), `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`)
      writeFileSync(
        manifest,
        JSON.stringify({
          service: { baseUrl: "http://127.0.0.1:9" },
          jobs: [{ input: "note.srt", provider: "provider_fast", voice: "v1", outputs: ["srt"] }]
        })
      )
      yield* Effect.gen(function* () {
        const batch = yield* loadBatch([manifest], {})
        const plan = yield* planBatch(batch)
        const running = yield* Effect.fork(dub(plan, slow, { deadline: { at: 3_000, words: "06:00" } }))
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
      }).pipe(Effect.provide(parts(join(folder, ".dubwright"))))
      rmSync(folder, { recursive: true })
    })
)
