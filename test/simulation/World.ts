/**
 * A batch in a simulated world: the service, the disk and the clock of its machine in one process and in simulated
 * time, with the real speak stage, store and gateway. A schedule decides everything, so it always ends alike.
 *
 * The model is the simulation testing of FoundationDB (https://apple.github.io/foundationdb/testing.html) and of
 * TigerBeetle (https://docs.tigerbeetle.com/concepts/safety/).
 */
import { copyAfterCrash, forgetClosedLog, onDiskEvent, setFull } from "./Disk.ts"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { dialectOf } from "../../src/domain/manifest/ServiceDialect.ts"
import { profileOf, ProviderProfile } from "../../src/domain/speech/ProviderProfile.ts"
import type { Utterance } from "../../src/domain/speech/Utterance.ts"
import { JobId, TaskId } from "../../src/domain/values/Ids.ts"
import { silent } from "../../src/pipeline/Progress.ts"
import { defaultSpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import { storedClipName } from "../../src/store/files/ClipReader.ts"
import { checksumOf } from "../../src/store/files/Checksum.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { writableState } from "../../src/store/state/StateDatabase.ts"
import { BatchSpending } from "../../src/store/tables/BatchSpending.ts"
import { Estimates } from "../../src/store/tables/Estimates.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { gatewayTo, linesOf, type Made, type Reply, repliesOf, soundOnly } from "../answers/AnswerWorld.ts"
import { drawService, type Faults } from "../answers/DrawnService.ts"
import { chance } from "../hostile/Chance.ts"
import { inSimulatedTime, makeSimulatedClock, type SimulatedClock } from "../SimulatedClock.ts"

/** Something that happens to a run: at an event of its disk or its network, counted from the run's start. */
export type Disturbance =
  | {
      readonly _tag: "Crash"
      readonly how: "kill" | "power cut"
      readonly at: number
      readonly pause: number
    }
  | { readonly _tag: "DiskFull"; readonly at: number }
  | { readonly _tag: "ClockSet"; readonly at: number; readonly by: number }
  /** The service loses a task that it was paid for. */
  | { readonly _tag: "TaskLost"; readonly at: number }

/** One run of a batch: which of the lines are wanted, and what happens meanwhile. */
export interface Run {
  readonly lines: ReadonlyArray<number>
  readonly disturbances: ReadonlyArray<Disturbance>
}

/** Everything that happens to a batch. */
export interface Schedule {
  readonly seed: number
  /** The shares of the service's faults. */
  readonly faults: Faults
  /** Milliseconds after which a task is listed. */
  readonly listedAfter: number
  readonly maxCredits: number | undefined
  /** The last one is undisturbed, and its service has no faults. */
  readonly runs: ReadonlyArray<Run>
}

/** How a schedule ended. */
export interface Outcome {
  /** Every task that the service was paid for. */
  readonly paid: ReadonlyArray<Made>
  /** Ids of the tasks that the service has lost. */
  readonly lost: ReadonlySet<string>
  /** Ids of the tasks that are in the state at the end. */
  readonly known: ReadonlySet<string>
  /** The last run's lines. */
  readonly lines: ReadonlyArray<{
    readonly text: string
    readonly state: string
    readonly reason: string | undefined
    /** The checksum of its clip. */
    readonly clip: string | undefined
  }>
  /** Why each run stopped: a reason of the run, or an error of its state. */
  readonly halts: ReadonlyArray<string>
  /** Simulated seconds of the longest run. */
  readonly seconds: number
}

/** In memory, if the system has such a folder: databases sync when they are closed. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

export const allLines: ReadonlyArray<Utterance> = linesOf(6)

/** The service of a schedule. It outlives the runs of the batch. */
const makeService = ({ seed, faults, listedAfter }: Schedule) => {
  const drawn = drawService(seed)
  Object.assign(drawn.faults, faults)
  const made: Array<Made> = []
  const lost = new Set<string>()
  const unknown: Reply = { status: 404, body: { message: "no such task" } }
  const reply = repliesOf(
    {
      ...drawn,
      look: (task, now, looks) => (lost.has(task.id) ? unknown : drawn.look(task, now, looks)),
      list: (tasks, now) =>
        drawn.list(
          tasks.filter(({ id, madeAt }) => !lost.has(id) && now - madeAt >= listedAfter),
          now
        ),
      fetch: (task) => (lost.has(task.id) ? unknown : drawn.fetch(task))
    },
    made
  )
  return { made, lost, reply, faults: drawn.faults }
}

/** What happens while a run is under way. */
const makeEvents = (
  run: Run,
  service: ReturnType<typeof makeService>,
  time: SimulatedClock,
  onCrash: (how: "kill" | "power cut") => void
) => {
  let events = 0
  let crash: Extract<Disturbance, { _tag: "Crash" }> | undefined
  const next = (): void => {
    events++
    for (const disturbance of run.disturbances) {
      if (disturbance.at !== events || crash !== undefined) continue
      switch (disturbance._tag) {
        case "Crash":
          crash = disturbance
          onCrash(disturbance.how)
          break
        case "DiskFull":
          setFull(true)
          break
        case "ClockSet":
          time.setTime(disturbance.by)
          break
        case "TaskLost": {
          const task = service.made.at(-1)
          if (task !== undefined) service.lost.add(task.id)
        }
      }
    }
  }
  return { next, crash: () => crash }
}

/** The network between a run and the service: a request and its answer are events. A dead run reaches nothing. */
const gatewayOf = (
  service: ReturnType<typeof makeService>,
  events: ReturnType<typeof makeEvents>,
  time: SimulatedClock
) => {
  const isDead = () => {
    events.next()
    return events.crash() !== undefined
  }
  return gatewayTo(defaultDialect, (request) => {
    if (isDead()) return "refused-connection"
    const reply = service.reply(request, time.now())
    return isDead() ? "reset" : reply
  })
}

const concurrency = 3

/** Speaks the lines of one run in an open state. */
const speakLines = (list: ReadonlyArray<Utterance>, maxCredits: number | undefined) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const spending = yield* BatchSpending
    yield* spending.begin("b")
    const keys = list.map(({ key }) => key)
    const uses = (job: string, some: ReadonlyArray<Utterance>) => ({
      job: JobId.make(job),
      utterances: some.map((utterance, at) => ({ utterance, label: `${job} #${at + 1}` }))
    })
    // Two jobs share a line.
    yield* store.plan("b", [uses("one", list), uses("two", list.slice(-1))])
    const spent = yield* spending.spent("b")
    const { halt } = yield* speakUtterances({
      ...defaultSpeakSettings,
      keys,
      dialect: defaultDialect,
      maxCredits,
      spentBefore: spent.reduce((sum, { credits, unpriced }) => sum + credits + unpriced, 0),
      profileOf: (provider) =>
        ProviderProfile.make({ ...profileOf(provider), concurrency, creditsPerCharacter: 1 })
    })
    return halt?.words ?? ""
  })

