/**
 * In any order of steps, responses and crashes, every utterance is paid for once, or reported. The service is
 * simulated, the store is real, and the test advances the clock. A crash stops every effect at once, as SIGKILL does.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, FastCheck as fc, Fiber, Layer, TestClock } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { JobId, ProviderId, TaskId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { fieldsOf } from "../StandIn.ts"
import { type Millis, millis } from "../../../src/domain/time/Units.ts"
import { markersIn } from "../../../src/domain/task/TaskMarker.ts"
import { profileOf, ProviderProfile } from "../../../src/domain/speech/ProviderProfile.ts"
import { makeUtterance, type Utterance } from "../../../src/domain/speech/Utterance.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import {
  InvalidResponse,
  type CallFault,
  NoAudio,
  Refused,
  SlowDown,
  Unreachable,
  Vanished
} from "../../../src/gateway/GatewayErrors.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import type { HistoryWalk } from "../../../src/gateway/requests/TaskHistory.ts"
import { silent } from "../../../src/pipeline/Progress.ts"
import { speakUtterances } from "../../../src/pipeline/speak/SpeakStage.ts"
import { type SpeakSettings, defaultSpeakSettings } from "../../../src/pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { Estimates } from "../../../src/store/tables/Estimates.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { babble } from "../../hostile/Babble.ts"
import { mute } from "../StandIn.ts"

const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v1") })
/** As much speech for each character: clips of an odd length are aligned, which starts an engine. */
const list: ReadonlyArray<Utterance> = Array.from({ length: 4 }, (_, i) => {
  const words = `Line number${" two".repeat(i)}`
  return makeUtterance(casting, "text", words, [words])
})

/** How the service responds to a create. After a "lost" one there is no response, whether or not a task was created. */
const createAnswers = ["taken", "taken", "taken", "lost-made", "lost-unmade", "slow", "unreachable"] as const
const taskFates = ["done", "done", "done", "done", "fails", "refused", "vanishes"] as const
const audioAnswers = ["good", "good", "good", "broken", "damaged", "refused"] as const

interface Script {
  readonly creates: ReadonlyArray<(typeof createAnswers)[number]>
  readonly fates: ReadonlyArray<(typeof taskFates)[number]>
  readonly audio: ReadonlyArray<(typeof audioAnswers)[number] | "long">
  /** For each run but the last, after how many steps it crashes, and whether the last step took effect. */
  readonly deaths: ReadonlyArray<{ readonly after: number; readonly taken: boolean }>
  readonly echoes: boolean
}

const scripts: fc.Arbitrary<Script> = fc.record({
  creates: fc.array(fc.constantFrom(...createAnswers), { maxLength: 12 }),
  fates: fc.array(fc.constantFrom(...taskFates), { maxLength: 10 }),
  audio: fc.array(fc.constantFrom(...audioAnswers), { maxLength: 10 }),
  deaths: fc.array(fc.record({ after: fc.integer({ min: 1, max: 40 }), taken: fc.boolean() }), {
    maxLength: 4
  }),
  echoes: fc.boolean()
})

interface PaidTask {
  readonly id: TaskId
  readonly label: string
  readonly text: string
  readonly fate: (typeof taskFates)[number]
  /** Whether the response to its create was lost. */
  readonly lost: boolean
  readonly madeAt: number
  readonly doneAt: number
}

/** The service, and its clients' crashes. */
class World {
  readonly paid: Array<PaidTask> = []
  private creates = 0
  private sounds = 0
  private steps = 0
  /**
   * How the history behaves: its fault, its lag in milliseconds, the additional lag of lost tasks, and whether it can
   * be read to its end.
   */
  history: {
    readonly fault?: CallFault
    readonly lag: number
    readonly lostLag?: number
    readonly isWhole: boolean
  } = {
    lag: 0,
    isWhole: true
  }
  dead = false
  /** Whether creates have idempotency keys: one that is sent again returns its task, or makes it. */
  isNamed = false
  /** The wait that a "slow" response requests, in milliseconds. */
  retryAfter: Millis | undefined
  death: { readonly after: number; readonly taken: boolean } | undefined

  constructor(readonly script: Script) {}

