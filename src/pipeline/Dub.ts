/**
 * A run, from a planned batch to delivered jobs. It reads top to bottom: what is to be said is written down, spoken,
 * and each job is placed and delivered as soon as all of its utterances are there.
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

/** What a run is told besides its plan. */
export interface DubOptions {
  /** Creates stop before the batch has spent more credits, those of runs that were cut short included. */
  readonly maxCredits?: number | undefined
  /** After this moment nothing new is started. */
  readonly deadline?: Deadline | undefined
  /**
   * What the batch's files held when it was loaded; where it is given, a run that leaves nothing undone is remembered.
   */
  readonly sources?: string | undefined
  /** Who does the work; this process where absent. */
  readonly crew?: RunExecutor | undefined
}

/** Runs a batch. The service is reached only where something is left to be said. */
export const dub = Effect.fn("Dub.dub")(function* <E, R>(
  plan: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: DubOptions = {}
) {
  const { batch } = plan
  const begun = yield* startRun
  const tally = new RunCounters()
  const progress = yield* Progress
  yield* openFolder(batch.out)
  return yield* Effect.scoped(run(plan, service, options, begun, tally)).pipe(
    Effect.provideService(Progress, {
      emit: (event) => Effect.suspend(() => (tally.hear(event), progress.emit(event)))
    }),
    Effect.onError((cause) => {
      const stopped = stoppedBy(cause)
      return stopped === undefined ? Effect.void : finishEarly(batch, begun, tally, stopped)
    })
  )
})

/** What keeps a run from its end though much may have been sent and made by then. */
const stoppedBy = (cause: Cause.Cause<unknown>): RunReport["stopped"] => {
  if (Cause.isInterruptedOnly(cause))
    return { reason: "interrupted", words: "the run was interrupted; run it again to go on" }
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return failure instanceof StateUnusable ? { reason: "state", words: failure.message } : undefined
}

const run = Effect.fnUntraced(function* <E, R>(
  plan: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: DubOptions,
  begun: RunStart,
  tally: RunCounters
) {
  const { batch, utterances } = plan
  const { crew = localExecutor } = options
  yield* warnOfForeignRun(batch)
  const outlay = yield* BatchSpending
  const finished = yield* CompletedBatches
  yield* outlay.begin(batch.key)
  yield* finished.forget(batch.key)
  yield* crew.begin(plan)
  yield* warnOfReread(plan)
  const waiting = yield* registerBatch(plan)
  yield* rememberSources(plan)
  const delivering = yield* deliveryOf(plan, waiting, crew, tally)
  const reached = yield* Layer.memoize(service)

  const spoken =
    waiting.size === 0
      ? nothingSpoken(utterances.length)
      : yield* speakAll(plan, options, tally).pipe(
          Effect.catchTag("ServiceAbsent", (absent) => unspoken(plan, waiting, absent)),
          Effect.provideService(Progress, delivering.watching),
          Effect.provide(reached)
        )
  const { takes, summary } = yield* secondTakes(plan, reached, options, spoken.summary)
  const ends = yield* delivering.finish(takes)
  const result = yield* finishRun(batch, begun, { ...spoken, summary }, ends)
  if (options.sources !== undefined) yield* rememberCompletion(plan, options.sources, result.jobs)
  return result
})

