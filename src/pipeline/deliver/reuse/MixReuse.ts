/**
 * Finds the parts of a job's last mix that can be reused. Files whose sound is the same are not touched. In other
 * files, only the sections whose lines have changed are rendered. The files have the same bytes as after a full render.
 */
import { Array, Effect } from "effect"
import type { SectionMeasurement } from "../../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import { type AudioSink, flacFileOf, wavFileOf } from "../../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../../ffmpeg/encode/Encoder.ts"
import type { FrameSplice, WrittenFlac } from "../../../ffmpeg/encode/FlacFile.ts"
import { sectionRanges } from "../../../ffmpeg/encode/WavSplice.ts"
import { digestOf } from "../../../store/files/Checksum.ts"
import { digestSections, type SectionDigest } from "../../mix/SectionDigest.ts"
import { type ProgrammeRender, sectionsIn } from "../../mix/ProgrammeRenderer.ts"
import { type FileState, stateOf, recordOf } from "./FileState.ts"
import { inSegments, removeOtherSegments, sectionsToEncode } from "./SegmentReuse.ts"
import { type MixFile, type MixFolder, readMixRecord, writeMixRecord } from "./MixRecord.ts"

/** The remaining work for a mix. */
export interface MixReuse {
  /** Without the files that stay as they are. */
  readonly requests: ReadonlyArray<EncodeRequest>
  readonly kept: NonNullable<ProgrammeRender["kept"]>
  readonly checked: NonNullable<ProgrammeRender["checked"]>
  readonly encoded: NonNullable<ProgrammeRender["encoded"]>
  /**
   * Records the mix once its files are in place. Takes the measurements of all sections in order, and what was written
   * of each FLAC file, by path.
   */
  readonly remember: (
    heard: ReadonlyArray<SectionMeasurement>,
    flacs: ReadonlyMap<string, WrittenFlac>
  ) => void
}

/** Number of sections, four minutes, below which a programme is always rendered as a whole. */
const leastSections = 4

/** Share of sections that must be the same before any is reused. */
const leastKept = 0.5

/** Share of sections of a WAV file above which copying the whole present file is as fast as updating a spare. */
const mostStale = 0.5

/**
 * Compares a mix with the one delivered before. `requests` are the mix and its stems, `encoder` is ffmpeg's version.
 * Returns undefined if the whole mix must be rendered and nothing is recorded, which applies to short mixes.
 */
export const reuseOf = (
  folder: MixFolder,
  encoder: string,
  wanted: Omit<ProgrammeRender, "progress" | "kept">,
  asked: ReadonlyArray<EncodeRequest>
): Effect.Effect<MixReuse | undefined> =>
  Effect.sync(() => {
    const before = readMixRecord(folder)
    const recorded = before?.files ?? []
    const dropSpares = () => recorded.forEach(({ path }) => folder.remove("spare", path))
    const sections = sectionsIn(wanted.programme)
    const forget = () => {
      dropSpares()
      folder.remove("record")
    }
    const digests = sections.length >= leastSections ? digestsOf(wanted, sections) : undefined
    if (digests === undefined) {
      forget()
      removeOtherSegments(folder, [])
      return undefined
    }
    // Stems are WAV files.
    const requests = asked.map((request, at) =>
      at > 0
        ? request
        : inSegments(folder, encoder, request, (all) =>
            digestSections({ ...wanted, stems: [] }, all).map(({ mix }) => mix)
          )
    )
    const whole = (remember: MixReuse["remember"]): MixReuse => ({
      requests,
      kept: new Map(),
      checked: new Set(),
      encoded: new Set(),
      remember
    })
    if (!requests.every(({ sinks }) => sinks.every(isInSections))) {
      forget()
      return whole(() => removeOtherSegments(folder, requests))
    }
    const files = requests.flatMap(({ feed, sinks, chapters = [] }, request) => {
      const samples = digests.map(({ mix, stems }) => (request === 0 ? mix : (stems[request - 1] ?? "")))
      return sinks.flatMap((sink) =>
        Array.fromNullable(stateOf(folder, feed, sink, chapters, sections, samples, recorded))
      )
    })
    const changed = new Set(files.flatMap(({ changed }) => changed))
    const isMeasured = requests.some(({ listen }) => listen === true)
    digests.forEach(({ measured }, at) => {
      if (isMeasured && before?.measured[at]?.digest !== measured) changed.add(at)
    })
    if (sections.length - changed.size < leastKept * sections.length) {
      dropSpares()
      const same = new Set(files.flatMap(({ isSame, path }) => (isSame ? [path] : [])))
      const others = requests.map((request) => ({
        ...request,
        sinks: request.sinks.filter(({ path }) => !same.has(path))
      }))
      return { ...whole(recorderOf(folder, digests, files, requests, new Set())), requests: others }
    }
    // Every section from here on changes the checksums' states.
    const first = Math.min(...changed, sections.length)
    const splicedSink = (
      request: EncodeRequest,
      sink: AudioSink,
      isWhole: boolean
    ): ReadonlyArray<AudioSink> => {
      if (sink.segments !== undefined) return [sink]
      const file = files.find(({ path }) => path === sink.path)
      if (file?.isSame === true) return []
      const spare = folder.pathOf("spare", sink.path)
      if (sink.format.format === "flac") {
        const kept = framesIn(file?.before?.present, sections.length, changed)
        const inSpare = file?.spare && framesIn(file.spare, sections.length, new Set(file.spare.changed))
        const state = file?.before?.present.frames?.states[first - 1]
        const checksum = checksumSplice(request, sink, state, sections.slice(first))
        return [{ ...sink, frameSplice: { sections: kept, spare, inSpare, checksum } }]
      }
      const patch = folder.pathOf("patch", sink.path)
      const rendered = new Set(file?.changed ?? changed)
      const stale = file?.spare?.changed.filter((at) => !rendered.has(at))
      const isUseful = stale !== undefined && stale.length <= mostStale * sections.length
      const outdated = isUseful ? stale.flatMap((at) => Array.fromNullable(sections[at])) : undefined
      // A line is heard in the mix, but does not always change the stem of a line near it.
      const own = sections.filter((_, at) => rendered.has(at))
      return [{ ...sink, splice: { sections: own, patch, spare, outdated, changes: isWhole } }]
    }
    const spliced = requests.map((request, at) => ({
      ...request,
      sinks: request.sinks.flatMap((sink) => splicedSink(request, sink, at === 0))
    }))
    const kept = Array.range(0, sections.length - 1).filter((at) => !changed.has(at))
    const needsSamples = spliced.some(({ sinks }) =>
      sinks.some(
        ({ frameSplice: { checksum } = {} }) => checksum !== undefined && checksum.samples === undefined
      )
    )
    return {
      requests: spliced,
      kept: new Map(kept.map((at) => [at, before?.measured[at]])),
      checked: new Set(needsSamples ? kept.filter((at) => at >= first) : []),
      encoded: sectionsToEncode(requests, sections),
      remember: recorderOf(folder, digests, files, requests, new Set(kept))
    }
  })