  revive(death: World["death"]): void {
    this.dead = false
    this.steps = 0
    this.death = death
  }

  /** A step with an outside effect. At the step of its crash, the run stops forever, before or after that effect. */
  step<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      if (this.dead) return Effect.never
      this.steps++
      if (this.death === undefined || this.steps < this.death.after) return effect
      const { taken } = this.death
      this.dead = true
      return taken ? Effect.zipRight(Effect.exit(effect), Effect.never) : Effect.never
    })
  }

  /** The credits of all tasks: one per character. */
  get spent(): number {
    return this.paid.reduce((sum, { text }) => sum + text.length, 0)
  }

  private made(label: string, text: string, madeAt: number, lost = false): PaidTask {
    const place = this.paid.length
    const task: PaidTask = {
      id: TaskId.make(`task-${place}`),
      label,
      text,
      fate: this.script.fates[place] ?? "done",
      lost,
      madeAt,
      doneAt: madeAt + 700
    }
    this.paid.push(task)
    return task
  }

  readonly gateway = Layer.mock(Gateway, {
    _tag: "gateway/Gateway",
    ping: Effect.void,
    reads: {
      health: Effect.never,
      credits: Effect.never,
      providers: Effect.never,
      stated: Effect.never,
      models: () => Effect.never,
      voices: () => Effect.never,
      tasks: () => Effect.never
    },
    balance: Effect.fail(new Unreachable({ words: "not told" })),
    resend: ({ body }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (!this.isNamed) return undefined
        const { voice_name: label = "", text } = fieldsOf(body)
        const known = this.paid.find((task) => task.label === label)
        const made = known ?? this.made(label, text, now)
        return { task: made.id, credits: text.length }
      }),
    submit: ({ body }) =>
      this.step(
        Effect.gen(this, function* () {
          const answer = this.script.creates[this.creates++] ?? "taken"
          if (answer === "slow") {
            const { retryAfter } = this
            return yield* new SlowDown({
              words: "later",
              ...(retryAfter === undefined ? {} : { retryAfter })
            })
          }
          if (answer === "unreachable") return yield* new Unreachable({ words: "nobody there" })
          if (answer === "lost-unmade") return yield* new InvalidResponse({ words: "reset" })
          const now = yield* Clock.currentTimeMillis
          const { voice_name: label = "", text } = fieldsOf(body)
          const task = this.made(label, text, now, answer === "lost-made")
          if (answer === "lost-made") return yield* new InvalidResponse({ words: "reset" })
          return { task: task.id, credits: text.length }
        })
      ),
    look: (id) =>
      this.step(
        Effect.gen(this, function* () {
          const now = yield* Clock.currentTimeMillis
          const task = this.paid.find((one) => one.id === id)
          const over = task !== undefined && now >= task.doneAt
          if (task === undefined || (over && task.fate === "vanishes"))
            return yield* new Vanished({ task: id })
          const label = this.script.echoes ? task.label : undefined
          if (!over) return { _tag: "Waiting" as const, label }
          if (task.fate === "fails" || task.fate === "refused")
            return { _tag: "GivenUp" as const, words: "no voice today", lasting: task.fate === "refused" }
          return {
            _tag: "Done" as const,
            task: id,
            audio: "a",
            srt: undefined,
            json: undefined,
            label,
            seconds: undefined,
            took: undefined,
            engine: undefined
          }
        })
      ),
    fetch: (done) =>
      this.step(
        Effect.gen(this, function* () {
          const task = this.paid.find((one) => one.id === done.task)
          const answer = this.script.audio[this.sounds++] ?? "good"
          if (task === undefined) return yield* new Vanished({ task: done.task })
          if (answer === "broken") return yield* new InvalidResponse({ words: "reset" })
          if (answer === "refused")
            return yield* new NoAudio({ reason: "stale", words: "its URL returned HTTP 403" })
          const audio = babble(answer === "long" ? task.text.repeat(12) : task.text)
          return { audio: answer === "damaged" ? audio.subarray(0, 60) : audio, transcript: undefined }
        })
      ),
    history: () =>
      this.step(
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<HistoryWalk, CallFault> => {
          const { fault, lag, lostLag = 0, isWhole } = this.history
          if (fault !== undefined) return fault
          const seen = this.paid.filter(
            (task) =>
              (task.fate !== "vanishes" || now < task.doneAt) &&
              task.madeAt + lag + (task.lost ? lostLag : 0) <= now
          )
          const tasks = seen.map((task) => ({
            task: task.id,
            label: this.script.echoes ? task.label : undefined,
            provider: casting.provider,
            voice: casting.voice,
            characters: Array.from(task.text).length,
            credits: task.text.length,
            madeAt: task.madeAt,
            failed: (task.fate === "fails" || task.fate === "refused") && now >= task.doneAt
          }))
          return Effect.succeed<HistoryWalk>({
            tasks,
            echoes: tasks.length === 0 ? undefined : this.script.echoes,
            isWhole,
            find: (mark) =>
              tasks.findLast((task) => task.label !== undefined && markersIn(task.label).includes(mark))
          })
        })
      )
  })
}

