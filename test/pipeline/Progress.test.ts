/** Progress only reports. A run without it does and records the same. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { Refused } from "../../src/gateway/GatewayErrors.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { runPlan } from "../../src/pipeline/Dub.ts"
import { loadBatch } from "../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../src/pipeline/plan/BatchPlan.ts"
import { Progress, type ProgressEvent, silent } from "../../src/pipeline/Progress.ts"
import { localExecutor } from "../../src/pipeline/Dub.ts"
import type { RunExecutor } from "../../src/pipeline/run/RunExecutor.ts"
import { temporaryFolder } from "../hostile/Batch.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"
import { standIn, stored } from "./StandIn.ts"

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** A service that rejects one text, and never finishes another. */
const fussy = Layer.effect(
  Gateway,
  Effect.map(Gateway, (service) =>
    Gateway.make({
      ...service,
      submit: (create, ...rest) =>
        create.body.includes("rejected")
          ? Effect.fail(Refused.make({ reason: "rules", words: "not this one" }))
          : create.body.includes("slow")
            ? Effect.never
            : service.submit(create, ...rest)
    })
  )
).pipe(Layer.provide(standIn(3_000)))

const listening = (heard: Array<ProgressEvent>) =>
  Layer.succeed(Progress, { emit: (event) => Effect.sync(() => heard.push(event)) })

/** An executor that works with this progress, and counts the jobs that have ended. */
const executorWith = (progress: Layer.Layer<Progress>, ends: { count: number }): RunExecutor => ({
  ...localExecutor,
  speak: (...batch) => Effect.provide(localExecutor.speak(...batch), progress),
  deliver: (...job) =>
    Effect.tap(Effect.provide(localExecutor.deliver(...job), progress), () => Effect.sync(() => ends.count++))
})

/** All files of a folder. The run's times are left out. */
const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [
        file.slice(folder.length),
        readFileSync(file, "latin1").replace(
          /(?<="seconds": )[\d.]+|took\s[^<]+|1970-01-01[T ][\d:.]+/gu,
          "0"
        )
      ])
  )

/**
 * Runs three jobs with this progress, and returns the result and all files. If a text is slow, interrupts the run once
 * the two other jobs have ended.
 */
const ran = (texts: ReadonlyArray<string>, progress: Layer.Layer<Progress>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    for (const [at, text] of texts.entries())
      writeFileSync(join(folder, `${at}.srt`), `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`)
    const manifest = join(folder, "night.json")
    const jobs = texts.map((_, at) => ({ input: `${at}.srt`, outputs: ["srt", "wav"] }))
    const defaults = { provider: "provider_fast", voice: "v1" }
    writeFileSync(manifest, JSON.stringify({ service: { baseUrl: "http://127.0.0.1:9" }, defaults, jobs }))
    const ends = { count: 0 }
    const end = yield* Effect.gen(function* () {
      const plan = yield* planBatch(yield* loadBatch([manifest], {}))
      const running = yield* Effect.fork(
        runPlan(plan, fussy, { executor: Effect.succeed(executorWith(progress, ends)) })
      )
      const isSlow = texts.some((text) => text.includes("slow"))
      const goOn = Effect.zipRight(TestClock.adjust("200 millis"), turn)
      while (isSlow ? ends.count < 2 : running.unsafePoll() === null) yield* goOn
      const stopping = yield* Effect.fork(Fiber.interrupt(running))
      while (stopping.unsafePoll() === null) yield* goOn
      const exit = yield* Fiber.join(stopping)
      return exit._tag === "Success" ? exit.value.jobs.map(({ job, status }) => [job.id, status]) : exit._tag
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg, progress]))
    return { end, files: filesIn(join(folder, "out")) }
  })

it.scoped("a run without progress has the same result and the same files", () =>
  Effect.gen(function* () {
    const texts = ["All is well.", "Nobody says what is rejected.", "It rains."]
    const heard: Array<ProgressEvent> = []
    const quiet = yield* ran(texts, silent)
    expect(quiet).toEqual(yield* ran(texts, listening(heard)))
    expect(heard.length).toBeGreaterThan(0)
    expect(quiet.end).toEqual([
      ["0", "delivered"],
      ["1", "failed"],
      ["2", "delivered"]
    ])
  })
)

it.scoped("an interrupted run without progress has delivered and records the same", () =>
  Effect.gen(function* () {
    const texts = ["All is well.", "Nobody says what is rejected.", "It is a slow rain."]
    const quiet = yield* ran(texts, silent)
    expect(quiet).toEqual(yield* ran(texts, listening([])))
    expect(quiet.end).toBe("Failure")
    const { jobs, tasks, characters, stopped } = JSON.parse(quiet.files["/run.json"] ?? "")
    expect({ jobs, tasks, characters, stopped: stopped.reason }).toEqual({
      jobs: [
        { id: "0", status: "delivered" },
        { id: "1", status: "failed", error: expect.stringContaining("not this one") },
        { id: "2", status: "unfinished", error: "the run was interrupted; run again to resume" }
      ],
      tasks: { created: 1, adopted: 0, resumed: 0, reused: 0, retried: 0, failed: 1 },
      characters: 12,
      stopped: "interrupted"
    })
  })
)
