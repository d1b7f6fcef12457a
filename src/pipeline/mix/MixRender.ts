/**
 * The pass in which a job's sound is made: clips mixed once, levelled, measured and encoded, the whole and each
 * speaker's stem.
 */
import { Array, Effect } from "effect"
import { gainOf } from "../../audio/pcm/Pcm.ts"
import type { JobId, SpeakerName } from "../../domain/values/Ids.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import type { AudioSink } from "../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../ffmpeg/encode/Encoder.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { measuredOf } from "./LoudnessNormalization.ts"
import type { Programme } from "./MixPlan.ts"
import { Progress } from "../Progress.ts"
import { renderInSections } from "./ProgrammeRenderer.ts"

/** A speaker's own track; lines without a speaker share one. */
export interface Stem {
  readonly speaker: SpeakerName | undefined
  readonly sink: AudioSink
}

/** The files that the whole goes into, and the chapters of those that can hold them. */
export interface WholeFiles {
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters: ReadonlyArray<Chapter>
}

/** How the sound is brought to its level: a factor, and the dBTP that no peak passes. */
export interface Level {
  readonly gain: number
  readonly peak: number
}

/** Stems that are made in one pass: each takes its memory. */
const stemsAtOnce = 12

/** Makes the files of the whole and of its stems; returns what the whole measures, and its outline. */
export const renderMix = Effect.fn("Master.master")(function* (
  job: JobId,
  programme: Programme,
  level: Level,
  whole: WholeFiles,
  stems: ReadonlyArray<Stem>
) {
  const { rate, channels, length } = programme
  const feed = { rate, channels, frames: length }
  const [first = [], ...others] = Array.chunksOf(stems, stemsAtOnce)
  // The whole is listened to, whether or not it becomes a file of its own.
  const request = { feed, sinks: whole.sinks, chapters: whole.chapters, listen: true }
  const [heard] = yield* pass(job, programme, level, request, first)
  // Stems are held as the whole is, which is therefore made again.
  yield* Effect.forEach(others, (group) => pass(job, programme, level, { feed, sinks: [] }, group), {
    discard: true
  })
  if (heard === undefined) return yield* Effect.dieMessage("the programme was not listened to")
  return { measured: measuredOf(heard), peaks: heard.peaks }
})

const pass = Effect.fnUntraced(function* (
  job: JobId,
  programme: Programme,
  { gain, peak }: Level,
  whole: EncodeRequest,
  stems: ReadonlyArray<Stem>
) {
  const ffmpeg = yield* Ffmpeg
  const progress = yield* Progress
  let told = 0
  const telling = (fraction: number) => {
    if (fraction < told + 0.05) return Effect.void
    told = fraction
    return progress.emit({ _tag: "Delivering", job, fraction })
  }
  return yield* ffmpeg.encodeAll(
    [whole, ...stems.map(({ sink }) => ({ feed: whole.feed, sinks: [sink] }))],
    renderInSections({
      programme,
      stems: stems.map(({ speaker }) => speaker),
      gain,
      ceiling: gainOf(peak),
      progress: telling
    })
  )
})
