/**
 * The library as effects: `dub`, `plan` and `verify` of the package's `effect` entry. They need a `SpeechService`,
 * `Ffmpeg`, a file system, paths and, to run, `Progress`.
 */
import { Effect, Option } from "effect"
import { verifyBatch } from "../pipeline/report/DeliveryVerification.ts"
import { localExecutor } from "../pipeline/run/RunExecutor.ts"
import { digestSources } from "../pipeline/run/NoopCheck.ts"
import type { BatchPlan } from "../pipeline/plan/BatchPlan.ts"
import { UtteranceStore } from "../store/tables/UtteranceStore.ts"
import { loadForRun, loadSource } from "./batch/BatchLoading.ts"
import { planFully, runPlanned } from "./batch/PlannedRun.ts"
import { prospectOf } from "./batch/PlanOutlook.ts"
import { findUnchanged, runUnchanged } from "./batch/UnchangedRun.ts"
import {
  type BatchCallOptions,
  deadlineOf,
  type DubCallOptions,
  type ExecutorOption,
  readOptions
} from "./LibraryOptions.ts"
import { dubOutcome, planOutcome, verifyOutcome } from "./Outcomes.ts"

/**
 * Runs a batch. An unchanged batch that a run has finished returns its last result. Fails before anything is sent if
 * the batch is faulty; a job that fails later is part of the result.
 */
export const dubInEffect = Effect.fn("EffectApi.dubInEffect")(function* (
  options: DubCallOptions & ExecutorOption
) {
  const { source, flags, maxCredits, deadline, retry } = yield* readOptions(options)
  const { batch, notes } = yield* loadForRun(source, flags)
  const sources = yield* digestSources(batch)
  const unchanged = retry ? Option.none() : yield* findUnchanged(batch, sources)
  if (Option.isSome(unchanged)) {
    const result = yield* runUnchanged(unchanged.value)
    return yield* dubOutcome(batch, result, [...notes, ...unchanged.value.notices])
  }
  const plan = yield* planFully(batch)
  const result = yield* runPlanned(plan, {
    sources,
    maxCredits,
    deadline: deadlineOf(deadline),
    executor: Effect.succeed(options.executor ?? localExecutor),
    first: retry ? reviveAll : () => Effect.void
  })
  return yield* dubOutcome(batch, result, [...notes, ...plan.notices])
})

const reviveAll = ({ utterances }: BatchPlan) =>
  Effect.flatMap(UtteranceStore, ({ revive }) =>
    revive(
      utterances.map(({ key }) => key),
      "all"
    )
  )

/** Plans a batch: what a run would send, at which price. Spends nothing and writes nothing. */
export const planInEffect = Effect.fn("EffectApi.planInEffect")(function* (options: BatchCallOptions) {
  const { source, flags } = yield* readOptions(options)
  const { batch, notes } = yield* loadForRun(source, flags)
  return planOutcome(yield* prospectOf(batch), notes)
})

/** Compares a batch's delivered audio with its reports, cue by cue. */
export const verifyInEffect = Effect.fn("EffectApi.verifyInEffect")(function* (options: BatchCallOptions) {
  const { source, flags } = yield* readOptions(options)
  return verifyOutcome(yield* verifyBatch(yield* loadSource(source, flags)))
})
