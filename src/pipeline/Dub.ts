/**
 * A run of a loaded batch, top to bottom: plan, register, speak all jobs and take each to its result, finish. The steps
 * of a job are in `run/JobRun.ts`.
 */
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import type { Gateway } from "../gateway/Gateway.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"
import { BatchSpending } from "../store/tables/BatchSpending.ts"
import { CompletedBatches } from "../store/tables/CompletedBatches.ts"
import { Deliveries } from "../store/tables/Deliveries.ts"
import type { UtteranceStore } from "../store/tables/UtteranceStore.ts"
import { deliverToResult, failedJob, keepDelivery } from "./deliver/DeliveryOutcome.ts"
import type { Batch } from "./load/Job.ts"
import { placeJob, settledJob } from "./place/JobPlacement.ts"
import { type BatchPlan, planRun, withPlans } from "./plan/BatchPlan.ts"
import { withBilingualNotices } from "./plan/BilingualNotices.ts"
import { pricesOf, withPrices } from "./plan/Prices.ts"
import type { SpeechAccess } from "./plan/SpeechAccess.ts"
import { keepStated } from "./plan/StatedRules.ts"
import { openFolder } from "./report/ResultFolder.ts"
import { plannedOf, registerBatch } from "./run/BatchRegistration.ts"
import { openSpeech } from "./run/BatchSpeech.ts"
import { makeJobLine } from "./run/JobRun.ts"
import { digestSources, type NoopBatch, rememberCompletion, unchangedSince } from "./run/NoopCheck.ts"
import type { OpenRun } from "./run/OpenRun.ts"
import { warnOfForeignRun } from "./run/PreviousRun.ts"
import { rememberSources, warnOfReread } from "./run/ReadingChanges.ts"
import { finishRun, nothingSpoken, recordEarlyEnd, RunRecord, startRun } from "./run/RunCompletion.ts"
import type { MakeExecutor, RunExecutor } from "./run/RunExecutor.ts"
import { isAllHeard } from "./run/ListenStep.ts"
import { openRewriting, shortenedEarly, warnOfUnanswered } from "./run/RewriteStep.ts"
import type { Deadline } from "./speak/SpeakSettings.ts"
import { speakUtterances } from "./speak/SpeakStage.ts"
import { emit } from "./Progress.ts"

/** A run before it sends or writes anything. */
export interface PreparedRun {
  readonly batch: Batch
  /** The work of the run: repeat the last run's results, if they are still valid, or follow a plan. */
  readonly work: NoopBatch | BatchPlan
  /** A digest of the batch's files as they were read. */
  readonly sources: string
  readonly run: OpenRun
}

/** Plans a batch, unless it is unchanged since a finished run; `again` plans it even then. */
export const prepareRun = Effect.fn("Dub.prepareRun")(function* (
  run: OpenRun,
  batch: Batch,
  { again }: { readonly again: boolean }
) {
  const sources = yield* digestSources(batch, run.read)
  // If the state cannot be read, the run itself reports that.
  const unchanged = again
    ? Option.none<NoopBatch>()
    : yield* unchangedSince(batch, sources).pipe(
        Effect.provide(run.known(batch.state)),
        Effect.orElseSucceed(() => Option.none<NoopBatch>())
      )
  const work = Option.isSome(unchanged)
    ? unchanged.value
    : withBilingualNotices(yield* planRun(batch, run.read))
  return { batch, work, sources, run } satisfies PreparedRun
})

/** Runs everything in this process, one delivery at a time, so that ffmpeg and the mix get all cores. */
export const localExecutor: RunExecutor = {
  speak: speakUtterances,
  deliver: Effect.fnUntraced(function* (plan, takes, out, past) {
    const settled = yield* settledJob(plan, takes, out, past)
    if (settled.isUnchanged) return yield* keepDelivery(settled)
    return yield* deliverToResult(yield* placeJob(settled))
  }),
  deliveriesAtOnce: 1
}

/** Options of a run. */
export interface DubOptions<E, R> {
  /** The digest of the batch's files. If given, a finished run is recorded, so that an unchanged one ends early. */
  readonly sources?: string | undefined
  /** The run starts no new task after this time. */
  readonly deadline?: Deadline | undefined
  /** Maximum credits that the batch may spend, including those of its earlier, interrupted runs. */
  readonly maxCredits?: number | undefined
  /** Whether the run starts even if disk space or credits will not suffice; default: false. */
  readonly force?: boolean | undefined
  /** Changes the state before the run. */
  readonly first?: ((plan: BatchPlan) => Effect.Effect<unknown, E, R | UtteranceStore>) | undefined
  /** Makes the executor, which speaks and delivers; default: this process. */
  readonly executor?: MakeExecutor<E, R> | undefined
}

