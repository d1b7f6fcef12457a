/**
 * Runs a planned batch: registers its utterances, speaks them, and delivers each job once its last utterance is
 * fetched. The steps appear here from top to bottom.
 */
import { Cause, Effect, Fiber, Layer, Option } from "effect"
import type { JobId, UtteranceKey } from "../domain/values/Ids.ts"
import type { RunReport } from "../domain/report/Report.ts"
import type { UtteranceUse } from "../domain/speech/Utterance.ts"
import { Gateway } from "../gateway/Gateway.ts"
import { Deliveries } from "../store/tables/Deliveries.ts"
import { CompletedBatches } from "../store/tables/CompletedBatches.ts"
import { Estimates } from "../store/tables/Estimates.ts"
import { BatchSpending } from "../store/tables/BatchSpending.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"
import { hasGivenUp } from "../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../store/tables/UtteranceStore.ts"
import { registerBatch } from "./run/BatchRegistration.ts"
import { unchosenLanguages } from "./plan/BilingualNotices.ts"
import { localExecutor, type RunExecutor } from "./run/RunExecutor.ts"
import type { Batch } from "./load/Job.ts"
import { warnOfForeignRun } from "./run/PreviousRun.ts"
import type { BatchPlan, JobPlan } from "./plan/BatchPlan.ts"
import { checkService, withinReadLimit } from "./plan/ServicePreflight.ts"
import { Progress, type ProgressEvent } from "./Progress.ts"
import { openFolder } from "./report/ResultFolder.ts"
import { rememberSources, warnOfReread } from "./run/ReadingChanges.ts"
import { planRetakes } from "./place/Retakes.ts"
import { type RunStart, startRun, finishEarly, finishRun, nothingSpoken } from "./run/RunCompletion.ts"
import { dearestBy, priceLookup } from "./speak/CreditBudget.ts"
import type { ServiceAbsent } from "./plan/ServicePresence.ts"
import { type Deadline, type SpeakSummary, defaultSpeakSettings } from "./speak/SpeakSettings.ts"
import { RunCounters } from "./run/RunCounters.ts"
import { tasksInFlight } from "./speak/TasksInFlight.ts"
import { rememberCompletion } from "./run/NoopCheck.ts"

/** Options of a run. */
export interface DubOptions {
  /** Maximum credits that the batch may spend, including those of its earlier, interrupted runs. */
  readonly maxCredits?: number | undefined
  /** The run starts no new work after this time. */
  readonly deadline?: Deadline | undefined
  /** A digest of the batch's files. If given, a completed run is recorded, so that an unchanged one can end early. */
  readonly sources?: string | undefined
  /** Speaks and delivers; defaults to this process. */
  readonly executor?: RunExecutor | undefined
}

type SettledOptions = DubOptions & { readonly executor: RunExecutor }

/** Runs a batch. Connects to the service only if something is left to speak. */
export const dub = Effect.fn("Dub.dub")(function* <E, R>(
  plan: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: DubOptions = {}
) {
  const { batch } = plan
  const start = yield* startRun
  const counters = new RunCounters()
  const progress = yield* Progress
  yield* openFolder(batch.out)
  const settled = { ...options, executor: options.executor ?? localExecutor }
  return yield* Effect.scoped(run(plan, service, settled, start, counters)).pipe(
    Effect.provideService(Progress, {
      emit: (event) => Effect.suspend(() => (counters.hear(event), progress.emit(event)))
    }),
    Effect.onError((cause) => {
      const stopped = stoppedBy(cause)
      return stopped === undefined ? Effect.void : finishEarly(batch, start, counters, stopped)
    })
  )
})

/** Why a run ended early, for run.json; undefined for failures before any work was done. */
const stoppedBy = (cause: Cause.Cause<unknown>): RunReport["stopped"] => {
  if (Cause.isInterruptedOnly(cause))
    return { reason: "interrupted", words: "the run was interrupted; run again to resume" }
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return failure instanceof StateUnusable ? { reason: "state", words: failure.message } : undefined
}

