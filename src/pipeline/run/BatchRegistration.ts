/** Registers a batch in the state: its utterances, the jobs that use them, and which of them have clips. */
import { Effect } from "effect"
import type { Utterance, UtteranceUse } from "../../domain/speech/Utterance.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { keepPoolVoices, poolSpeaker } from "../../store/tables/PoolVoices.ts"
import { hasGivenUp } from "../../store/tables/UtteranceRow.ts"
import { requeueDamagedClips, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch } from "../load/Job.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { type ProgressEvent, emit } from "../Progress.ts"

export type Registered = Effect.Effect.Success<ReturnType<typeof registerBatch>>

/** Registers the batch. Returns the keys of its utterances without a clip, and those of them that a run speaks. */
export const registerBatch = Effect.fnUntraced(function* ({
  batch,
  jobs,
  utterances
}: Pick<BatchPlan, "batch" | "utterances"> & { readonly jobs: ReadonlyArray<JobPlan> }) {
  const store = yield* UtteranceStore
  const clips = yield* ClipFolder
  yield* clips.sweep()
  const standings = yield* store.plan(batch.key, jobs.map(usesOf))
  yield* keepPoolVoices(
    jobs.flatMap(({ choices = [] }) =>
      choices.map(({ language = "", speaker, ...choice }) => ({
        ...choice,
        language,
        speaker: poolSpeaker(speaker)
      }))
    )
  )
  const clipless = yield* withoutClip(utterances)
  const left = clipless.filter(({ key }) => {
    const standing = standings.get(key)
    return standing === undefined || !hasGivenUp(standing)
  })
  yield* emit(plannedOf(jobs, left, utterances.length - clipless.length + left.length))
  return { waiting: new Set(clipless.map(({ key }) => key)), left }
})

/** The event of `left` utterances that are to be spoken, of `known` without those that failed. */
export const plannedOf = (
  jobs: ReadonlyArray<unknown>,
  left: ReadonlyArray<Utterance>,
  known: number
): ProgressEvent => ({
  _tag: "Planned",
  jobs: jobs.length,
  utterances: left.length,
  characters: left.reduce((sum, { characters }) => sum + characters, 0),
  reused: known - left.length
})

/** Registers utterances of a job beside those of its plan, while the batch runs. Returns those without a clip. */
export const registerTakes = Effect.fnUntraced(function* (
  { key }: Batch,
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>
) {
  const store = yield* UtteranceStore
  yield* store.plan(key, [usesOf({ ...plan, uses: [...plan.uses, ...takes] })], true)
  // Lines with the same utterance share one take.
  return yield* withoutClip([...new Map(takes.map(({ utterance }) => [utterance.key, utterance])).values()])
})

const usesOf = ({ job, uses }: JobPlan) => ({
  job: job.id,
  utterances: uses.map(({ utterance, lines: [line] }) => ({ utterance, label: `${job.id} #${line.cue}` }))
})

const withoutClip = Effect.fnUntraced(function* (utterances: ReadonlyArray<Utterance>) {
  const store = yield* UtteranceStore
  const keys = utterances.map(({ key }) => key)
  yield* requeueDamagedClips(keys)
  const atHand = yield* store.clipSizes(keys)
  return utterances.filter(({ key }) => !atHand.has(key))
})

/** Gives all failed utterances of a batch another try. Returns their keys. */
export const reviveFailed = ({ utterances }: BatchPlan) =>
  Effect.flatMap(UtteranceStore, ({ revive }) =>
    revive(
      utterances.map(({ key }) => key),
      "all"
    )
  )
