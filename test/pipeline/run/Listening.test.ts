/**
 * Runs with `listen`, with small scripts as recognisers: clips that are transcribed or spoken again, costs, and
 * reports.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { JobReport } from "../../../src/domain/report/Report.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { SlowDown } from "../../../src/gateway/GatewayErrors.ts"
import { runPlan } from "../../../src/pipeline/Dub.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { Progress } from "../../../src/pipeline/Progress.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { babble } from "../../hostile/Babble.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { standIn, stored } from "../StandIn.ts"

const said = "All is well, and nobody came home tonight."
/** The words as reports have them: without punctuation. */
const reported = "All is well and nobody came home tonight"

/** A batch of one cue whose recogniser is a script, or another program; `run` runs it and returns the outcome. */
const listening = Effect.fnUntraced(function* (
  script: string,
  listen: object = {},
  tasks: ReturnType<typeof standIn> = standIn(0)
) {
  const folder = yield* temporaryFolder
  const calls = join(folder, "calls")
  writeFileSync(join(folder, "note.srt"), `1\n00:00:01,000 --> 00:00:06,000\n${said}\n`)
  writeFileSync(
    join(folder, "hear.cjs"),
    `require("node:fs").appendFileSync(${JSON.stringify(calls)}, "."); ${script}`
  )
  writeFileSync(
    join(folder, "night.json"),
    JSON.stringify({
      service: { baseUrl: "http://127.0.0.1:9" },
      providers: { provider_fast: { creditsPerCharacter: 5 / said.length } },
      defaults: { listen: { command: [process.execPath, "hear.cjs", "{audio}"], ...listen } },
      jobs: [{ input: "note.srt", language: "en", provider: "provider_fast", voice: "v1", outputs: ["srt"] }]
    })
  )
  const told: Array<string> = []
  const watching = Layer.succeed(Progress, {
    emit: (event) =>
      Effect.sync(() => {
        if (event._tag === "Warning" && event.message.startsWith("listen")) told.push(event.message)
      })
  })
  const service = yield* Layer.memoize(tasks)
  const run = (maxCredits?: number) =>
    Effect.gen(function* () {
      const plan = yield* planBatch(yield* loadBatch([join(folder, "night.json")], {}))
      const { jobs, report } = yield* runPlan(plan, service, { maxCredits })
      const read = readFileSync(join(folder, "out/note/report.json"), "utf8")
      const { cues } = yield* Schema.decode(Schema.parseJson(JobReport))(read)
      return {
        status: jobs[0]?.status,
        created: report.tasks.created,
        flags: cues[0]?.flags.filter((flag) => /words|heard/u.test(flag)),
        words: cues[0]?.words,
        calls: existsSync(calls) ? readFileSync(calls, "utf8").length : 0
      }
    }).pipe(Effect.provide(watching), Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  return { run, told, folder }
})

const printing = (text: string) => `console.log(${JSON.stringify(text)})`

it.scopedLive("transcribes a correct clip once, and speaks nothing again", () =>
  Effect.gen(function* () {
    const { run, told } = yield* listening(printing(said))
    const heard = { status: "delivered", flags: [], words: { heard: reported, faults: [] }, calls: 1 }
    expect(yield* run()).toEqual({ ...heard, created: 1 })
    expect(yield* run()).toEqual({ ...heard, created: 0 })
    expect(told).toEqual([])
  })
)

it.scopedLive("speaks a clip with missing words again at most twice, and keeps the earlier clip", () =>
  Effect.gen(function* () {
    const { run } = yield* listening(printing("All is well, and tonight."))
    const paid: Array<number> = []
    for (let runs = 0; runs < 4; runs++) {
      const { created, calls: _, ...seen } = yield* run()
      paid.push(created)
      expect(seen).toEqual({
        status: "delivered",
        flags: ["missing-words"],
        words: {
          heard: "All is well and tonight",
          faults: [{ kind: "missing", words: "nobody came home" }]
        }
      })
    }
    expect(paid).toEqual([2, 1, 0, 0])
  })
)

it.scopedLive("speaks nothing again beyond --max-credits", () =>
  Effect.gen(function* () {
    const { run } = yield* listening(printing("All is well, and tonight."))
    const faulty = { status: "delivered", flags: ["missing-words"] }
    expect(yield* run(5)).toMatchObject({ ...faulty, created: 1 })
    expect(yield* run(10)).toMatchObject({ ...faulty, created: 1 })
    expect(yield* run(10)).toMatchObject({ ...faulty, created: 0 })
  })
)

it.scopedLive("fetches a clip that was put back and then deleted from its own task, without paying", () =>
  Effect.gen(function* () {
    const { run, folder } = yield* listening(printing("All is well, and tonight."))
    const faulty = { status: "delivered", flags: ["missing-words"] }
    expect(yield* run(5)).toMatchObject({ ...faulty, created: 1 })
    rmSync(join(folder, ".dubwright", "clips"), { recursive: true })
    expect(yield* run(4)).toMatchObject({ ...faulty, created: 0 })
  })
)

it.scopedLive("continues a new take that was interrupted, and pays for it once", () =>
  Effect.gen(function* () {
    const second = yield* Deferred.make<void>()
    const finished = yield* Deferred.make<void>()
    let created = 0
    // The second task takes until the second run, and sounds different, because transcripts are stored by a clip's
    // sound.
    const slow = Layer.map(standIn(0), (context) => {
      const service = Context.get(context, Gateway)
      return Context.make(Gateway, {
        ...service,
        submit: (...request) => Effect.tap(service.submit(...request), () => Effect.sync(() => created++)),
        look: (...asked) =>
          created < 2
            ? service.look(...asked)
            : Deferred.succeed(second, undefined).pipe(
                Effect.zipRight(Deferred.await(finished)),
                Effect.zipRight(service.look(...asked))
              ),
        fetch: (...asked) =>
          created < 2
            ? service.fetch(...asked)
            : Effect.succeed({ audio: babble(`${said} Again.`), transcript: undefined })
      })
    })
    const script = `const mended = require("node:fs").existsSync("mended");
      console.log(mended ? ${JSON.stringify(said)} : "All is well, and tonight.")`
    const { run, folder } = yield* listening(script, {}, slow)
    const running = yield* Effect.fork(run())
    yield* Deferred.await(second)
    yield* Fiber.interrupt(running)
    writeFileSync(join(folder, "mended"), "")
    yield* Deferred.succeed(finished, undefined)
    expect(yield* run()).toMatchObject({ status: "delivered", flags: [], created: 0 })
    expect(created).toBe(2)
  })
)

it.scopedLive("puts the earlier clip back if it is interrupted before there is a new take", () =>
  Effect.gen(function* () {
    const second = yield* Deferred.make<void>()
    let created = 0
    const busy = Layer.map(standIn(0), (context) => {
      const service = Context.get(context, Gateway)
      return Context.make(Gateway, {
        ...service,
        submit: (...request) =>
          created++ === 0
            ? service.submit(...request)
            : Effect.zipRight(Deferred.succeed(second, undefined), new SlowDown({ words: "later" }))
      })
    })
    const { run } = yield* listening(printing("All is well, and tonight."), {}, busy)
    const running = yield* Effect.fork(run())
    yield* Deferred.await(second)
    yield* Fiber.interrupt(running)
    expect(yield* run(4)).toMatchObject({ status: "delivered", flags: ["missing-words"], created: 0 })
  })
)

it.scopedLive.each([
  ["exits with 1", "process.exit(1)", {}],
  ["hangs", "setInterval(() => 0, 1000)", { timeout: 1 }],
  ["prints JSON without words", printing('{"no":"text"}'), {}],
  ["is missing", "", { command: ["./absent-recogniser", "{audio}"] }]
] as const)("delivers unheard clips with one warning if the recogniser %s", ([, script, listen]) =>
  Effect.gen(function* () {
    const { run, told } = yield* listening(script, listen)
    const { status, created, flags } = yield* run()
    expect({ status, created, flags }).toEqual({ status: "delivered", created: 1, flags: ["not-heard"] })
    expect(told).toEqual([
      expect.stringMatching(/^listen: 1 of 1 clips could not be transcribed: [^\n]+; run again to retry$/u)
    ])
  })
)