const run = Effect.fnUntraced(function* <E, R>(
  plan: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: SettledOptions,
  start: RunStart,
  counters: RunCounters
) {
  const { batch, utterances } = plan
  yield* warnOfForeignRun(batch)
  const spending = yield* BatchSpending
  const finished = yield* CompletedBatches
  yield* spending.begin(batch.key)
  yield* finished.forget(batch.key)
  yield* options.executor.begin(plan)
  yield* warnOfReread(plan)
  const waiting = yield* registerBatch(plan)
  yield* rememberSources(plan)
  const delivering = yield* deliveryOf(plan, waiting, options.executor, counters)
  const reached = yield* Layer.memoize(service)

  const spoken =
    waiting.size === 0
      ? nothingSpoken(utterances.length)
      : yield* speakAll(plan, options, counters).pipe(
          Effect.catchTag("ServiceAbsent", (absent) => unspoken(plan, waiting, absent)),
          Effect.provideService(Progress, delivering.watching),
          Effect.provide(reached)
        )
  const { takes, summary } = yield* secondTakes(plan, reached, options, spoken.summary)
  const ends = yield* delivering.finish(takes)
  const result = yield* finishRun(batch, start, { ...spoken, summary }, ends)
  if (options.sources !== undefined) yield* rememberCompletion(plan, options.sources, result.jobs)
  return result
})