/** Records a mix. It stands outside `reuseOf`, whose scope keeps the earlier record in memory. */
const recorderOf =
  (
    folder: MixFolder,
    digests: ReadonlyArray<SectionDigest>,
    files: ReadonlyArray<FileState>,
    requests: ReadonlyArray<EncodeRequest>,
    kept: ReadonlySet<number>
  ): MixReuse["remember"] =>
  (heard, flacs) => {
    removeOtherSegments(folder, requests)
    writeMixRecord(folder, {
      measured: heard.map((one, at) => ({ ...one, digest: digests[at]?.measured ?? "" })),
      files: files.flatMap((file) =>
        Array.fromNullable(recordOf(folder, file, flacs.get(file.path), (at) => kept.has(at)))
      )
    })
  }

/** Whether a file can be completed from sections. */
const isInSections = ({ format: { format }, segments }: AudioSink): boolean =>
  format === "wav" || format === "flac" || segments !== undefined

/** Returns how to complete the checksum of a FLAC file with the samples of these last sections. */
const checksumSplice = (
  { feed, sinks }: EncodeRequest,
  sink: AudioSink,
  state: Uint8Array | undefined,
  sections: ReadonlyArray<Section>
): FrameSplice["checksum"] => {
  const flac = flacFileOf(feed, sink, [])?.order
  if (flac?.isChecked !== true) return undefined
  // A WAV file with the same samples.
  const wavs = sinks.map((other) => wavFileOf(feed, { sink: other, part: other.path })?.order)
  const wav = wavs.find((order) => order !== undefined && digestOf(order.to) === digestOf(flac.to))
  return {
    state,
    samples: wav === undefined ? undefined : { path: wav.path, sections: sectionRanges(wav, sections) }
  }
}

/** Lists where the frames of sections are in a version of a FLAC file, apart from changed ones. */
const framesIn = (
  version: MixFile["present"] | undefined,
  count: number,
  changed: ReadonlySet<number>
): FrameSplice["sections"] => {
  let at = version?.frames?.at ?? 0
  return Array.makeBy(count, (section) => {
    const sizes = version?.frames?.sections[section]
    const kept = sizes === undefined || changed.has(section) ? undefined : { ...sizes, at }
    at += sizes?.bytes ?? 0
    return kept
  })
}

/** Returns the digests of all sections; undefined if a clip is missing, which the render reports. */
const digestsOf = (wanted: Omit<ProgrammeRender, "progress">, sections: ReadonlyArray<Section>) => {
  try {
    return digestSections(wanted, sections)
  } catch {
    return undefined
  }
}