/** Everything that is left to be said, and the account's credits around it. */
const speakAll = Effect.fnUntraced(function* (plan: BatchPlan, options: DubOptions, tally: RunCounters) {
  const gateway = yield* Gateway
  const unsent = yield* unsentOf(plan)
  const unchosen = unchosenLanguages(plan, unsent, priceLookup(plan.batch.profileOf, yield* Estimates))
  if (unchosen !== undefined) return yield* unchosen
  yield* checkService(plan, unsent)
  const credits = Effect.map(Effect.option(withinReadLimit(gateway.reads.credits)), (read) =>
    read._tag === "Some" ? read.value.credits : undefined
  )
  const before = yield* credits
  tally.credits = before
  const keys = plan.utterances.map(({ key }) => key)
  const summary = yield* (options.crew ?? localExecutor).speak(
    yield* settingsOf(plan.batch, keys, options),
    plan
  )
  const after = yield* credits
  return {
    summary,
    credits: { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  }
})

/** What a run comes to whose service is absent: what is there is delivered, and the rest is left. */
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

/** What is surely to be sent: neither spoken nor under way, and not among what may have been sent before. */
const unsentOf = Effect.fnUntraced(function* ({ utterances }: BatchPlan) {
  const store = yield* UtteranceStore
  const standings = yield* store.standings(utterances.map(({ key }) => key))
  const underWay = yield* tasksInFlight(standings)
  return utterances.filter(({ key }) => {
    const standing = standings.get(key)
    return (
      standing !== undefined &&
      (standing.state === "planned" || standing.state === "failed") &&
      !underWay.has(key) &&
      !hasGivenUp(standing)
    )
  })
})

/** How a batch is spoken, with what is left of its limit. */
const settingsOf = Effect.fnUntraced(function* (
  { key, profileOf, undecided, service, state }: Batch,
  keys: ReadonlyArray<UtteranceKey>,
  { maxCredits, deadline }: DubOptions
) {
  const outlay = yield* BatchSpending
  const learned = yield* Estimates
  const price = dearestBy(profileOf, learned)
  const spentBefore = (yield* outlay.spent(key)).reduce(
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

/** Delivers jobs while others are still being spoken: each as soon as nothing of it is waited for. */
const deliveryOf = Effect.fnUntraced(function* (
  { batch, jobs }: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, ReadonlyArray<JobPlan>>,
  crew: RunExecutor,
  tally: RunCounters
) {
  const deliveries = yield* Deliveries
  const progress = yield* Progress
  const past = yield* deliveries.all(batch.out)
  const turn = yield* Effect.makeSemaphore(crew.deliveriesAtOnce)
  const deliverOne = (plan: JobPlan, takes: ReadonlyArray<UtteranceUse> = []) =>
    Effect.tap(turn.withPermits(1)(crew.deliver(plan, takes, batch.out, past)), (result) =>
      Effect.sync(() => tally.ends.set(plan.job.id, result))
    )
  type Delivering = Effect.Effect.Success<ReturnType<typeof fork>>
  const fork = (plan: JobPlan) => Effect.forkScoped(deliverOne(plan))
  const early = new Map<JobId, Delivering>()
  const missing = new Map<JobId, number>()
  for (const plans of waiting.values())
    for (const { job } of plans) if (!job.retake) missing.set(job.id, (missing.get(job.id) ?? 0) + 1)
  const runtime = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof fork>>>()

  // What waits for nothing is delivered at once, and what an earlier run has delivered is known as done.
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
    /** The watcher of the speak stage: passes every event on, and hears what is there. */
    watching: { emit },
    /** Waits for what is being delivered and delivers the rest; results in the batch's order. */
    finish: (takes: ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>) =>
      Effect.forEach(
        jobs,
        (plan) => {
          const delivering = early.get(plan.job.id)
          return delivering === undefined ? deliverOne(plan, takes.get(plan.job.id)) : Fiber.join(delivering)
        },
        { concurrency: crew.deliveriesAtOnce }
      )
  }
})

/**
 * Second takes of lines that are too fast, for jobs that want them: spoken where they are not at hand yet, within what
 * is left of the budget. One that cannot be had leaves the first in its place.
 */
const secondTakes = Effect.fnUntraced(function* <E, R>(
  { batch, jobs, utterances }: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: DubOptions,
  first: SpeakSummary
) {
  const takes = new Map<JobId, ReadonlyArray<UtteranceUse>>()
  for (const plan of jobs) {
    const wanted = yield* planRetakes(plan, batch)
    if (wanted.length > 0) takes.set(plan.job.id, wanted)
  }
  if (takes.size === 0 || first.halt !== undefined) return { takes, summary: first }
  // Two lines of the same words are spoken anew once.
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
  const { crew = localExecutor } = options
  const second = yield* Effect.provide(
    crew.speak(yield* settingsOf(batch, missing, options), { batch, jobs }),
    service
  )
  return { takes, summary: bothOf(first, second) }
})

/** Two rounds of speaking as one. A second take that failed leaves its line spoken: it is no failure. */
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