/** Runs a batch that is prepared. */
export const dub = Effect.fn("Dub.dub")(function* <E, E2 = never, R2 = never>(
  { batch, work, sources, run }: PreparedRun,
  service: SpeechAccess<E>,
  options: Omit<DubOptions<E2, R2>, "sources"> = {}
) {
  if ("results" in work) return yield* Effect.provide(reportNoop(work), run.writable(batch.state))
  // A budget can only be kept if prices are known before the first task.
  const plan = options.maxCredits === undefined ? work : withPrices(work, yield* pricesOf(work, service))
  const gateway = service.connect(batch.service, join(batch.state, "service"))
  return yield* Effect.provide(runPlan(plan, gateway, { ...options, sources }), run.writable(batch.state))
})

/** Runs a planned batch in an open state. Connects to the service only if something is left to speak. */
export const runPlan = Effect.fnUntraced(function* <E, R, E2 = never, R2 = never>(
  planned: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  {
    maxCredits,
    deadline,
    force = false,
    sources,
    first,
    executor: made = Effect.succeed(localExecutor)
  }: DubOptions<E2, R2> = {}
) {
  const { batch } = planned
  if (first !== undefined) yield* first(planned)
  const executor = yield* made
  const start = yield* startRun
  const record = new RunRecord()
  yield* openFolder(batch.out)
  yield* recordEarlyEnd(batch, start, record)
  for (const { job, rejected } of planned.barred ?? [])
    record.ends.set(job.id, yield* failedJob(job, rejected.message))

  // Rewrite: lines that cannot fit are shortened before they are spoken, if the manifest accepts that.
  const rewriting = yield* openRewriting(batch)
  const early = yield* Effect.forEach(planned.jobs, (one) => shortenedEarly(rewriting, one))
  const plan = withPlans(planned, early)

  // Register: the state knows every utterance and every job before anything is sent.
  yield* warnOfForeignRun(batch)
  yield* Effect.flatMap(BatchSpending, (spending) => spending.begin(batch.key))
  yield* Effect.flatMap(CompletedBatches, (completed) => completed.forget(batch.key))
  yield* warnOfReread(plan)
  const registered = yield* registerBatch(plan)
  yield* rememberSources(plan)
  yield* keepStated(plan.batch)

  return yield* Effect.gen(function* () {
    const past = yield* Effect.flatMap(Deliveries, (deliveries) => deliveries.all(batch.out))
    const options = { service: yield* Layer.memoize(service), executor, maxCredits, deadline, force, record }
    const speech = yield* openSpeech(plan, registered, options)
    const runJob = yield* makeJobLine(plan, executor, speech, rewriting, past)
    const jobs = Effect.forEach(
      plan.jobs,
      (one) =>
        Effect.tap(runJob(one), ({ result }) => Effect.sync(() => record.ends.set(one.job.id, result))),
      { concurrency: "unbounded" }
    )
    const [ended] = yield* Effect.all([jobs, speech.first], { concurrency: "unbounded" })
    yield* warnOfUnanswered(rewriting)
    const results = batch.jobs.flatMap(({ id }) => record.ends.get(id) ?? [])
    const result = yield* finishRun(batch, start, yield* speech.result, results)
    const plans = ended.map((job) => job.plan)
    if (sources !== undefined && plans.every(isAllHeard) && rewriting.unanswered.size === 0)
      yield* rememberCompletion(withPlans(plan, plans), sources, result.jobs)
    return result
  }).pipe(Effect.mapError(begun))
}, Effect.scoped)

/** Marks a failure of the state after which it is uncertain that nothing was sent. */
const begun = <E>(error: E): E | StateUnusable =>
  error instanceof StateUnusable ? new StateUnusable({ ...error, hasBegun: true }) : error

/** Finishes a run at once, because every clip and every result exists. */
const reportNoop = Effect.fn("Dub.reportNoop")(function* ({ batch, results, utterances }: NoopBatch) {
  const begun = yield* startRun
  yield* openFolder(batch.out)
  yield* emit(plannedOf(results, [], utterances))
  return yield* finishRun(batch, begun, { summary: nothingSpoken(utterances), credits: {} }, results)
})
