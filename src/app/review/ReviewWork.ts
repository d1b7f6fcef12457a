/** Work of a review: makes takes, saves accepted changes and delivers them. */
import { statSync } from "node:fs"
import { Effect, Clock, Data, Schedule, Layer, RcMap, Schema, Scope, Queue } from "effect"
import { reviewFailed } from "../../pipeline/review/ReviewFailed.ts"
import { soundOf, rewriteBatch } from "../../pipeline/review/ReviewPages.ts"
import { planVoice } from "../../pipeline/review/ReviewVoices.ts"
import { type ReviewChanges } from "../../pipeline/review/ReviewEdits.ts"
import { loadBatchInput, type BatchOptions } from "../batch/BatchInput.ts"
import { exitCodeFor } from "../ExitCodes.ts"
import { type Route } from "./ReviewRoutes.ts"
import { Screen } from "../terminal/Screen.ts"
import { join } from "node:path"
import {
  type ApprovalRequest,
  type DeliveryStanding,
  type ReviewEdits,
  type Take
} from "../../pages/data/ReviewProtocol.ts"
import { previewOf, type PlacedTake } from "../../pipeline/review/TakePreview.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import type { SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import { cueEntries, type OverridesEntry } from "../../pipeline/load/OverridesFile.ts"
import { cueDigest, jobDigest, shownApprovals } from "../../pipeline/report/Approvals.ts"
import { reportIn } from "../../pipeline/report/ReportFile.ts"
import { shapeChange, type Shape } from "../../pipeline/review/ReviewShapes.ts"
import {
  changesFor,
  changesToAccept,
  changesToWithdraw,
  deliverEdited,
  prepareEdit,
  makeTake,
  type HeardChanges
} from "../../pipeline/review/ReviewSession.ts"
import { moveAcross, saveChanges } from "../../pipeline/review/ReviewHistory.ts"
import { makePlanMemory } from "../../pipeline/review/PlanMemory.ts"
import { makeReviewMemory } from "../../pipeline/review/ReviewMemory.ts"
import { StateBusy } from "../../store/state/StateErrors.ts"
import { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import type { Engine } from "../../engines/Engine.ts"
import { gatewayAt } from "../../library/layers/GatewayLayers.ts"
import { silent } from "../../pipeline/Progress.ts"
import { bundledPlace, gatewayTo } from "../layers/GatewayLayer.ts"
import { writableStateLayer } from "../../store/tables/StateLayers.ts"

/** The URL names a job or file that does not exist in the review. */
export class NoSuchPage extends Data.TaggedError("NoSuchPage") {
  override get message(): string {
    return "no such page"
  }
}

/** Returns a job by its id. */
export const jobIn = (batch: Batch, id: string) => {
  const job = batch.jobs.find((one) => one.id === id)
  return job === undefined ? Effect.fail(new NoSuchPage()) : Effect.succeed(job)
}

/** A change to a cue. */
type Change = Extract<Route, { readonly _tag: "Change" }>

/** Undo or redo. */
type Step = Extract<Route, { readonly _tag: "Step" }>["step"]

/** Changes to a job's cues as entries of the file. The approvals of these cues no longer apply. */
const changeEntries = ({ id, approvals }: Job, changes: ReviewChanges, cues: ReadonlyArray<number>) => [
  ...cueEntries(id, changes),
  ...cues
    .filter((cue) => approvals?.cues?.[`${cue}`] !== undefined)
    .map((cue): OverridesEntry => ({ path: ["approved", id, "cues", `${cue}`], value: undefined }))
]

export type ReviewWork = Effect.Effect.Success<ReturnType<typeof makeReviewWork>>

/** Starts the background work of a review, which ends with the scope. */
export const makeReviewWork = Effect.fnUntraced(function* (options: BatchOptions, by: string) {
  const screen = yield* Screen
  const scope = yield* Effect.scope
  const { stateOf, speechOf, warm, load } = yield* makeReviewState
  /** One take at a time, so that the same text requested twice is paid for once. */
  const speaking = yield* Effect.makeSemaphore(1)
  /** One save at a time, so that each sees the previous one. */
  const saving = yield* Effect.makeSemaphore(1)
  /** The last take of each cue: accepting it needs no second check. */
  const heard = new Map<string, { readonly edits: string; readonly changes: HeardChanges }>()

  const planned = makePlanMemory()
  /** The last take of all, for its preview. */
  let last:
    | { readonly batch: Batch; readonly id: string; readonly cue: number; readonly placed: PlacedTake }
    | undefined

  const memory = yield* makeReviewMemory(yield* loadBatchInput(options))

  const sounds = makeSoundCounts()

  const deliver = Effect.fnUntraced(function* (id: string, cues: ReadonlySet<number>) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    yield* Effect.gen(function* () {
      const plan = yield* speaking.withPermits(1)(prepareEdit(speechOf(batch), batch, job, [...cues]))
      yield* deliverEdited(batch, plan)
    }).pipe(Effect.provide(stateOf(batch)))
    yield* rewriteBatch(batch, job)
  })
  const deliveries = yield* makeDeliveries((job, cues, tell) =>
    deliver(job, cues).pipe(
      Effect.tapErrorTag("StateBusy", (busy) => Effect.sync(() => tell(busy.message))),
      Effect.retry({
        while: (error) => error instanceof StateBusy,
        schedule: Schedule.spaced("2 seconds")
      }),
      Effect.as(undefined),
      Effect.catchAll((error) => Effect.succeed(exitCodeFor(error).message)),
      Effect.catchAllDefect((defect) => Effect.succeed(exitCodeFor(defect).message))
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      deliveries.left(),
      (job) => screen.say(`${job}: accepted changes are saved but not delivered; the next run delivers them`),
      { discard: true }
    )
  )

  /** A job as its files are now. */
  const present = Effect.fnUntraced(function* (id: string) {
    const batch = yield* loadBatchInput(options)
    return { batch, job: yield* jobIn(batch, id) }
  })

  /** Queues a delivery of cues. */
  const request = Effect.fnUntraced(function* (
    { out, jobs }: Batch,
    id: string,
    cues: ReadonlyArray<number>
  ) {
    const job = jobs.find((one) => one.id === id)
    const sound = job === undefined ? undefined : yield* soundOf(out, job)
    if (sound !== undefined) sounds.watch(id, join(out, id, sound))
    return yield* deliveries.request(id, cues)
  })

  const take = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, edits: ReviewEdits) {
    const { batch, job } = yield* present(id)
    const { take, changes, placed } = yield* Effect.provide(
      makeTake(speechOf(batch), batch, job, yield* planned(batch, job), cue, edits, change === "take"),
      stateOf(batch)
    )
    last = { batch, id, cue, placed }
    yield* memory.hear(id, cue, edits)
    heard.set(`${id}/${cue}`, { edits: JSON.stringify(edits), changes })
    return take
  }, speaking.withPermits(1))

  /** Mixes the programme around the last take, if it was of this cue. */
  const preview = Effect.fnUntraced(function* (id: string, cue: number) {
    if (last?.id !== id || last.cue !== cue) return undefined
    const { batch, placed } = last
    return yield* Effect.provide(previewOf(batch, placed), stateOf(batch))
  })

  /** Saves entries of the overrides file as one change, and queues the delivery of the cues that it concerns. */
  const keep = Effect.fnUntraced(function* (
    batch: Batch,
    id: string,
    cues: ReadonlyArray<number>,
    entries: ReadonlyArray<OverridesEntry>
  ) {
    yield* memory.add(id, yield* saveChanges(batch.manifest, cues, entries))
    for (const cue of cues) heard.delete(`${id}/${cue}`)
    last = undefined
    return yield* request(batch, id, cues)
  })

  const save = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, edits: ReviewEdits) {
    const { batch, job } = yield* present(id)
    if (change === "withdraw")
      return yield* keep(batch, id, [cue], changeEntries(job, changesToWithdraw(job, cue), [cue]))
    const last = heard.get(`${id}/${cue}`)
    const changes =
      last?.edits === JSON.stringify(edits)
        ? last.changes
        : yield* changesFor(speechOf(batch), batch, job, cue, edits).pipe(
            Effect.provide(stateOf(batch)),
            speaking.withPermits(1)
          )
    return yield* keep(batch, id, [cue], changeEntries(job, changesToAccept(job, changes), [cue]))
  }, saving.withPermits(1))

  const shape = Effect.fnUntraced(function* ({ job: id, cue }: { job: string; cue: number }, wanted: Shape) {
    const { batch, job } = yield* present(id)
    const { changes, cues } = yield* shapeChange(batch, job, cue, wanted)
    return yield* keep(batch, id, cues, changeEntries(job, changes, cues))
  }, saving.withPermits(1))

  const voicePrice = Effect.fnUntraced(function* (id: string, voice: SpeakerVoice) {
    const { batch, job } = yield* present(id)
    return (yield* Effect.provide(planVoice(batch, job, voice), [stateOf(batch), speechOf(batch)])).price
  })

  const saveVoice = Effect.fnUntraced(function* (id: string, voice: SpeakerVoice) {
    const { batch, job } = yield* present(id)
    const { entries, cues } = yield* Effect.provide(planVoice(batch, job, voice), [
      stateOf(batch),
      speechOf(batch)
    ])
    return yield* keep(batch, id, cues, entries)
  }, saving.withPermits(1))

  const approve = Effect.fnUntraced(function* (
    id: string,
    { cues = [], job: whole, approved }: ApprovalRequest
  ) {
    const { batch, job } = yield* present(id)
    const report = yield* reportIn(batch.out, job.id)
    if (report === undefined)
      return yield* reviewFailed(`job ${id} has no readable report; run the batch first`)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString().replace(/\.\d+Z$/u, "Z")
    const approval = (of: string) => (approved ? { by, at, of } : undefined)
    const entries = [
      ...report.cues
        .filter(({ index }) => cues.includes(index))
        .map((cue): OverridesEntry => ({
          path: ["approved", id, "cues", `${cue.index}`],
          value: approval(cueDigest(cue))
        })),
      ...(whole === true
        ? [{ path: ["approved", id, "job"], value: approval(jobDigest(report)) } satisfies OverridesEntry]
        : [])
    ]
    yield* memory.add(id, yield* saveChanges(batch.manifest, [], entries))
    const after = yield* present(id)
    return { ...standing(id), approvals: shownApprovals(report, after.job.approvals) }
  }, saving.withPermits(1))

  const step = Effect.fnUntraced(function* (id: string, direction: Step) {
    const { batch, job } = yield* present(id)
    const last = memory.last(id, direction)
    if (last === undefined) return yield* reviewFailed(`there is no change to ${direction}`)
    yield* moveAcross(batch.manifest, last, direction)
    yield* memory.step(id, direction)
    for (const cue of last.cues) heard.delete(`${id}/${cue}`)
    if (last.cues.length > 0) yield* request(batch, id, last.cues)
    const report = yield* reportIn(batch.out, job.id)
    const after = yield* present(id)
    return {
      ...standing(id),
      ...(report === undefined ? {} : { approvals: shownApprovals(report, after.job.approvals) })
    }
  }, saving.withPermits(1))

  /** The delivery status of a job's changes, and whether there are changes to undo or redo. */
  const standing = (id: string): DeliveryStanding => ({
    ...deliveries.standing(id),
    sounds: sounds.of(id),
    canUndo: memory.last(id, "undo") !== undefined,
    canRedo: memory.last(id, "redo") !== undefined
  })

  return {
    /** Undoes the last change of a job, or redoes the last undone. */
    step,
    approve,
    voicePrice,
    saveVoice,
    /** Splits, joins or moves a cue. */
    shape,
    /** Makes a take, or saves a change and queues its delivery. */
    change: (asked: Change, edits: ReviewEdits) =>
      asked.change === "take" || asked.change === "replay"
        ? Effect.map(
            take(asked, edits),
            (made): Take | Effect.Effect.Success<ReturnType<typeof save>> => made
          )
        : save(asked, edits),
    preview,
    planned,
    standing,
    /** Prepares the speech for an edit, in the background. */
    prepare: (batch: Batch) =>
      Effect.forkIn(
        Effect.zipRight(Effect.ignore(warm(batch)), Effect.ignore(speaking.withPermits(1)(load(batch)))),
        scope
      ),
    /** The takes of a cue that were heard. */
    takesOf: memory.takesOf
  }
})

