/** Encodes a job's mix and each speaker's stem: passes the rendered sections on to the files. */
import { Array, Effect, Stream } from "effect"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { gainOf } from "../../audio/pcm/Pcm.ts"
import type { JobId, SpeakerName } from "../../domain/values/Ids.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import { wavFileOf, type AudioSink, type PcmFeed, type WavFile } from "../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../ffmpeg/encode/Encoder.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { measuredOf } from "../mix/LoudnessNormalization.ts"
import { feedOf, type Programme } from "../mix/MixLines.ts"
import { renderInSections, sectionsIn, type ProgrammeRender } from "../mix/ProgrammeRenderer.ts"
import { Progress } from "../Progress.ts"
import { mixFolders, readMixRecord, writeMixRecord, type MixFolder, type MixFile } from "./MixRecord.ts"
import { convertPart } from "../../audio/formats/OutputConversion.ts"
import { wavHeader } from "../../audio/formats/WavHeader.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { checksumOf, digestOf } from "../../store/files/Checksum.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { digestSections } from "../mix/SectionDigest.ts"

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

/**
 * Finds the parts of a job's last mix that can be reused. WAV files whose sound is the same are not touched. In other
 * WAV files, only the sections whose lines have changed are rendered. The files have the same bytes as after a full
 * render.
 */

/** The remaining work for a mix. */
interface MixReuse {
  /** Without the files that stay as they are. */
  readonly requests: ReadonlyArray<EncodeRequest>
  readonly kept: NonNullable<ProgrammeRender["kept"]>
  /** Records the mix once its files are in place. Takes the measurements of all sections in order. */
  readonly remember: (heard: ReadonlyArray<SectionMeasurement>) => void
}

/** Number of sections, four minutes, below which a programme is always rendered as a whole. */
const minSections = 4

/** Share of sections that must be the same before any is reused. */
const minKept = 0.5

/** Compares a mix and its stems, which are `asked`, with those delivered before. */
const reuseOf = (
  folder: MixFolder,
  wanted: Omit<ProgrammeRender, "progress" | "kept">,
  asked: ReadonlyArray<EncodeRequest>
): Effect.Effect<MixReuse> =>
  Effect.sync((): MixReuse => {
    const sections = sectionsIn(wanted.programme)
    const files = asked.flatMap((request, at) => wavsOf(request, at))
    const isInSections = files.length === asked.reduce((sum, { sinks }) => sum + sinks.length, 0)
    const digests = isInSections && sections.length >= minSections ? digestsOf(wanted, sections) : undefined
    if (digests === undefined) {
      folder.remove("record")
      return { requests: asked, kept: new Map(), remember: () => undefined }
    }
    const before = readMixRecord(folder)
    const states = files.map(({ request, wav }) => {
      const samples = digests.map(({ mix, stems }) => (request === 0 ? mix : (stems[request - 1] ?? "")))
      return stateOf(wav, sections, samples, before?.files ?? [])
    })
    const isMeasured = asked.some(({ listen }) => listen === true)
    const isKept = (at: number) =>
      states.every(({ sections, present }) => sections[at] === present?.sections[at]) &&
      (!isMeasured || digests[at]?.measured === before?.measured[at]?.digest)
    const same = [...sections.keys()].filter(isKept)
    const kept = same.length >= minKept * sections.length ? same : []
    const untouched = new Set(states.flatMap(({ isSame, path }) => (isSame ? [path] : [])))
    const isPatched = kept.length > 0
    return {
      requests: asked.map((request) => ({
        ...request,
        sinks: request.sinks.flatMap((sink) => (untouched.has(sink.path) ? [] : [{ ...sink, isPatched }]))
      })),
      kept: new Map(kept.map((at) => [at, before?.measured[at]])),
      remember: (heard) =>
        writeMixRecord(folder, {
          measured: heard.map((one, at) => ({ ...one, digest: digests[at]?.measured ?? "" })),
          files: states.flatMap(recordsOf)
        })
    }
  })

const wavsOf = ({ feed, sinks }: EncodeRequest, request: number) =>
  sinks.flatMap((sink) => {
    const wav = wavFileOf(feed, { sink, part: sink.path })
    return wav === undefined ? [] : [{ request, wav }]
  })

/** A WAV file's next version, and the present one if it can be patched. */
interface FileState extends Omit<MixFile, "identity"> {
  readonly present: MixFile | undefined
  readonly isSame: boolean
}

/** Compares a WAV file with its `recorded` state. `samples` holds the digest of each section's samples. */
const stateOf = (
  { header, order: { path, from, to, length, dataAt } }: WavFile,
  sections: ReadonlyArray<Section>,
  samples: ReadonlyArray<string>,
  recorded: ReadonlyArray<MixFile>
): FileState => {
  const next = {
    path,
    header: checksumOf(wavHeader(header)),
    sections: sections.map((section, at) =>
      digestOf([samples[at], from, to.rate, to.depth, dataAt, convertPart(to, from.rate, length, section)])
    )
  }
  const present = recorded.find((file) => file.path === path && file.identity === fileIdentity(path))
  const isSame =
    present?.header === next.header && next.sections.every((digest, at) => digest === present.sections[at])
  return { ...next, present, isSame }
}

/** The record of a file in place; none if it is missing, or if someone else has changed it meanwhile. */
const recordsOf = ({ path, header, sections, present, isSame }: FileState): ReadonlyArray<MixFile> => {
  const identity = fileIdentity(path)
  const isOurs = identity !== undefined && (!isSame || identity === present?.identity)
  return isOurs ? [{ path, header, sections, identity }] : []
}

/** Returns the digests of all sections; undefined if a clip is missing, which the render reports. */
const digestsOf = (wanted: Omit<ProgrammeRender, "progress">, sections: ReadonlyArray<Section>) => {
  try {
    return digestSections(wanted, sections)
  } catch {
    return undefined
  }
}
