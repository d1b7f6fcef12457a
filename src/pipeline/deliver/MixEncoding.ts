/** Encodes a job's mix and each speaker's stem: passes the rendered sections on to the files. */
import { Array, Effect, Stream } from "effect"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { gainOf } from "../../audio/pcm/Pcm.ts"
import type { JobId, SpeakerName } from "../../domain/values/Ids.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import type { AudioSink, PcmFeed } from "../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../ffmpeg/encode/Encoder.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { measuredOf } from "../mix/LoudnessNormalization.ts"
import { feedOf, type Programme } from "../mix/MixLines.ts"
import { renderInSections } from "../mix/ProgrammeRenderer.ts"
import { Progress } from "../Progress.ts"
import { type MixFolder, mixFolders } from "./reuse/MixRecord.ts"
import { reuseOf } from "./reuse/MixReuse.ts"

/** One speaker's track; lines without a speaker share one. */
export interface Stem {
  readonly speaker: SpeakerName | undefined
  readonly sink: AudioSink
}

/** The files of the whole mix, and the chapters for formats that support them. */
export interface WholeFiles {
  readonly sinks: ReadonlyArray<AudioSink>
  readonly chapters: ReadonlyArray<Chapter>
}

/** The gain factor, and the highest allowed true peak in dBTP. */
export interface Level {
  readonly gain: number
  readonly peak: number
}

/** Maximum number of stems in one pass: each takes memory. */
const stemsAtOnce = 12

/**
 * Encodes the mix and its stems, as far as they have changed since the job was delivered to the folder `out`. Returns
 * the mix's measurements and its waveform peaks.
 */
export const encodeMix = Effect.fn("MixEncoding.encodeMix")(function* (
  job: JobId,
  programme: Programme,
  level: Level,
  whole: WholeFiles,
  stems: ReadonlyArray<Stem>,
  out: string
) {
  const feed = feedOf(programme)
  const voices = feedOf({ ...programme, background: undefined })
  const [first = [], ...others] = Array.chunksOf(stems, stemsAtOnce)
  // The mix is measured even if it is not written to a file.
  const request = { feed, sinks: whole.sinks, chapters: whole.chapters, listen: true }
  const mixes = yield* mixFolders(out, job)
  const [heard] = yield* pass(job, programme, level, request, first, voices, mixes(0))
  // Stems get the mix's limiter gains, so the mix is rendered again with them.
  const without = { ...programme, background: undefined }
  yield* Effect.forEach(
    others,
    (group, at) => pass(job, without, level, { feed: voices, sinks: [] }, group, voices, mixes(at + 1)),
    { discard: true }
  )
  if (heard === undefined) return yield* Effect.dieMessage("the programme was not measured")
  return { measured: measuredOf(heard, programme), peaks: heard.peaks }
})

const pass = Effect.fnUntraced(function* (
  job: JobId,
  programme: Programme,
  { gain, peak }: Level,
  whole: EncodeRequest,
  stems: ReadonlyArray<Stem>,
  voices: PcmFeed,
  folder: MixFolder
) {
  const ffmpeg = yield* Ffmpeg
  const progress = yield* Progress
  let reported = 0
  const telling = (fraction: number) => {
    if (fraction < reported + 0.05) return Effect.void
    reported = fraction
    return progress.emit({ _tag: "Delivering", job, fraction })
  }
  const requests = [whole, ...stems.map(({ sink }) => ({ feed: voices, sinks: [sink] }))]
  const speakers = stems.map(({ speaker }) => speaker)
  const wanted = { programme, stems: speakers, gain, ceiling: gainOf(peak) }
  const reuse = yield* reuseOf(folder, wanted, requests)
  const { kept } = reuse
  const [mix = whole, ...parts] = reuse.requests
  const changed = Array.zip(speakers, parts).filter(([, { sinks }]) => sinks.length > 0)
  const { orders, write } = yield* ffmpeg.openFiles([mix, ...changed.map(([, part]) => part)])
  const heard: Array<SectionMeasurement> = []
  const made = { ...wanted, kept, stems: changed.map(([speaker]) => speaker), progress: telling }
  const rendered = renderInSections(made, orders).pipe(
    Stream.map((result) => {
      if (result.kind === "heard") heard.push(result.heard)
      return result
    })
  )
  const measured = yield* write(rendered)
  reuse.remember(heard)
  return measured
}, Effect.scoped)