/**
 * The engines that need no settings, for all takes of a review: to start one takes longer than to speak a line. Their
 * threads begin with the first line, and are closed after a quarter of an hour without one.
 */
const keptEngines = Effect.gen(function* () {
  const { makeEspeakEngine } = yield* Effect.promise(() => import("../../engines/local/EspeakEngine.ts"))
  const { makeFliteEngine } = yield* Effect.promise(() => import("../../engines/local/FliteEngine.ts"))
  return new Map<string, Engine>([
    ["espeak", yield* makeEspeakEngine({ idle: "15 minutes" })],
    ["flite", yield* makeFliteEngine({ idle: "15 minutes", size: 1 })]
  ])
})

/**
 * A state folder has one writer, so a take and a delivery at the same time share it. The service is apart: most
 * deliveries speak nothing, and do not start it. It also locks its data, so only its engines outlive a request.
 */
const makeReviewState = Effect.gen(function* () {
  const states = yield* RcMap.make({
    lookup: (state: string) => Layer.build(Layer.merge(writableStateLayer(state), silent))
  })
  const scope = yield* Effect.scope
  const engines = yield* Effect.cached(Effect.provideService(keptEngines, Scope.Scope, scope))
  const services = yield* RcMap.make({
    lookup: (key: string) => {
      const [state = "", address] = key.split("\n")
      const dataDir = join(state, "service")
      return Layer.build(
        address === undefined
          ? gatewayAt(bundledPlace(dataDir, engines))
          : gatewayTo(readRemote(address), dataDir)
      )
    }
  })
  const loaded = yield* Effect.cachedFunction((state: string) => Effect.scoped(RcMap.get(services, state)))
  return {
    /** Starts the engine of most bundled voices, if the batch uses the bundled service. */
    warm: ({ service }: Batch) =>
      service === "embedded"
        ? Effect.flatMap(engines, (kept) => kept.get("espeak")?.check ?? Effect.void)
        : Effect.void,
    /** Starts and releases a batch's bundled service, once, so that its code is loaded. Not while it is in use. */
    load: ({ state, service }: Batch) => (service === "embedded" ? loaded(state) : Effect.void),
    /** Returns a layer with the state of a batch. */
    stateOf: ({ state }: Batch) => Layer.scopedContext(RcMap.get(states, state)),
    /** Returns a layer with the service of a batch, which starts it when it is built. */
    speechOf: ({ state, service }: Batch) =>
      Layer.scopedContext(
        RcMap.get(services, service === "embedded" ? state : `${state}\n${JSON.stringify(service)}`)
      )
  }
})