/** Speaks everything that is left, and reads the account's credits before and after. */
const speakAll = Effect.fnUntraced(function* (
  plan: BatchPlan,
  options: SettledOptions,
  counters: RunCounters
) {
  const gateway = yield* Gateway
  const unsent = yield* unsentOf(plan)
  const unchosen = unchosenLanguages(plan, unsent, priceLookup(plan.batch.profileOf, yield* Estimates))
  if (unchosen !== undefined) return yield* unchosen
  yield* checkService(plan, unsent)
  const credits = Effect.map(Effect.option(withinReadLimit(gateway.reads.credits)), (read) =>
    read._tag === "Some" ? read.value.credits : undefined
  )
  const before = yield* credits
  counters.credits = before
  const keys = plan.utterances.map(({ key }) => key)
  const summary = yield* options.executor.speak(yield* settingsOf(plan.batch, keys, options), plan)
  const after = yield* credits
  return {
    summary,
    credits: { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  }
})

/** The result of speaking when the service is absent: jobs with all their clips are delivered, the rest is left. */
const unspoken = Effect.fnUntraced(function* (
  { utterances }: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, unknown>,
  { message }: ServiceAbsent
) {
  const store = yield* UtteranceStore
  const progress = yield* Progress
  yield* progress.emit({ _tag: "Stopping", why: message })
  const failed = [...(yield* store.standings([...waiting.keys()])).values()].filter(hasGivenUp).length
  const { summary, credits } = nothingSpoken(utterances.length - waiting.size)
  const halt = { reason: "unreachable", words: message } as const
  return { summary: { ...summary, failed, left: waiting.size - failed, halt }, credits }
})

/** Utterances that are certain to be sent: planned, or failed for a passing reason, and not in flight. */
const unsentOf = Effect.fnUntraced(function* ({ utterances }: BatchPlan) {
  const store = yield* UtteranceStore
  const standings = yield* store.standings(utterances.map(({ key }) => key))
  const inFlight = yield* tasksInFlight(standings)
  return utterances.filter(({ key }) => {
    const standing = standings.get(key)
    return (
      standing !== undefined &&
      (standing.state === "planned" || standing.state === "failed") &&
      !inFlight.has(key) &&
      !hasGivenUp(standing)
    )
  })
})

/** The settings of the speak stage, with the credits that the batch has spent so far. */
const settingsOf = Effect.fnUntraced(function* (
  { key, profileOf, undecided, service, state }: Batch,
  keys: ReadonlyArray<UtteranceKey>,
  { maxCredits, deadline }: DubOptions
) {
  const spending = yield* BatchSpending
  const learned = yield* Estimates
  const price = dearestBy(profileOf, learned)
  const spentBefore = (yield* spending.spent(key)).reduce(
    (sum, { casting, credits, unpriced }) => sum + credits + unpriced * price(casting),
    0
  )
  return {
    ...defaultSpeakSettings,
    keys,
    profileOf,
    undecided,
    maxCredits,
    spentBefore,
    deadline,
    ...(service === "embedded" ? { folder: state } : {})
  }
})

/** Delivers each job as soon as its last utterance is spoken or failed, while other jobs are still being spoken. */
const deliveryOf = Effect.fnUntraced(function* (
  { batch, jobs }: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, ReadonlyArray<JobPlan>>,
  executor: RunExecutor,
  counters: RunCounters
) {
  const deliveries = yield* Deliveries
  const progress = yield* Progress
  const past = yield* deliveries.all(batch.out)
  const turn = yield* Effect.makeSemaphore(executor.deliveriesAtOnce)
  const deliverOne = (plan: JobPlan, takes: ReadonlyArray<UtteranceUse> = []) =>
    Effect.tap(turn.withPermits(1)(executor.deliver(plan, takes, batch.out, past)), (result) =>
      Effect.sync(() => counters.ends.set(plan.job.id, result))
    )
  type Delivering = Effect.Effect.Success<ReturnType<typeof fork>>
  const fork = (plan: JobPlan) => Effect.forkScoped(deliverOne(plan))
  const early = new Map<JobId, Delivering>()
  const missing = new Map<JobId, number>()
  for (const plans of waiting.values())
    for (const { job } of plans) if (!job.retake) missing.set(job.id, (missing.get(job.id) ?? 0) + 1)
  const runtime = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof fork>>>()

  // Jobs with nothing left to speak are delivered at once. Those that an earlier run delivered are found unchanged.
  for (const plan of jobs)
    if (!plan.job.retake && !missing.has(plan.job.id)) early.set(plan.job.id, yield* fork(plan))

  const settled = Effect.fnUntraced(function* (key: UtteranceKey) {
    for (const plan of waiting.get(key) ?? []) {
      const left = (missing.get(plan.job.id) ?? 0) - 1
      missing.set(plan.job.id, left)
      if (left === 0) early.set(plan.job.id, yield* Effect.provide(fork(plan), runtime))
    }
  })
  const emit = (event: ProgressEvent) =>
    event._tag === "Spoken" || event._tag === "Failed"
      ? Effect.zipRight(progress.emit(event), settled(event.utterance))
      : progress.emit(event)
  return {
    /** Progress for the speak stage: forwards every event, and starts deliveries that are ready. */
    watching: { emit },
    /** Waits for running deliveries and delivers the remaining jobs. Returns results in the batch's order. */
    finish: (takes: ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>) =>
      Effect.forEach(
        jobs,
        (plan) => {
          const delivering = early.get(plan.job.id)
          return delivering === undefined ? deliverOne(plan, takes.get(plan.job.id)) : Fiber.join(delivering)
        },
        { concurrency: executor.deliveriesAtOnce }
      )
  }
})

/**
 * Speaks retakes of lines that did not fit, for jobs with `fit.retake`. Cached retakes are reused; new ones stay within
 * the remaining budget. If a retake fails, its line keeps the first take.
 */
const secondTakes = Effect.fnUntraced(function* <E, R>(
  { batch, jobs, utterances }: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: SettledOptions,
  first: SpeakSummary
) {
  const takes = new Map<JobId, ReadonlyArray<UtteranceUse>>()
  for (const plan of jobs) {
    const wanted = yield* planRetakes(plan, batch)
    if (wanted.length > 0) takes.set(plan.job.id, wanted)
  }
  if (takes.size === 0 || first.halt !== undefined) return { takes, summary: first }
  // Lines with the same utterance share one retake.
  const again = [
    ...new Map([...takes.values()].flat().map(({ utterance }) => [utterance.key, utterance])).values()
  ]
  const waiting = yield* registerBatch({
    batch,
    jobs: jobs.map((plan) => ({ ...plan, uses: [...plan.uses, ...(takes.get(plan.job.id) ?? [])] })),
    utterances: [...utterances, ...again]
  })
  const missing = again.map(({ key }) => key).filter((key) => waiting.has(key))
  if (missing.length === 0) return { takes, summary: first }
  const second = yield* Effect.provide(
    options.executor.speak(yield* settingsOf(batch, missing, options), { batch, jobs }),
    service
  )
  return { takes, summary: bothOf(first, second) }
})

/** Adds up both rounds of speaking. A failed retake is not counted: its line keeps the first take. */
const bothOf = (first: SpeakSummary, second: SpeakSummary): SpeakSummary => ({
  created: first.created + second.created,
  adopted: first.adopted + second.adopted,
  resumed: first.resumed + second.resumed,
  reused: first.reused + second.reused,
  retried: first.retried + second.retried,
  failed: first.failed,
  left: first.left,
  suspect: first.suspect + second.suspect,
  characters: first.characters + second.characters,
  credits:
    first.credits === undefined || second.credits === undefined ? undefined : first.credits + second.credits,
  halt: first.halt ?? second.halt,
  warnings: [...new Set([...first.warnings, ...second.warnings])]
})
