/**
 * Speaks retakes of lines that did not fit, for jobs with `fit.retake`. Stored retakes are reused; new ones stay within
 * the remaining budget. If a retake fails, its line keeps the first take.
 */
import { Effect } from "effect"
import type { UtteranceUse } from "../../../domain/speech/Utterance.ts"
import type { JobId } from "../../../domain/values/Ids.ts"
import { planRetakes } from "../../place/Retakes.ts"
import type { BatchPlan } from "../../plan/BatchPlan.ts"
import type { SpeakSummary } from "../../speak/SpeakSettings.ts"
import { countBoth } from "../../speak/SpeakTally.ts"
import { registerBatch } from "../BatchRegistration.ts"
import { speakSettings, type SpeechOptions } from "../BatchSpeech.ts"
import type { SpokenBatch } from "../RunCompletion.ts"

/** Returns each job's retakes, and the result of both rounds of speaking. */
export const speakRetakes = Effect.fn("RetakeRound.speakRetakes")(function* <E, R>(
  plan: BatchPlan,
  spoken: SpokenBatch,
  options: SpeechOptions<E, R>
) {
  const takes = new Map<JobId, ReadonlyArray<UtteranceUse>>()
  for (const one of plan.jobs) {
    const wanted = yield* planRetakes(one, plan.batch)
    if (wanted.length > 0) takes.set(one.job.id, wanted)
  }
  return { takes, spoken: yield* speakAlso(plan, takes, spoken, options) }
})

/** Speaks further utterances of jobs, beside those of their plans. Adds the result to the earlier ones. */
export const speakAlso = Effect.fn("RetakeRound.speakAlso")(function* <E, R>(
  { batch, jobs, utterances }: BatchPlan,
  more: ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>,
  spoken: SpokenBatch,
  options: SpeechOptions<E, R>
) {
  if (more.size === 0 || spoken.summary.halt !== undefined) return spoken
  // Lines with the same utterance share one take.
  const again = [
    ...new Map([...more.values()].flat().map(({ utterance }) => [utterance.key, utterance])).values()
  ]
  const all = jobs.map((plan) => ({ ...plan, uses: [...plan.uses, ...(more.get(plan.job.id) ?? [])] }))
  const waiting = yield* registerBatch({ batch, jobs: all, utterances: [...utterances, ...again] })
  const missing = again.map(({ key }) => key).filter((key) => waiting.has(key))
  if (missing.length === 0) return spoken
  const settings = yield* speakSettings({ batch, jobs: all }, missing, options)
  const second = yield* options.executor
    .speak({ ...settings, tally: options.record.anotherRound() }, { batch, jobs })
    .pipe(Effect.provide(options.service))
  return { ...spoken, summary: bothOf(spoken.summary, second) }
})

/** Adds up two rounds of speaking. */
export const bothOf = (first: SpeakSummary, second: SpeakSummary): SpeakSummary => ({
  ...countBoth(first, second),
  credits:
    first.credits === undefined || second.credits === undefined ? undefined : first.credits + second.credits,
  halt: first.halt ?? second.halt,
  warnings: [...new Set([...first.warnings, ...second.warnings])]
})
