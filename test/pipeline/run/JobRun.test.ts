/** Each job goes from its lines to its result on its own, whatever the others wait for. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import type { TaskId } from "../../../src/domain/values/Ids.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { localExecutor, runPlan } from "../../../src/pipeline/Dub.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { Progress } from "../../../src/pipeline/Progress.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { fieldsOf, standIn, stored } from "../StandIn.ts"

/** A service that speaks each task, but never ends those of texts that match. It counts creates by text and speed. */
const service = (endless: RegExp, creates: Array<string>) =>
  Layer.map(standIn(0), (context) => {
    const gateway = Context.get(context, Gateway)
    const silent = new Set<TaskId>()
    return Context.make(Gateway, {
      ...gateway,
      submit: (create, ...rest) =>
        Effect.tap(gateway.submit(create, ...rest), ({ task }) =>
          Effect.sync(() => {
            const { text, speed = 1 } = fieldsOf(create.body)
            creates.push(`${text} ${speed}`)
            if (endless.test(text)) silent.add(task)
          })
        ),
      look: (task, ...rest) =>
        silent.has(task)
          ? Effect.succeed({ _tag: "Waiting" as const, label: undefined })
          : gateway.look(task, ...rest)
    })
  })

const night = (folder: string, texts: ReadonlyArray<string>, defaults: object = {}) => {
  for (const [at, text] of texts.entries())
    writeFileSync(join(folder, `ep${at}.srt`), `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`)
  writeFileSync(
    join(folder, "night.json"),
    JSON.stringify({
      service: { baseUrl: "http://127.0.0.1:9" },
      providers: { provider_fast: { concurrency: 30, controls: { speed: { min: 0.5, max: 2 } } } },
      defaults: {
        provider: "provider_fast",
        voice: "v1",
        outputs: ["srt"],
        fit: { retake: true },
        ...defaults
      },
      jobs: texts.map((_, at) => ({ input: `ep${at}.srt` }))
    })
  )
  return Effect.flatMap(loadBatch([join(folder, "night.json")], {}), planBatch)
}

const long = (name: string) =>
  `This line of ${name} is far too long for its cue, as it has been in every season so far.`

it.scopedLive("delivers jobs with retakes while the lines of others are still spoken", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const creates: Array<string> = []
    const texts = Array.from({ length: 20 }, (_, at) => long(at < 12 ? `part ${at}` : `the slow part ${at}`))
    const complete = yield* Deferred.make<void>()
    let delivered = 0
    const emit: Progress["Type"]["emit"] = (event) =>
      event._tag === "Delivered" && ++delivered === 12 ? Deferred.succeed(complete, undefined) : Effect.void
    yield* Effect.gen(function* () {
      const plan = yield* night(folder, texts)
      const running = yield* Effect.fork(runPlan(plan, service(/slow/u, creates)))
      yield* Deferred.await(complete)
      yield* Fiber.interrupt(running)
    }).pipe(
      Effect.provideService(Progress, { emit }),
      Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg])
    )
    expect(texts.map((_, at) => existsSync(join(folder, `out/ep${at}/ep${at}.srt`)))).toEqual(
      texts.map((_, at) => at < 12)
    )
    expect(creates).toHaveLength(12 * 2 + 8)
  })
)

it.scopedLive("speaks a retake that several jobs need once", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const creates: Array<string> = []
    yield* Effect.gen(function* () {
      const plan = yield* night(folder, [long("all"), long("all"), long("all"), long("the last")])
      const { report } = yield* runPlan(plan, service(/never/u, creates))
      expect(report.jobs.map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
        "delivered",
        "delivered"
      ])
      expect([report.tasks.created, report.tasks.failed, new Set(creates).size]).toEqual([4, 0, 4])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("speaks the lines of all jobs before retakes if the budget does not suffice for both", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const creates: Array<string> = []
    yield* Effect.gen(function* () {
      const plan = yield* night(folder, [long("one"), long("two"), long("three")])
      // A task costs five credits.
      const { halt, report } = yield* runPlan(plan, service(/never/u, creates), { maxCredits: 20 })
      expect([halt?.reason, report.jobs.map(({ status }) => status)]).toEqual([
        "budget",
        ["delivered", "delivered", "delivered"]
      ])
      expect(creates.map((create) => create.endsWith(" 1"))).toEqual([true, true, true, false])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("makes a defect in any step of a job its result", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const executor = {
      ...localExecutor,
      speak: (...[settings, plan]: Parameters<typeof localExecutor.speak>) =>
        settings.isSecond === true && plan.jobs[0].job.id === "ep1"
          ? Effect.die(new TypeError("no such voice"))
          : localExecutor.speak(settings, plan)
    }
    yield* Effect.gen(function* () {
      const plan = yield* night(folder, [long("one"), long("two"), long("three")])
      const { report } = yield* runPlan(plan, service(/never/u, []), { executor: Effect.succeed(executor) })
      expect(report.jobs.map(({ status, error }) => error ?? status)).toEqual([
        "delivered",
        "internal error, please report it: TypeError: no such voice",
        "delivered"
      ])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)