const stateOf = (folder: string) =>
  Layer.mergeAll(UtteranceStore.Default, ClipFolder.Default, Estimates.Default, BatchSpending.Default).pipe(
    Layer.provideMerge(writableState(folder))
  )

/** Runs a schedule to its end. */
export const runSchedule = (schedule: Schedule): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const draw = chance(schedule.seed ^ 0x5eed)
    const root = mkdtempSync(join(memory, "dubwright-"))
    const service = makeService(schedule)
    const time = makeSimulatedClock(1_000_000_000_000)
    const halts: Array<string> = []
    let [folders, longest] = [0, 0]
    let folder = join(root, `${folders}`)
    mkdirSync(join(folder, "clips"), { recursive: true })
    writeFileSync(join(folder, "state.sqlite"), yield* emptyState)
    for (const [at, run] of schedule.runs.entries()) {
      if (at === schedule.runs.length - 1) Object.assign(service.faults, noFaults)
      const list = run.lines.flatMap((line) => allLines[line] ?? [])
      const following = join(root, `${++folders}`)
      const events = makeEvents(run, service, time, (how) => copyAfterCrash(folder, following, how, draw))
      const stopListening = onDiskEvent(events.next)
      forgetClosedLog(folder)
      const world = Layer.mergeAll(stateOf(folder), gatewayOf(service, events, time), silent, soundOnly)
      const started = time.now()
      const exit = yield* Effect.exit(
        inSimulatedTime(time, Effect.provide(speakLines(list, schedule.maxCredits), world), {
          idleTurns: 2,
          isStopped: () => events.crash() !== undefined
        })
      )
      stopListening()
      setFull(false)
      longest = Math.max(longest, (time.now() - started) / 1000)
      const crash = events.crash()
      if (crash === undefined) {
        if (Exit.isFailure(exit) && Option.isNone(Cause.failureOption(exit.cause)))
          return yield* Effect.failCause(exit.cause).pipe(Effect.orDie)
        halts.push(
          Exit.match(exit, { onSuccess: (words) => words, onFailure: (cause) => Cause.pretty(cause) })
        )
        continue
      }
      rmSync(folder, { recursive: true })
      folder = following
      yield* inSimulatedTime(time, Effect.sleep(crash.pause), { idleTurns: 1 })
    }
    const end = yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      const wanted = schedule.runs.at(-1)?.lines.flatMap((line) => allLines[line] ?? []) ?? []
      const standings = yield* store.standings(wanted.map(({ key }) => key))
      const lines = wanted.map(({ key, text }) => {
        const clip = join(folder, "clips", storedClipName(key))
        const standing = standings.get(key)
        return {
          text,
          state: standing?.state ?? "unknown",
          reason: standing?.setback?.words,
          clip: existsSync(clip) ? checksumOf(readFileSync(clip)) : undefined
        }
      })
      return { lines, known: yield* store.ours(service.made.map(({ id }) => TaskId.make(id))) }
    }).pipe(Effect.provide(stateOf(folder)))
    rmSync(root, { recursive: true })
    return { paid: service.made, lost: service.lost, ...end, halts, seconds: longest }
  }).pipe(Effect.scoped, Effect.orDie)

export const noFaults: Faults = { create: 0, look: 0, list: 0, audio: 0, swap: 0 }

const defaultDialect = dialectOf(undefined, undefined)

/** A state without anything in it, which every schedule starts from. */
const emptyState: Effect.Effect<Uint8Array> = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const folder = mkdtempSync(join(memory, "dubwright-"))
      yield* Effect.provide(Effect.void, writableState(folder))
      const bytes = readFileSync(join(folder, "state.sqlite"))
      rmSync(folder, { recursive: true })
      return bytes
    }).pipe(Effect.orDie)
  )
)