/** Reads a remote service from its key in the map. */
const readRemote = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({ baseUrl: Schema.String, dialect: Schema.optionalWith(Dialect, { exact: true }) })
  )
)

interface WatchedSound {
  readonly path: string
  readonly version: string | undefined
  readonly count: number
}

/** Makes the counts of a review, which begin at 0. */
export const makeSoundCounts = () => {
  const sounds = new Map<string, WatchedSound>()
  const seen = (job: string, path: string): WatchedSound => {
    const before = sounds.get(job)
    // Between two renames, there may be no file.
    const version = versionOf(path) ?? before?.version
    const isOther = before !== undefined && (before.version !== version || before.path !== path)
    const now = { path, version, count: (before?.count ?? 0) + (isOther ? 1 : 0) }
    sounds.set(job, now)
    return now
  }
  return {
    /** Begins to count the versions of a job's file. Call it before a delivery. */
    watch: (job: string, path: string): void => void seen(job, path),
    /** How often the job's sound was seen to have changeEntries. */
    of: (job: string): number => {
      const known = sounds.get(job)
      return known === undefined ? 0 : seen(job, known.path).count
    }
  }
}

/** Differs for each version of a file: a delivery puts another file in its place. Links to it do not count. */
const versionOf = (path: string): string | undefined => {
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs}`
  } catch {
    return undefined
  }
}

/**
 * Background delivery of accepted changes: one job at a time. A change is delivered at once; those that a job gets
 * meanwhile are delivered together after it.
 */

interface Entry {
  /** Cues changeEntries since the job's last delivery began. */
  cues: Set<number>
  /** Whether the job is queued. */
  waits: boolean
  standing: DeliveryStanding
}

/**
 * Starts the worker. It ends with the scope, which interrupts a delivery in progress. `deliver` returns why it failed,
 * or undefined; it calls `tell` with the reason for a wait.
 */
export const makeDeliveries = Effect.fnUntraced(function* <R>(
  deliver: (
    job: string,
    cues: ReadonlySet<number>,
    tell: (words: string) => void
  ) => Effect.Effect<string | undefined, never, R>
) {
  const jobs = new Map<string, Entry>()
  const line = yield* Queue.unbounded<readonly [job: string, entry: Entry]>()

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        const [job, entry] = yield* Queue.take(line)
        const { cues } = entry
        const { ended } = entry.standing
        entry.cues = new Set()
        entry.waits = false
        entry.standing = { state: "delivering", ended }
        const error = yield* deliver(job, cues, (words) => {
          entry.standing = { state: "delivering", ended, words }
        })
        // The next delivery includes the cues of a failed one.
        if (error !== undefined) for (const cue of cues) entry.cues.add(cue)
        entry.standing = {
          ...(error === undefined ? {} : { words: error }),
          state: entry.waits ? "delivering" : error === undefined ? "delivered" : "failed",
          ended: ended + 1
        }
      })
    )
  )

  return {
    /** Requests a delivery of a job after a saved change to cues. */
    request: (job: string, cues: ReadonlyArray<number>): Effect.Effect<DeliveryStanding> =>
      Effect.sync(() => {
        const entry = jobs.get(job) ?? {
          cues: new Set(),
          waits: false,
          standing: { state: "delivered", ended: 0 }
        }
        jobs.set(job, entry)
        for (const cue of cues) entry.cues.add(cue)
        entry.standing = { state: "delivering", ended: entry.standing.ended }
        if (!entry.waits) Queue.unsafeOffer(line, [job, entry])
        entry.waits = true
        return entry.standing
      }),
    /** The delivery status of a job. */
    standing: (job: string): DeliveryStanding => jobs.get(job)?.standing ?? { state: "delivered", ended: 0 },
    /** Jobs with undelivered changes. */
    left: (): ReadonlyArray<string> =>
      [...jobs].filter(([, { standing }]) => standing.state !== "delivered").map(([job]) => job)
  }
})
