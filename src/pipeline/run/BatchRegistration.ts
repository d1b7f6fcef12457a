/** Registers a batch in the state: its utterances, the jobs that use them, and which of them have clips. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { keepPoolVoices, poolSpeaker } from "../../store/tables/PoolVoices.ts"
import { hasGivenUp } from "../../store/tables/UtteranceRow.ts"
import { requeueDamagedClips, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"

/** Registers the batch. Returns, for each utterance without a clip, the jobs that wait for it. */
export const registerBatch = Effect.fnUntraced(function* ({
  batch,
  jobs,
  utterances
}: Pick<BatchPlan, "batch" | "utterances"> & { readonly jobs: ReadonlyArray<JobPlan> }) {
  const store = yield* UtteranceStore
  const clips = yield* ClipFolder
  const progress = yield* Progress
  yield* clips.sweep()
  const standings = yield* store.plan(
    batch.key,
    jobs.map(({ job, uses }) => ({
      job: job.id,
      utterances: uses.map(({ utterance, lines: [line] }) => ({ utterance, label: `${job.id} #${line.cue}` }))
    }))
  )
  yield* keepPoolVoices(
    jobs.flatMap(({ choices = [] }) =>
      choices.map(({ language = "", speaker, ...choice }) => ({
        ...choice,
        language,
        speaker: poolSpeaker(speaker)
      }))
    )
  )
  const keys = utterances.map(({ key }) => key)
  yield* requeueDamagedClips(keys)
  const atHand = yield* store.clipSizes(keys)
  const waiting = new Map<UtteranceKey, ReadonlyArray<JobPlan>>()
  for (const plan of jobs) {
    for (const key of new Set(plan.uses.map(({ utterance }) => utterance.key))) {
      if (!atHand.has(key)) waiting.set(key, [...(waiting.get(key) ?? []), plan])
    }
  }
  const left = utterances.filter(({ key }) => {
    const standing = standings.get(key)
    return waiting.has(key) && (standing === undefined || !hasGivenUp(standing))
  })
  yield* progress.emit({
    _tag: "Planned",
    jobs: jobs.length,
    utterances: left.length,
    characters: left.reduce((sum, { characters }) => sum + characters, 0),
    reused: keys.filter((key) => !waiting.has(key)).length
  })
  return waiting
})

/** Gives all failed utterances of a batch another try. Returns their keys. */
export const reviveFailed = ({ utterances }: BatchPlan) =>
  Effect.flatMap(UtteranceStore, ({ revive }) =>
    revive(
      utterances.map(({ key }) => key),
      "all"
    )
  )