/** The store, whose writes are steps too: a crashed run writes nothing. */
const mortal = (world: World) =>
  Layer.effect(
    UtteranceStore,
    Effect.map(UtteranceStore, (store) =>
      UtteranceStore.make({ ...store, apply: (change) => world.step(store.apply(change)) })
    )
  ).pipe(Layer.provide(UtteranceStore.Default))

const parts = (folder: string, world: World, gateway: Layer.Layer<Gateway>) =>
  Layer.mergeAll(mortal(world), ClipFolder.Default, Estimates.Default, gateway, silent).pipe(
    Layer.provideMerge(writableState(folder)),
    Layer.provideMerge(
      Layer.mock(Ffmpeg, { _tag: "ffmpeg/Ffmpeg", binary: { path: "", source: "PATH", version: "" } })
    )
  )

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Runs until its end or its crash. */
const lived = (
  folder: string,
  world: World,
  settings: Partial<SpeakSettings> = {},
  gateway: Layer.Layer<Gateway> = world.gateway
) =>
  Effect.gen(function* () {
    const run = yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      const keys = list.map((utterance) => utterance.key)
      yield* store.plan("b", [
        { job: JobId.make("j"), utterances: list.map((utterance) => ({ utterance, label: "j" })) }
      ])
      const summary = yield* speakUtterances({
        ...defaultSpeakSettings,
        ...settings,
        keys,
        profileOf: (provider) =>
          ProviderProfile.make({ ...profileOf(provider), concurrency: 2, creditsPerCharacter: 1 })
      })
      const rows = yield* store.rows(keys)
      return {
        summary,
        standings: yield* store.standings(keys),
        rerolls: new Map(rows.map((row) => [row.utterance.key, row.rerolls]))
      }
    }).pipe(Effect.provide(parts(folder, world, gateway)), Effect.fork)
    for (let turns = 0; ; turns++) {
      if (world.dead) {
        const dying = yield* Effect.fork(Fiber.interrupt(run))
        while (dying.unsafePoll() === null) yield* Effect.zipRight(TestClock.adjust("1 second"), turn)
        return undefined
      }
      if (run.unsafePoll() !== null) return yield* Fiber.join(run)
      if (turns > 20_000) return yield* Effect.dieMessage("the run does not end")
      yield* TestClock.adjust("200 millis")
      yield* turn
    }
  })

/** A service that does as it should. */
const calm: Script = { creates: [], fates: [], audio: [], deaths: [], echoes: true }

it.effect.prop(
  "pays for every utterance once, or reports why not",
  { script: scripts },
  ({ script }) =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
      const world = new World(script)
      for (const death of script.deaths) {
        world.revive(death)
        yield* lived(folder, world)
      }
      world.revive(undefined)
      const end = yield* lived(folder, world)
      rmSync(folder, { recursive: true })
      for (const { key, text } of list) {
        const standing = end?.standings.get(key)
        const paid = world.paid.filter((task) => task.text === text)
        const heard = paid.filter((task) => task.fate === "done")
        // A permanent failure is not retried.
        if (paid.some((task) => task.fate === "refused")) {
          expect(standing?.state).toBe("failed")
          expect(paid.at(-1)?.fate).toBe("refused")
        }
        // Another take may follow one that the service failed or forgot. A spoken one never is, unless its audio was
        // repeatedly unusable: each such take counts against the run's allowance.
        const useless = end?.rerolls.get(key) ?? 0
        if (standing?.state === "fetched") expect(heard.length).toBe(1 + useless)
        else {
          expect(standing?.state).toBe("failed")
          expect(standing?.setback?.words).toBeTruthy()
          expect(heard.length).toBeLessThanOrEqual(1 + useless)
        }
      }
    }),
  { fastCheck: { numRuns: 25 }, timeout: 180_000 }
)

