/** Compares a WAV or FLAC file of a mix with its next version. */
import type { FrameSizes } from "../../../audio/formats/FlacFrames.ts"
import { flacHeader } from "../../../audio/formats/FlacHeader.ts"
import { wavHeader } from "../../../audio/formats/WavHeader.ts"
import { convertPart } from "../../../audio/formats/OutputConversion.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import type { Chapter } from "../../../ffmpeg/encode/Chapters.ts"
import { type AudioSink, flacFileOf, type PcmFeed, wavFileOf } from "../../../ffmpeg/encode/EncodeJob.ts"
import { checksumOf, digestOf } from "../../../store/files/Checksum.ts"
import { fileIdentity, isRenamed } from "../../../system/FileIdentity.ts"
import type { MixFile, MixFolder } from "./MixRecord.ts"

/** A file of a mix: its next version, and the earlier versions on disk. */
export interface FileState extends Pick<MixFile, "path" | "format" | "header"> {
  /** The digest of each section. */
  readonly sections: ReadonlyArray<string>
  readonly before: MixFile | undefined
  /** Sections in which the present file differs: all of them if it is not as it was recorded. */
  readonly changed: ReadonlyArray<number>
  /** The version before the present one, and the sections in which it differs; undefined if there is none. */
  readonly spare: (NonNullable<MixFile["spare"]> & { readonly changed: ReadonlyArray<number> }) | undefined
  /** Whether the present file is the next version. */
  readonly isSame: boolean
  /** Where the first frame of a FLAC file begins; undefined for WAV. */
  readonly framesAt: number | undefined
}

/** What determines a sink's file, apart from its samples; undefined for formats that are encoded as a whole. */
const layoutOf = (feed: PcmFeed, sink: AudioSink, chapters: ReadonlyArray<Chapter>) => {
  const wav = wavFileOf(feed, { sink, part: sink.path })
  if (wav !== undefined)
    return { order: wav.order, header: wavHeader(wav.header), about: wav.order.dataAt, framesAt: undefined }
  const flac = flacFileOf(feed, sink, chapters)
  if (flac === undefined) return undefined
  const header = flacHeader(flac.stream)
  return { order: flac.order, header, about: ["flac", flac.order.isChecked], framesAt: header.length }
}

/**
 * Compares a sink's file with its `recorded` state. `samples` holds the digest of each section's samples. Returns
 * undefined for formats that are encoded as a whole.
 */
export const stateOf = (
  folder: MixFolder,
  feed: PcmFeed,
  sink: AudioSink,
  chapters: ReadonlyArray<Chapter>,
  all: ReadonlyArray<Section>,
  samples: ReadonlyArray<string>,
  recorded: ReadonlyArray<MixFile>
): FileState | undefined => {
  const { path } = sink
  const layout = layoutOf(feed, sink, chapters)
  if (layout === undefined) return undefined
  const { from, to, length } = layout.order
  const format = digestOf([from, to.rate, to.depth, layout.about])
  const header = checksumOf(layout.header)
  const sections = all.map((section, at) =>
    digestOf([samples[at], convertPart(to, from.rate, length, section)])
  )
  const found = recorded.find((file) => file.path === path && file.format === format)
  const before = found?.present.identity === fileIdentity(path) ? found : undefined
  const differing = (held: ReadonlyArray<string>) =>
    [...sections.keys()].filter((at) => held[at] !== sections[at])
  const changed = differing(before?.present.sections ?? [])
  const spare =
    before?.spare?.identity === fileIdentity(folder.pathOf("spare", path)) ? before?.spare : undefined
  return {
    path,
    format,
    header,
    sections,
    before,
    changed,
    spare: spare === undefined ? undefined : { ...spare, changed: differing(spare.sections) },
    isSame: changed.length === 0 && before?.header === header,
    framesAt: layout.framesAt
  }
}

/**
 * Returns the record of a file that is in place now; undefined if it is missing. `rendered` are the sizes of the frames
 * of rendered sections, in order, and `isKept` tells which sections were not rendered.
 */
export const recordOf = (
  folder: MixFolder,
  file: FileState,
  rendered: ReadonlyArray<FrameSizes>,
  isKept: (section: number) => boolean
): MixFile | undefined => {
  const { path, format, header, sections, before } = file
  const identity = fileIdentity(path)
  const frames = framesOf(file, rendered, isKept)
  if (identity === undefined || (frames !== undefined && frames.sections.length < sections.length))
    return undefined
  const present = { identity, sections, ...(frames === undefined ? {} : { frames }) }
  const record: MixFile = { path, format, header, present }
  const kept = fileIdentity(folder.pathOf("spare", path))
  const spare =
    kept === undefined || before === undefined
      ? undefined
      : kept === before.spare?.identity
        ? before.spare
        : isRenamed(before.present.identity, kept)
          ? { ...before.present, identity: kept }
          : undefined
  return spare === undefined ? record : { ...record, spare }
}

/** The frames of the sections of a FLAC file that is in place now; undefined for WAV. */
const framesOf = (
  { sections, before, framesAt, isSame }: FileState,
  rendered: ReadonlyArray<FrameSizes>,
  isKept: (section: number) => boolean
): MixFile["present"]["frames"] => {
  if (framesAt === undefined) return undefined
  const kept = before?.present.frames?.sections ?? []
  let next = 0
  const all = sections.flatMap((_, at) => {
    const sizes = isSame || isKept(at) ? kept[at] : rendered[next++]
    return sizes === undefined ? [] : [sizes]
  })
  return { at: framesAt, sections: all }
}
