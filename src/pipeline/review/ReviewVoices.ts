/** Another voice for all lines of a speaker: its price, and the entry that saves it. */
import { Array, Effect } from "effect"
import type { SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { SpeakerPrice, SpeakerSheet } from "../../pages/data/ReviewProtocol.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch, Job } from "../load/Job.ts"
import type { OverridesEntry } from "../load/OverridesFile.ts"
import { planBatch } from "../plan/BatchPlan.ts"
import { servicePrices, costOf } from "../plan/Prices.ts"
import { checkService } from "../plan/ServicePreflight.ts"
import { reviewVoices } from "./ReviewEdits.ts"
import { reviewFailed } from "./ReviewFailed.ts"

/** Lists a job's speakers with their voices and numbers of lines, those with the most lines first. */
export const readSpeakers = Effect.fn("ReviewVoices.readSpeakers")(function* (batch: Batch, job: Job) {
  const {
    jobs: [{ lines }]
  } = yield* planBatch({ ...batch, jobs: [job] })
  const bySpeaker = Array.groupBy(lines, ({ speaker }) => speaker ?? "")
  return {
    speakers: Object.entries(bySpeaker)
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([speaker, own]) => ({ speaker, lines: own.length, ...usualVoice(own) })),
    voices: reviewVoices(batch, lines, () => undefined)
  } satisfies SpeakerSheet
})

/** The voice that most of these lines have. */
const usualVoice = (lines: ReadonlyArray<Line>) => {
  const counts = new Map<string, { readonly provider: string; readonly voice: string; count: number }>()
  for (const { casting } of lines) {
    const name = `${casting.provider}/${casting.voice}`
    const known = counts.get(name) ?? { provider: casting.provider, voice: casting.voice, count: 0 }
    counts.set(name, { ...known, count: known.count + 1 })
  }
  const [most] = [...counts.values()].sort((a, b) => b.count - a.count)
  return { provider: most?.provider ?? "", voice: most?.voice ?? "" }
}

/** The lines of a job with their utterances; `name` identifies both. */
const spokenLines = (uses: ReadonlyArray<UtteranceUse>) =>
  uses.flatMap(({ utterance, lines }) =>
    lines.map((line) => ({ line, utterance, name: `${lineName(line)} ${utterance.key}` }))
  )

/** The utterances that a change of a speaker's voice needs, and the cues that it changes. */
export interface VoiceChange {
  readonly price: SpeakerPrice
  readonly entries: ReadonlyArray<OverridesEntry>
  /** The cues whose speech changes. */
  readonly cues: ReadonlyArray<number>
}

/** Plans a speaker's lines with another voice. Speaks nothing; fails if the service does not know the voice. */
export const planVoice = Effect.fn("ReviewVoices.planVoice")(function* (
  batch: Batch,
  job: Job,
  voice: SpeakerVoice
) {
  const recast = [...(job.recast ?? []).filter(({ speaker }) => speaker !== voice.speaker), voice]
  const before = yield* planBatch({ ...batch, jobs: [job] })
  const after = yield* planBatch({ ...batch, jobs: [{ ...job, recast }] })
  const [plan] = after.jobs
  const was = new Set(spokenLines(before.jobs[0].uses).map(({ name }) => name))
  // By line: its new utterance may exist already, if another speaker says the same with this voice.
  const changed = spokenLines(plan.uses).filter(({ name }) => !was.has(name))
  if (!plan.lines.some(({ speaker }) => speaker === voice.speaker))
    return yield* reviewFailed(
      `job ${job.id} has no line of ${voice.speaker ?? "an unnamed speaker"}; choose another speaker`
    )
  const store = yield* UtteranceStore
  const fresh = new Map(changed.map(({ utterance }) => [utterance.key, utterance]))
  const kept = yield* store.clips([...fresh.keys()])
  const paid = [...fresh.values()].filter(({ key }) => !kept.has(key))
  if (paid.length > 0) yield* checkService(after, paid)
  const priceOf = paid.length === 0 ? () => 0 : yield* servicePrices(after)
  const { characters, credits } = costOf(paid, priceOf)
  return {
    price: {
      lines: new Set(changed.map(({ line }) => lineName(line))).size,
      kept: kept.size,
      tasks: paid.length,
      characters,
      ...(credits === undefined ? {} : { credits })
    },
    entries: [{ path: ["voices", job.id], value: recast }],
    cues: [...new Set(changed.map(({ line }) => line.cue))]
  } satisfies VoiceChange
})
