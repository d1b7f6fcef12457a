/**
 * Runs a planned batch: registers its utterances, speaks them, and delivers each job once its last utterance is
 * fetched. The steps appear here from top to bottom.
 */
import { Cause, Effect, Layer, Option } from "effect"
import type { RunReport } from "../domain/report/Report.ts"
import type { Gateway } from "../gateway/Gateway.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"
import { BatchSpending } from "../store/tables/BatchSpending.ts"
import { CompletedBatches } from "../store/tables/CompletedBatches.ts"
import { Deliveries } from "../store/tables/Deliveries.ts"
import { startDeliveries } from "./deliver/DeliveryQueue.ts"
import type { BatchPlan } from "./plan/BatchPlan.ts"
import { openFolder } from "./report/ResultFolder.ts"
import { registerBatch } from "./run/BatchRegistration.ts"
import { speakBatch, type SpeechOptions } from "./run/BatchSpeech.ts"
import { rememberCompletion } from "./run/NoopCheck.ts"
import { warnOfForeignRun } from "./run/PreviousRun.ts"
import { rememberSources, warnOfReread } from "./run/ReadingChanges.ts"
import { speakRetakes } from "./run/RetakeRound.ts"
import { finishEarly, finishRun, startRun, type RunStart } from "./run/RunCompletion.ts"
import { localExecutor, type RunExecutor } from "./run/RunExecutor.ts"
import { RunRecord } from "./run/RunRecord.ts"

/** Options of a run. */
export interface DubOptions extends Partial<Pick<SpeechOptions<never, never>, "maxCredits" | "deadline">> {
  /** A digest of the batch's files. If given, a completed run is recorded, so that an unchanged one can end early. */
  readonly sources?: string | undefined
  /** Speaks and delivers; defaults to this process. */
  readonly executor?: RunExecutor | undefined
}

/** Runs a batch. Connects to the service only if something is left to speak. */
export const dub = Effect.fn("Dub.dub")(function* <E, R>(
  plan: BatchPlan,
  service: Layer.Layer<Gateway, E, R>,
  options: DubOptions = {}
) {
  const { batch } = plan
  const start = yield* startRun
  const record = new RunRecord()
  yield* openFolder(batch.out)
  return yield* Effect.scoped(run(plan, service, options, start, record)).pipe(
    Effect.onError((cause) => {
      const stopped = stoppedBy(cause)
      return stopped === undefined ? Effect.void : finishEarly(batch, start, record, stopped)
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
  { maxCredits, deadline, sources, executor = localExecutor }: DubOptions,
  start: RunStart,
  record: RunRecord
) {
  const { batch, jobs } = plan
  const spending = yield* BatchSpending
  const finished = yield* CompletedBatches
  const past = yield* Effect.flatMap(Deliveries, (deliveries) => deliveries.all(batch.out))
  const turn = yield* Effect.makeSemaphore(executor.deliveriesAtOnce)
  const speech = { service: yield* Layer.memoize(service), maxCredits, deadline, executor, record }

  yield* warnOfForeignRun(batch)
  yield* spending.begin(batch.key)
  yield* finished.forget(batch.key)
  yield* warnOfReread(plan)
  const waiting = yield* registerBatch(plan)
  yield* rememberSources(plan)

  const deliveries = yield* startDeliveries(jobs, waiting, (plan, takes) =>
    Effect.tap(turn.withPermits(1)(executor.deliver(plan, takes, batch.out, past)), (result) =>
      Effect.sync(() => record.ends.set(plan.job.id, result))
    )
  )
  const first = yield* speakBatch(plan, waiting, speech, deliveries.settled)
  const { takes, spoken } = yield* speakRetakes(plan, first, speech)
  const results = yield* deliveries.finish(takes)
  const result = yield* finishRun(batch, start, spoken, results)
  if (sources !== undefined) yield* rememberCompletion(plan, sources, result.jobs)
  return result
})
