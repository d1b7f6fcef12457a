/**
 * The library as effects: `dub`, `plan` and `verify` of the package's `effect` entry. They need a `SpeechService`,
 * `Ffmpeg`, a file system, paths and, to run, `Progress`.
 */
import { Effect } from "effect"
import { verifyBatch } from "../pipeline/report/DeliveryVerification.ts"
import { dub, localExecutor, prepareRun } from "../pipeline/Dub.ts"
import { reviveFailed } from "../pipeline/run/BatchRegistration.ts"
import { openRun } from "../pipeline/run/OpenRun.ts"
import { loadForRun, loadSource } from "./BatchLoading.ts"
import { prospectOf } from "./PlanOutlook.ts"
import {
  type BatchCallOptions,
  deadlineOf,
  type DubCallOptions,
  type ExecutorOption,
  readOptions
} from "./LibraryOptions.ts"
import { SpeechService } from "./layers/SpeechService.ts"
import { dubOutcome, planOutcome, verifyOutcome } from "./Outcomes.ts"

/**
 * Runs a batch. An unchanged batch that a run has finished returns its last result. Fails before anything is sent if
 * the batch is faulty; a job that fails later is part of the result.
 */
export const dubInEffect = Effect.fn("EffectApi.dubInEffect")(function* (
  options: DubCallOptions & ExecutorOption
) {
  const { source, flags, maxCredits, deadline, force, retry } = yield* readOptions(options)
  return yield* Effect.gen(function* () {
    const run = yield* openRun()
    const { batch, notes } = yield* loadForRun(source, { ...flags, read: run.read }, run.known)
    const prepared = yield* prepareRun(run, batch, { again: retry })
    const result = yield* dub(prepared, yield* SpeechService, {
      maxCredits,
      force,
      deadline: deadlineOf(deadline),
      executor: Effect.succeed(options.executor ?? localExecutor),
      first: retry ? reviveFailed : undefined
    })
    return yield* dubOutcome(batch, result, [...notes, ...prepared.work.notices])
  }).pipe(Effect.scoped)
})

/** Plans a batch: finds the utterances that a run would send, and their price. Spends nothing and writes nothing. */
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
