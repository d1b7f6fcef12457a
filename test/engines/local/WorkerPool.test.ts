import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Fiber } from "effect"
import type { EngineJob, SentenceJob } from "../../../src/engines/local/EngineProtocol.ts"
import { makeWorkerPool, type WorkerPool } from "../../../src/engines/local/WorkerPool.ts"

const sentence = (text: string, voice = "en-us"): SentenceJob => ({
  _tag: "Sentence",
  voice,
  rate: 1,
  pitch: 0,
  pieces: [{ text, english: false }]
})
/** Takes the engine several seconds. */
const slow = sentence("w, ".repeat(2_700))

const pool = (size: number, deadline: Duration.DurationInput) =>
  makeWorkerPool("espeak", { size, deadline, idle: "1 minute" })
const tagOf = (workers: WorkerPool, job: EngineJob) => Effect.map(workers.ask(job), (answer) => answer._tag)

describe("threads", () => {
  it.scopedLive("a job beyond its deadline is given up with its thread, and the next gets another", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 second")
      const failure = yield* Effect.flip(workers.ask(slow))
      expect(failure.message).toBe("engine espeak: no speech within 1s")
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.scopedLive("an interrupted job gives up its thread, and those waiting go on", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      const first = yield* Effect.fork(workers.ask(slow))
      const second = yield* Effect.fork(tagOf(workers, sentence("well")))
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toBe("Spoken")
    })
  )

  it.scopedLive("what an engine refuses leaves its thread well", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      expect(yield* workers.ask(sentence("one", "nobody"))).toEqual({
        _tag: "Refused",
        detail: 'eSpeak NG knows no voice "nobody"'
      })
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.scopedLive("a job that breaks an engine down fails alone", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      // No voice has such a rate: the message is refused at the thread's door, which ends the thread.
      const failure = yield* Effect.flip(workers.ask({ ...slow, rate: -1 }))
      expect(failure.message).toBe("engine espeak: the engine broke down: a job of no known shape")
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.live("a scope's end ends threads at work", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(
        Effect.scoped(Effect.flatMap(pool(2, "1 minute"), (workers) => workers.ask(slow)))
      )
      yield* Effect.sleep("500 millis")
      const exit = yield* Fiber.interrupt(fiber)
      expect(exit._tag).toBe("Failure")
    })
  )
})
