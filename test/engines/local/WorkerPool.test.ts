import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Fiber } from "effect"
import type { EngineJob, SentenceJob } from "../../../src/engines/local/EngineProtocol.ts"
import { GivesWay } from "../../../src/system/BackgroundPriority.ts"
import { makeWorkerPool, type WorkerPool } from "../../../src/engines/local/WorkerPool.ts"

const sentence = (text: string, voice = "en-us"): SentenceJob => ({
  _tag: "Sentence",
  voice,
  rate: 1,
  pitch: 0,
  pieces: [{ text, english: false }]
})
/** A job that takes the engine several seconds. */
const slow = sentence("w, ".repeat(2_700))

const pool = (size: number, deadline: Duration.DurationInput) =>
  makeWorkerPool("espeak", { size, deadline, idle: "1 minute" })
const tagOf = (workers: WorkerPool, job: EngineJob) => Effect.map(workers.ask(job), (answer) => answer._tag)

/** The highest nice value among the threads of this process: fields 19 of /proc/self/task/ID/stat (see proc(5)). */
const nicest = () =>
  Math.max(
    ...readdirSync("/proc/self/task").map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8")
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])
    })
  )

describe("threads", () => {
  it.scopedLive.skipIf(process.platform !== "linux")("give way if asked to, and only then", () =>
    Effect.gen(function* () {
      const own = getPriority()
      expect(yield* tagOf(yield* pool(1, "1 minute"), sentence("well"))).toBe("Spoken")
      expect(nicest()).toBe(own)
      const gives = yield* Effect.provideService(pool(1, "1 minute"), GivesWay, true)
      expect(yield* Effect.provideService(tagOf(gives, sentence("well")), GivesWay, true)).toBe("Spoken")
      expect(nicest()).toBe(Math.min(19, own + 10))
    })
  )

  it.scopedLive("a job that exceeds its deadline fails, and the next job gets a new thread", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 second")
      const failure = yield* Effect.flip(workers.ask(slow))
      expect(failure.message).toBe("engine espeak: no speech within 1s")
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.scopedLive("an interrupted job's thread is discarded, and queued jobs continue", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      const first = yield* Effect.fork(workers.ask(slow))
      const second = yield* Effect.fork(tagOf(workers, sentence("well")))
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toBe("Spoken")
    })
  )

  it.scopedLive("a thread still works after a rejected job", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      expect(yield* workers.ask(sentence("one", "nobody"))).toEqual({
        _tag: "Refused",
        detail: 'eSpeak NG has no voice "nobody"; choose one that "dubwright voices" lists'
      })
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.scopedLive("a job that crashes the engine does not affect other jobs", () =>
    Effect.gen(function* () {
      const workers = yield* pool(1, "1 minute")
      // The rate is invalid: the message fails validation, which ends the thread.
      const failure = yield* Effect.flip(workers.ask({ ...slow, rate: -1 }))
      expect(failure.message).toBe("engine espeak: the engine crashed: the job does not match the protocol")
      expect(yield* tagOf(workers, sentence("well"))).toBe("Spoken")
    })
  )

  it.live("closing the scope ends busy threads", () =>
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
