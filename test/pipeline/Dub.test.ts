/** Whole runs against a fake service, with the clock under test control. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Schema, TestClock } from "effect"
import { ProviderId, VoiceId } from "../../src/domain/values/Ids.ts"
import { JobReport } from "../../src/domain/report/Report.ts"
import { exitCodeFor } from "../../src/app/ExitCodes.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { localExecutor, runPlan } from "../../src/pipeline/Dub.ts"
import type { RunExecutor } from "../../src/pipeline/run/RunExecutor.ts"
import type { JobResult } from "../../src/pipeline/report/JobResult.ts"
import { loadBatch } from "../../src/pipeline/load/BatchLoader.ts"
import { planBatch, planRun } from "../../src/pipeline/plan/BatchPlan.ts"
import { Progress } from "../../src/pipeline/Progress.ts"
import {
  changesFor,
  changesToAccept,
  deliverEdited,
  prepareEdit
} from "../../src/pipeline/review/ReviewSession.ts"
import { cueEntries } from "../../src/pipeline/load/OverridesFile.ts"
import { saveChanges } from "../../src/pipeline/review/ReviewHistory.ts"
import { verifyBatch } from "../../src/pipeline/report/DeliveryVerification.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { BatchSpending } from "../../src/store/tables/BatchSpending.ts"
import { video } from "../ffmpeg/media.ts"
import { temporaryFolder } from "../hostile/Batch.ts"
import { gone, standIn, stored } from "./StandIn.ts"
import { embeddedVoices } from "../../src/service/config/EmbeddedVoice.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Collects a run's warnings: the list, and the layer that fills it. */
const warnings = () => {
  const told: Array<string> = []
  const emit: Progress["Type"]["emit"] = (event) =>
    Effect.sync(() => {
      if (event._tag === "Warning") told.push(event.message)
    })
  return { told, watching: Layer.succeed(Progress, { emit }) }
}

/** Loads the folder's note as a batch. Nothing listens at its service address unless a test replaces the gateway. */
const noteIn = (folder: string) =>
  loadBatch([join(folder, "note.srt")], {
    out: join(folder, "out"),
    baseUrl: "http://127.0.0.1:9",
    provider: ProviderId.make("provider_fast"),
    voice: VoiceId.make("v1")
  })

it.scoped("completes the batch if the deadline passes after its last task has started", () =>
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
      const running = yield* Effect.fork(runPlan(yield* planBatch(batch), standIn(8_000), { deadline }))
      while (running.unsafePoll() === null) yield* Effect.zipRight(TestClock.adjust("200 millis"), turn)
      const { halt, jobs, report } = yield* Fiber.join(running)
      expect([halt, report.stopped, report.tasks.created, jobs[0]?.status]).toEqual([
        undefined,
        undefined,
        1,
        "delivered"
      ])
      const outlay = yield* BatchSpending
      expect(yield* outlay.spent(batch.key), "the next run starts with a full budget").toEqual([])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("delivers the other jobs if the delivery of one ends with a defect", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const manifest = join(folder, "season.json")
    const jobs = ["a", "b", "c"].map((id, at) => {
      writeFileSync(join(folder, `${id}.srt`), `1\n00:00:01,000 --> 00:00:04,000\nAll is well, ${at}.\n`)
      return { id, input: `${id}.srt`, provider: "provider_fast", voice: "v1", outputs: ["srt"] }
    })
    writeFileSync(manifest, JSON.stringify({ service: { baseUrl: "http://127.0.0.1:9" }, jobs }))
    const executor: RunExecutor = {
      ...localExecutor,
      deliver: (plan, ...rest) =>
        plan.job.id === "a"
          ? Effect.die(new TypeError("no such sample\nat line 1"))
          : localExecutor.deliver(plan, ...rest)
    }
    const logged: Array<string> = []
    const log = Logger.replace(
      Logger.defaultLogger,
      Logger.map(Logger.logfmtLogger, (line) => void logged.push(line))
    )
    yield* Effect.gen(function* () {
      const plan = yield* planBatch(yield* loadBatch([manifest], {}))
      const result = yield* runPlan(plan, standIn(0), { executor: Effect.succeed(executor) })
      expect(result.report.jobs).toEqual([
        { id: "a", status: "failed", error: "internal error, please report it: TypeError: no such sample" },
        { id: "b", status: "delivered" },
        { id: "c", status: "delivered" }
      ])
      expect(logged.filter((line) => line.includes("job a was not delivered"))).toHaveLength(1)
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg, log]))
  })
)