it.effect("creates nothing after the deadline, finishes tasks in flight, and continues in the next run", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World(calm)
    const late = yield* lived(folder, world, { deadline: { at: 500, words: "06:00" } })
    expect(late?.summary).toMatchObject({
      created: 2,
      left: 2,
      failed: 0,
      halt: {
        reason: "deadline",
        words: "the deadline of 06:00 has passed; in-flight tasks will finish; run again to continue"
      }
    })
    const next = yield* lived(folder, world)
    expect(next?.summary).toMatchObject({ created: 2, reused: 2, left: 0, halt: undefined })
    expect(world.paid).toHaveLength(list.length)
    rmSync(folder, { recursive: true })
  })
)

it.effect("waits for a requested time only until the deadline", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World({ ...calm, creates: ["slow", "slow"] })
    world.retryAfter = millis(1_800_000)
    const run = lived(folder, world, { deadline: { at: 10_000, words: "06:00" } })
    const [time, end] = yield* Effect.timedWith(run, Clock.currentTimeNanos)
    expect(end?.summary).toMatchObject({ created: 0, left: list.length, halt: { reason: "deadline" } })
    expect(Duration.toSeconds(time)).toBeLessThan(20)
    rmSync(folder, { recursive: true })
  })
)

it.effect("counts what a crashed run may have created against the limit", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World({ ...calm, creates: ["lost-made", "lost-made"] })
    world.revive({ after: 5, taken: false })
    const limit = { maxCredits: 45 }
    yield* lived(folder, world, limit)
    expect(world.paid).toHaveLength(2)
    world.revive(undefined)
    // The history lists the two only after the other lines were due.
    world.history = { lag: 20_000, isWhole: true }
    const end = yield* lived(folder, world, limit)
    expect(end?.summary).toMatchObject({ created: 1, adopted: 2, left: 1, halt: { reason: "budget" } })
    expect(world.spent).toBeLessThanOrEqual(45)
    rmSync(folder, { recursive: true })
  })
)

it.effect("sends nothing again that could be paid after the deadline or beyond the limit", () =>
  Effect.gen(function* () {
    const stops: ReadonlyArray<Partial<SpeakSettings>> = [
      { deadline: { at: 1, words: "06:00" } },
      { maxCredits: 0 }
    ]
    for (const stop of stops) {
      const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
      const world = new World(calm)
      world.isNamed = true
      // Announced, but not sent.
      world.revive({ after: 3, taken: false })
      yield* lived(folder, world)
      world.revive(undefined)
      const stopped = yield* lived(folder, world, stop)
      expect(stopped?.summary).toMatchObject({ created: 0, adopted: 0, left: list.length })
      expect(world.paid).toEqual([])
      const end = yield* lived(folder, world)
      expect(end?.summary).toMatchObject({ failed: 0, left: 0 })
      expect(world.paid).toHaveLength(list.length)
      rmSync(folder, { recursive: true })
    }
  })
)

it.effect("keeps a suspect clip if the credit limit leaves nothing for a new take", () =>
  Effect.gen(function* () {
    for (const [maxCredits, created] of [
      [68, list.length],
      [100, list.length + 1]
    ] as const) {
      const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
      // The last two clips are fetched when all four creates have been paid for, with 68 credits.
      const audio = ["good", "good", "good", "long"] as const
      const world = new World({ creates: [], fates: [], audio, deaths: [], echoes: true })
      const end = yield* lived(folder, world, { maxCredits })
      expect(end?.summary).toMatchObject({
        created,
        failed: 0,
        left: 0,
        suspect: list.length + 1 - created,
        halt: undefined
      })
      expect(world.paid).toHaveLength(created)
      rmSync(folder, { recursive: true })
    }
  })
)