it.scopedLive("fails only the jobs whose film, background or voice is missing", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const manifest = join(folder, "season.json")
    const own = [
      { id: "bare" },
      { id: "no-film", video: "gone.mp4" },
      { id: "no-bed", background: "me/gone.wav" },
      { id: "no-voice", language: "gl" },
      { id: "no-country", language: "kr" }
    ]
    const jobs = own.map((job) => {
      writeFileSync(
        join(folder, `${job.id}.srt`),
        `1\n00:00:01,000 --> 00:00:04,000\nAll is well, ${job.id}.\n`
      )
      return { language: "en", ...job, input: `${job.id}.srt`, outputs: ["srt"] }
    })
    writeFileSync(manifest, JSON.stringify({ service: "embedded", jobs }))
    yield* Effect.gen(function* () {
      const batch = yield* loadBatch([manifest], { bundledVoices: embeddedVoices })
      const { report } = yield* runPlan(yield* planRun(batch), standIn(0))
      const spoken = expect.stringContaining("they speak af, am, an, ar")
      expect(report.jobs).toEqual([
        { id: "bare", status: "delivered" },
        {
          id: "no-film",
          status: "failed",
          error: "gone.mp4: job no-film: video: no such file; check the path"
        },
        {
          id: "no-bed",
          status: "failed",
          error: "me/gone.wav: job no-bed: background: no such file; check the path"
        },
        { id: "no-voice", status: "failed", error: spoken },
        {
          id: "no-country",
          status: "failed",
          error: expect.stringContaining(
            'no bundled voice speaks "kr"; did you mean ko, the language of KR?; they speak'
          )
        }
      ])
      const lost = {
        ...batch,
        jobs: [batch.jobs[0], { ...batch.jobs[0], input: join(folder, "gone.srt") }]
      } as const
      expect((yield* Effect.flip(planRun(lost)))._tag, "an unreadable script stops the batch").toBe(
        "InputRejected"
      )
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

/** Two lines, at 1 credit per character. A task of the stand-in costs 5 credits. */
const pricedIn = (folder: string, second = "00:00:05,000 --> 00:00:07,000") => {
  const manifest = join(folder, "night.json")
  writeFileSync(
    join(folder, "note.srt"),
    `1\n00:00:01,000 --> 00:00:04,000\nAll is well.\n\n2\n${second}\nNobody came.\n`
  )
  writeFileSync(
    manifest,
    JSON.stringify({
      service: { baseUrl: "http://127.0.0.1:9" },
      providers: { provider_fast: { creditsPerCharacter: 1, concurrency: 1 } },
      jobs: [{ input: "note.srt", provider: "provider_fast", voice: "v1", outputs: ["wav", "flac", "stems"] }]
    })
  )
  return Effect.flatMap(loadBatch([manifest], {}), planBatch)
}

/** The stand-in with an account whose balance is read as these figures, one after the other. */
const accountOf = (...balances: ReadonlyArray<number>) =>
  Layer.map(standIn(0), (services) => {
    const gateway = Context.get(services, Gateway)
    const left = [...balances]
    const credits = Effect.sync(() => ({
      credits: left.shift() ?? 0,
      unlimited: false,
      used: 0,
      reserved: 0
    }))
    return Context.make(Gateway, Gateway.make({ ...gateway, reads: { ...gateway.reads, credits } }))
  })

it.scopedLive("sends nothing if the credits will not suffice, unless it is forced to", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const plan = yield* pricedIn(folder)
      const poor = yield* runPlan(plan, accountOf(20, 20))
      expect([poor.halt, poor.report.tasks.created, poor.jobs[0]?.status]).toEqual([
        {
          reason: "credits",
          words: "the account has 20 credits, but the run needs about 24; add 4, or start anyway with --force"
        },
        0,
        "unfinished"
      ])
      const limited = yield* runPlan(plan, accountOf(20, 15), { maxCredits: 15 })
      expect([limited.halt?.reason, limited.report.tasks.created]).toEqual(["budget", 1])
      const forced = yield* runPlan(plan, accountOf(20, 15), { force: true })
      expect([forced.halt, forced.jobs[0]?.status]).toEqual([undefined, "delivered"])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("sends nothing if a disk is too small for the results", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      // The files of 499 hours need several hundred gigabytes.
      const failure = yield* Effect.flip(
        runPlan(yield* pricedIn(folder, "499:00:00,000 --> 499:00:02,000"), accountOf(900))
      )
      expect(exitCodeFor(failure)).toMatchObject({
        code: 3,
        message: expect.stringMatching(
          /: its disk is too small for this run; free some, choose another folder, or start anyway with --force \(needs about [\d.]+ GB, [\d.]+ [MG]B is free\)$/u
        )
      })
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("counts what the batch's tasks cost over all its runs, whatever happens to the balance", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const plan = yield* pricedIn(folder)
      // The account is topped up during the first run, and others use it during the second.
      const service = yield* Layer.memoize(accountOf(100, 995, 900, 700))
      const counted = Effect.fnUntraced(function* (maxCredits?: number) {
        const { report, spent, isDone } = yield* runPlan(plan, service, { maxCredits })
        return { spent, isDone, batch: report.credits.batch }
      })
      expect(yield* counted(15)).toEqual({ spent: 5, isDone: false, batch: 5 })
      expect(yield* counted()).toEqual({ spent: 5, isDone: true, batch: 10 })
      expect((yield* counted()).batch, "the next run starts at 0").toBe(undefined)
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scoped("warns once while it waits for an unreachable service", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const lines = ["All is well.", "Nobody came.", "It rains.", "It rained.", "It will rain.", "So be it."]
    const cue = (words: string, at: number) => `${at + 1}\n00:00:0${at},000 --> 00:00:0${at},900\n${words}\n`
    writeFileSync(join(folder, "note.srt"), lines.map(cue).join("\n"))
    const { told, watching } = warnings()
    yield* Effect.gen(function* () {
      const batch = yield* noteIn(folder)
      const running = yield* Effect.fork(runPlan(yield* planBatch(batch), gone))
      for (let waits = 0; waits < 30; waits++) yield* Effect.zipRight(TestClock.adjust("10 seconds"), turn)
      yield* Fiber.interrupt(running)
      expect(
        told.filter((message) => message.includes("nobody there; the run retries, and stops after"))
      ).toHaveLength(1)
    }).pipe(Effect.provide(watching), Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scoped("does not wait long for voice lists and credits that never arrive", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "note.srt"), "1\n00:00:01,000 --> 00:00:04,000\nAll is well.\n")
    const { told, watching } = warnings()
    yield* Effect.gen(function* () {
      const batch = yield* noteIn(folder)
      const running = yield* Effect.fork(runPlan(yield* planBatch(batch), standIn(0, Effect.never)))
      while (running.unsafePoll() === null) yield* Effect.zipRight(TestClock.adjust("200 millis"), turn)
      const { jobs, report } = yield* Fiber.join(running)
      expect([jobs[0]?.status, report.tasks.created, report.credits]).toEqual([
        "delivered",
        1,
        { spent: 5, batch: 5 }
      ])
      expect(told).toEqual([
        "the service's voices could not be checked: no usable response from the service: timed out after 30 seconds"
      ])
    }).pipe(Effect.provide(watching), Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("fetches a corrupted clip again without paying twice", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(
      join(folder, "note.srt"),
      "1\n00:00:01,000 --> 00:00:04,000\nAll is well.\n\n2\n00:00:05,000 --> 00:00:07,000\nNobody came.\n"
    )
    yield* Effect.gen(function* () {
      const batch = yield* loadBatch([join(folder, "note.srt")], {
        out: join(folder, "out"),
        provider: ProviderId.make("provider_fast"),
        voice: VoiceId.make("v1")
      })
      const service = yield* Layer.memoize(standIn(0))
      const ended = Effect.map(
        Effect.flatMap(planBatch(batch), (plan) => runPlan(plan, service)),
        ({ jobs, report }) => [jobs[0]?.status, report.tasks.created, report.tasks.reused]
      )
      const clips = yield* ClipFolder
      expect(yield* ended).toEqual(["delivered", 2, 0])
      for (const name of readdirSync(clips.folder)) {
        const bytes = readFileSync(join(clips.folder, name))
        writeFileSync(join(clips.folder, name), bytes.fill(7, 2_000, 2_010))
      }
      rmSync(join(folder, "out"), { recursive: true })
      expect(yield* ended).toEqual(["unfinished", 0, 2])
      expect(yield* ended, "both are fetched again").toEqual(["delivered", 0, 0])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("warns before it overwrites another manifest's results", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "ep1.srt"), "1\n00:00:01,000 --> 00:00:04,000\nAll is well.\n")
    const manifest = (name: string, ...ids: ReadonlyArray<string>) => {
      const jobs = ids.map((id) => ({ id, input: "ep1.srt", outputs: ["srt"] }))
      const defaults = { provider: "provider_fast", voice: "v1" }
      writeFileSync(
        join(folder, name),
        JSON.stringify({ service: { baseUrl: "http://127.0.0.1:9" }, defaults, jobs })
      )
      return join(folder, name)
    }
    const told: Array<string> = []
    const watching = Layer.succeed(Progress, {
      emit: (event) =>
        Effect.sync(() => {
          if (event._tag === "Warning" && event.message.includes("are overwritten")) told.push(event.message)
        })
    })
    yield* Effect.gen(function* () {
      const service = yield* Layer.memoize(standIn(0))
      const warned = Effect.fnUntraced(function* (path: string) {
        yield* runPlan(yield* planBatch(yield* loadBatch([path], {})), service)
        return told.splice(0)
      })
      const spanish = manifest("es.json", "ep1", "ep2")
      expect([yield* warned(spanish), yield* warned(spanish)]).toEqual([[], []])
      expect(yield* warned(manifest("fr.json", "extra"))).toEqual([])
      expect(yield* warned(spanish)).toEqual([])
      expect(yield* warned(manifest("fr.json", "extra", "Ep2", "ep1"))).toEqual([
        `${folder}/out holds Ep2, ep1 from a run of es.json: results of the same name are overwritten; ` +
          "to keep both, run one of the manifests with another --out"
      ])
    }).pipe(Effect.provide(watching), Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("does not pay for cues after the end of a short film, and names the missing ones", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* video(join(folder, "film.mp4"), { seconds: 3 })
    writeFileSync(
      join(folder, "film.srt"),
      "1\n00:00:01,000 --> 00:00:02,000\nAll is well.\n\n2\n00:00:05,000 --> 00:00:07,000\nNobody came.\n"
    )
    writeFileSync(
      join(folder, "tale.txt"),
      "The sea was calm that night, and nobody had seen the boat that came in late, or so they said.\n\n" +
        "In the morning it was gone.\n"
    )
    const night = (onFailure: string) => {
      writeFileSync(
        join(folder, "night.json"),
        JSON.stringify({
          defaults: { provider: "provider_fast", voice: "v1", onFailure },
          jobs: [
            { input: "film.srt", video: "film.mp4" },
            { input: "tale.txt", video: "film.mp4" }
          ]
        })
      )
      return Effect.flatMap(loadBatch([join(folder, "night.json")], {}), planBatch)
    }
    const told: Array<string> = []
    const watching = Layer.succeed(Progress, {
      emit: (event) => Effect.sync(() => (event._tag === "Warning" ? told.push(event.message) : 0))
    })
    const lengths =
      "job film: film.mp4 lasts 0:00:03.0, the subtitle 0:00:07.0: 1 of 2 cues, from cue 2 (0:00:05.0) on, start after the end of the film and are not spoken; the job "
    const figures = (jobs: ReadonlyArray<JobResult>) =>
      jobs.map(({ status, metrics }) => [status, metrics?.spoken, metrics?.failed, metrics?.coverage])
    const read = (name: string) => readFileSync(join(folder, "out/tale", name), "utf8")
    const reported = () =>
      Effect.map(Schema.decode(Schema.parseJson(JobReport))(read("report.json")), ({ cues, metrics }) => {
        expect(
          metrics.cutWords,
          "all six words of the second paragraph, and some of the first"
        ).toBeGreaterThan(6)
        return cues.map(({ status, error, placed, flags }) => [status, error, placed?.end, flags])
      })
    const ended = "the film ends before it is spoken"
    yield* Effect.gen(function* () {
      const service = yield* Layer.memoize(standIn(0))
      const plan = yield* night("fail")
      expect(plan.notices).toEqual([
        `${lengths}fails unless a cue sheet excludes them or onFailure is silence`
      ])
      const { jobs, report } = yield* runPlan(plan, service)
      expect(report.tasks.created, "a cue and two paragraphs").toBe(3)
      expect(report.jobs).toEqual([
        { id: "film", status: "failed", error: `cue 2 could not be spoken: ${ended}` },
        { id: "tale", status: "failed", error: `cue 2 could not be spoken: ${ended}` }
      ])
      expect(figures(jobs)).toEqual([
        ["failed", 1, 1, 0.5],
        ["failed", 1, 1, 0.5]
      ])
      expect(told).toContain("tale: film.mp4 is shorter than the speech: cues 1, 2 cut off")
      expect(yield* reported()).toEqual([
        ["spoken", undefined, 3, ["cut"]],
        ["failed", ended, undefined, ["cut"]]
      ])

      const silent = yield* night("silence")
      expect(silent.notices).toEqual([`${lengths}is delivered without them`])
      const { jobs: delivered, report: again } = yield* runPlan(silent, service)
      expect(again.tasks.created).toBe(0)
      expect(figures(delivered)).toEqual([
        ["delivered", 1, 1, 0.5],
        ["delivered", 1, 1, 0.5]
      ])
      expect(yield* reported()).toEqual([
        ["spoken", undefined, 3, ["cut"]],
        ["failed", ended, undefined, ["cut", "silent"]]
      ])
      expect(read("tale.srt").match(/--> \S+/gu)).toEqual(["--> 00:00:03,000"])
    }).pipe(Effect.provide(watching), Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("keeps jobs outside --only on the batch's page and in the shared video", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* video(join(folder, "film.mp4"), { seconds: 3 })
    const cue = (words: string) => `1\n00:00:01,000 --> 00:00:02,000\n${words}\n`
    const jobs = ["en", "vi", "de"].map((id) => ({
      id,
      language: id,
      input: `${id}.srt`,
      video: "film.mp4"
    }))
    for (const { id, input } of jobs) writeFileSync(join(folder, input), cue(`All is well in ${id}.`))
    writeFileSync(
      join(folder, "night.json"),
      JSON.stringify({
        defaults: { provider: "provider_fast", voice: "v1", into: "all.mkv", original: "drop" },
        jobs
      })
    )
    yield* Effect.gen(function* () {
      const ffmpeg = yield* Ffmpeg
      const ran = Effect.fnUntraced(function* (only?: string) {
        const batch = yield* loadBatch([join(folder, "night.json")], only === undefined ? {} : { only })
        return yield* runPlan(yield* planBatch(batch), standIn(0))
      })
      const tracks = Effect.map(ffmpeg.probe(join(folder, "out/all.mkv")), ({ sounds }) =>
        sounds.map(({ language }) => language)
      )
      const listed = () =>
        [
          ...readFileSync(join(folder, "out/index.html"), "utf8").matchAll(
            /data-state="([a-z]+)"[^]*?class="job">\s*(?:<a[^>]*>)?([^<\s]+)/gu
          )
        ].map(([, state, job]) => [job, state])

      yield* ran("{en,vi}")
      expect(listed()).toEqual([
        ["de", "unfinished"],
        ["en", "fine"],
        ["vi", "fine"]
      ])
      expect(readdirSync(join(folder, "out")), "no video until every job has its track").not.toContain(
        "all.mkv"
      )
      yield* ran()
      expect(yield* tracks).toEqual(["eng", "vie", "ger"])
      writeFileSync(join(folder, "vi.srt"), cue("All is quite well."))
      const { report } = yield* ran("vi")
      expect(report.jobs).toEqual([{ id: "vi", status: "delivered" }])
      expect(yield* tracks).toEqual(["eng", "vie", "ger"])
      expect(listed()).toEqual([
        ["en", "fine"],
        ["vi", "fine"],
        ["de", "fine"]
      ])

      const film = () => readFileSync(join(folder, "out/all.mkv"))
      const before = film()
      const batch = yield* loadBatch([join(folder, "night.json")], {})
      const wish = { say: "All is better.", provider: "provider_fast", voice: "v1" }
      const [job] = batch.jobs
      const heard = yield* changesFor(standIn(0), batch, job, 1, { "1": wish })
      yield* saveChanges(batch.manifest, [1], cueEntries(job.id, changesToAccept(job, heard)))
      const changed = yield* loadBatch([join(folder, "night.json")], {})
      const plan = yield* prepareEdit(Layer.die("nothing is spoken"), changed, changed.jobs[0], [1])
      yield* deliverEdited(changed, plan)
      expect(film().equals(before), "the accepted change is audible in the video").toBe(false)
      expect(yield* tracks).toEqual(["eng", "vie", "ger"])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("makes a shared video again if its film is another of the same length", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const film = (picture: ReadonlyArray<string>) =>
      video(join(folder, "film.mp4"), { seconds: 200, rate: "1", picture })
    yield* film(["-c:v", "mpeg4"])
    writeFileSync(join(folder, "a.srt"), "1\n00:00:01,000 --> 00:00:02,000\nAll is well.\n")
    const job = { input: "a.srt", video: "film.mp4", into: "all.mkv", outputs: ["wav"], sync: "off" }
    writeFileSync(
      join(folder, "night.json"),
      JSON.stringify({ jobs: [{ ...job, provider: "provider_fast", voice: "v1", original: "drop" }] })
    )
    yield* Effect.gen(function* () {
      const service = yield* Layer.memoize(standIn(0))
      const loaded = loadBatch([join(folder, "night.json")], {})
      const ran = Effect.flatMap(Effect.flatMap(loaded, planBatch), (plan) => runPlan(plan, service))
      yield* ran
      const before = readFileSync(join(folder, "out/all.mkv"))
      rmSync(join(folder, "film.mp4"))
      yield* film(["-vf", "negate", "-c:v", "mpeg4"])
      yield* ran
      expect(readFileSync(join(folder, "out/all.mkv")).equals(before)).toBe(false)
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("removes outdated files on redelivery, and verifies the new ones", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const night = (start: string, outputs: ReadonlyArray<string>) => {
      writeFileSync(join(folder, "note.srt"), `1\n00:00:${start},000 --> 00:00:09,000\nAll is well.\n`)
      writeFileSync(
        join(folder, "night.json"),
        JSON.stringify({ jobs: [{ input: "note.srt", provider: "provider_fast", voice: "v1", outputs }] })
      )
    }
    yield* Effect.gen(function* () {
      const service = yield* Layer.memoize(standIn(0))
      const loaded = loadBatch([join(folder, "night.json")], {})
      const ran = Effect.flatMap(Effect.flatMap(loaded, planBatch), (plan) => runPlan(plan, service))
      const clips = join(folder, "out/note/clips")
      night("01", ["wav", "clips"])
      yield* ran
      writeFileSync(join(clips, "mine.txt"), "What a person put there.")
      night("05", ["flac", "clips"])
      yield* ran
      expect(readdirSync(clips).toSorted()).toEqual(["0001_voice_00-00-05-000.wav", "mine.txt"])
      const [heard] = yield* verifyBatch(yield* loaded)
      expect(heard?.heard).toMatchObject({
        _tag: "Right",
        right: { file: join(folder, "out/note/note.flac"), missing: 0, off: 0 }
      })
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("delivers a job again if its files were replaced by a delivery that did not end", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* video(join(folder, "film.mp4"), { seconds: 3 })
    writeFileSync(
      join(folder, "night.json"),
      JSON.stringify({
        defaults: { provider: "provider_fast", voice: "v1", outputs: ["wav", "mkv"], sync: "off" },
        jobs: [
          { input: "a.srt", video: "film.mp4" },
          { input: "b.srt", video: "film.mp4" }
        ]
      })
    )
    const say = (name: string, words: string) =>
      writeFileSync(join(folder, name), `1\n00:00:00,500 --> 00:00:02,500\n${words}\n`)
    say("b.srt", "All is well.")
    yield* Effect.gen(function* () {
      const service = yield* Layer.memoize(standIn(0))
      let isKilled = false
      const emit: Progress["Type"]["emit"] = (event) =>
        isKilled && event._tag === "Muxing" ? Effect.interrupt : Effect.void
      const ran = (only?: string) =>
        Effect.gen(function* () {
          const batch = yield* loadBatch([join(folder, "night.json")], only === undefined ? {} : { only })
          return yield* runPlan(yield* planBatch(batch), service)
        }).pipe(Effect.provideService(Progress, { emit }))
      const sound = () => readFileSync(join(folder, "out/a/a.wav"))
      const edited = Effect.gen(function* () {
        say("a.srt", "Bye.")
        isKilled = true
        expect((yield* Effect.exit(ran()))._tag).toBe("Failure")
        isKilled = false
        say("a.srt", "Hello, my good old friend.")
      })

      say("a.srt", "Hello, my good old friend.")
      yield* ran()
      const first = sound()
      yield* edited
      expect(sound().equals(first)).toBe(false)
      expect((yield* ran("b")).jobs.map(({ job, status }) => [job.id, status])).toEqual([["b", "delivered"]])
      expect(readFileSync(join(folder, "out/index.html"), "utf8")).toContain(
        "not delivered yet, and not selected by --only"
      )
      const { jobs } = yield* ran()
      expect(jobs.map((job) => [job.job.id, job.status === "delivered" && job.unchanged])).toEqual([
        ["a", false],
        ["b", true]
      ])
      expect(sound().equals(first)).toBe(true)
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)

it.scopedLive("reports unchanged jobs and delivers cached ones before it speaks anything", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const say = (name: string, words: string) =>
      writeFileSync(join(folder, `${name}.srt`), `1\n00:00:01,000 --> 00:00:04,000\n${words}\n`)
    for (const [name, words] of [
      ["a", "All is well."],
      ["b", "Nobody came."],
      ["c", "It rains."]
    ] as const)
      say(name, words)
    const manifest = join(folder, "night.json")
    writeFileSync(
      manifest,
      JSON.stringify({
        service: { baseUrl: "http://127.0.0.1:9" },
        defaults: { provider: "provider_fast", voice: "v1", outputs: ["srt"] },
        jobs: [{ input: "c.srt" }, { input: "b.srt" }, { input: "a.srt" }]
      })
    )
    const told: Array<string> = []
    const emit: Progress["Type"]["emit"] = (event) =>
      Effect.sync(() => {
        if (event._tag === "Unchanged" || event._tag === "Delivered") told.push(`${event._tag} ${event.job}`)
      })
    const ran = Effect.gen(function* () {
      const batch = yield* loadBatch([manifest], {})
      yield* runPlan(yield* planBatch(batch), standIn(200))
      return told.splice(0)
    }).pipe(Effect.provideService(Progress, { emit }))
    yield* Effect.gen(function* () {
      yield* ran
      rmSync(join(folder, "out/b/b.srt"))
      say("c", "It pours.")
      expect(yield* ran).toEqual(["Delivered b", "Unchanged a", "Delivered c"])
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), Ffmpeg.Default]))
  })
)