it.effect("asks again in the next run for audio whose download was refused, without paying again", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const refused = Array.from({ length: 2 * list.length }, () => "refused" as const)
    const world = new World({ ...calm, audio: refused })
    const first = yield* lived(folder, world)
    expect(first?.summary).toMatchObject({ created: list.length, failed: list.length })
    expect(Array.from(first?.standings.values() ?? [], ({ setback }) => setback?.words)).toEqual(
      list.map(() => "unusable audio from the service: its URL returned HTTP 403")
    )
    const next = yield* lived(folder, world)
    expect(next?.summary).toMatchObject({ created: 0, resumed: list.length, failed: 0, left: 0 })
    expect(world.paid).toHaveLength(list.length)
    rmSync(folder, { recursive: true })
  })
)

const lostFirst: Script = { ...calm, creates: ["lost-made"] }

it.effect("searches for a lost create in the next run, too, before sending it again", () =>
  Effect.gen(function* () {
    const searches: ReadonlyArray<readonly [World["history"], string]> = [
      [
        { lag: 0, isWhole: true, fault: new InvalidResponse({ words: "HTTP 500" }) },
        "the search for its task failed (no usable response from the service: HTTP 500)"
      ],
      [
        { lag: 0, isWhole: true, fault: new Refused({ reason: "unknown", words: "HTTP 404" }) },
        "the search for its task failed (the service does not know this voice or task: HTTP 404)"
      ],
      [
        { lag: 600_000, isWhole: true },
        "the search for its task failed (no usable response from the service: its history does not list tasks that it is known to have created)"
      ]
    ]
    for (const [history, why] of searches) {
      const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
      const world = new World(lostFirst)
      world.history = history
      const first = yield* lived(folder, world)
      expect(first?.summary).toMatchObject({ created: list.length - 1, failed: 1 })
      expect(Array.from(first?.standings.values() ?? [], ({ setback }) => setback?.words)).toContain(
        `no response to its create request, and ${why}; it may have been charged`
      )
      world.history = { lag: 0, isWhole: true }
      const next = yield* lived(folder, world)
      expect(next?.summary).toMatchObject({ created: 0, adopted: 1, failed: 0 })
      expect(world.paid).toHaveLength(list.length)
      rmSync(folder, { recursive: true })
    }
  })
)

it.effect("waits for a lagging history before sending a lost create again", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World(lostFirst)
    world.history = { lag: 20_000, isWhole: true }
    const end = yield* lived(folder, world)
    expect(end?.summary).toMatchObject({ created: list.length, failed: 0, warnings: [] })
    expect(world.paid).toHaveLength(list.length)
    rmSync(folder, { recursive: true })
  })
)

it.effect("does not send a lost create again if its task is listed later than all others", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World({ ...lostFirst, creates: ["lost-made", "taken", "lost-made"] })
    world.history = { lag: 0, lostLag: 20_000, isWhole: true }
    const end = yield* lived(folder, world)
    expect(end?.summary).toMatchObject({
      created: list.length,
      adopted: 0,
      failed: 0,
      credits: world.spent,
      halt: undefined
    })
    expect(world.paid).toHaveLength(list.length)
    rmSync(folder, { recursive: true })
  })
)

it.effect("does not take a history too long to read as proof that a task is missing", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World({ ...lostFirst, creates: ["lost-unmade"] })
    world.history = { lag: 0, isWhole: false }
    const end = yield* lived(folder, world)
    expect(end?.summary).toMatchObject({ created: list.length - 1, failed: 1 })
    expect(Array.from(end?.standings.values() ?? [], ({ setback }) => setback?.words)).toContain(
      "no response to its create request, and the service's history is too long to search; it may have been charged"
    )
    rmSync(folder, { recursive: true })
  })
)

it.effect("stops searching for lost tasks once the service counts as unreachable", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
    const world = new World(calm)
    const end = yield* lived(folder, world, { patience: "1 minute" }, mute)
    expect(end?.summary).toMatchObject({ left: list.length, failed: 0, halt: { reason: "unreachable" } })
    expect(Array.from(end?.standings.values() ?? [], ({ state }) => state).sort()).toEqual([
      ...["announced", "announced"],
      ...["planned", "planned"]
    ])
    rmSync(folder, { recursive: true })
  })
)
