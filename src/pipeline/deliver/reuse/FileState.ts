/** Compares a WAV or FLAC file of a mix with its next version. */
import { flacHeader } from "../../../audio/formats/FlacHeader.ts"
import { wavHeader } from "../../../audio/formats/WavHeader.ts"
import { convertPart } from "../../../audio/formats/OutputConversion.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import type { Chapter } from "../../../ffmpeg/encode/Chapters.ts"
import { type AudioSink, flacFileOf, type PcmFeed, wavFileOf } from "../../../ffmpeg/encode/EncodeJob.ts"
import type { WrittenFlac } from "../../../ffmpeg/encode/FlacFile.ts"
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
  /** Of a FLAC file: where its first frame begins, and whether it has a checksum. */
  readonly flac: { readonly framesAt: number; readonly isChecked: boolean } | undefined
}

/** What determines a sink's file, apart from its samples; undefined for formats that are encoded as a whole. */
const layoutOf = (feed: PcmFeed, sink: AudioSink, chapters: ReadonlyArray<Chapter>) => {
  const wav = wavFileOf(feed, { sink, part: sink.path })
  if (wav !== undefined)
    return { order: wav.order, header: wavHeader(wav.header), about: wav.order.dataAt, flac: undefined }
  const file = flacFileOf(feed, sink, chapters)
  if (file === undefined) return undefined
  const header = flacHeader(file.stream)
  const { isChecked } = file.order
  return {
    order: file.order,
    header,
    about: ["flac", isChecked],
    flac: { framesAt: header.length, isChecked }
  }
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
    flac: layout.flac
  }
}

/**
 * Returns the record of a file that is in place now; undefined if it is missing or was changed meanwhile. `written` is
 * what was written of a FLAC file, and `isKept` tells which sections have the frames that they had before.
 */
export const recordOf = (
  folder: MixFolder,
  file: FileState,
  written: WrittenFlac | undefined,
  isKept: (section: number) => boolean
): MixFile | undefined => {
  const { path, format, header, sections, before } = file
  const identity = fileIdentity(path)
  // Someone else has changed a file that was left as it is.
  if (file.isSame && identity !== before?.present.identity) return undefined
  const frames = framesOf(file, written, isKept)
  const states = file.flac?.isChecked === true ? sections.length : 0
  const isIncomplete = frames?.sections.length !== sections.length || frames.states.length !== states
  if (identity === undefined || (frames !== undefined && isIncomplete)) return undefined
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
  { sections, before, flac, isSame }: FileState,
  { rendered, states }: WrittenFlac = { rendered: [], states: [] },
  isKept: (section: number) => boolean
): MixFile["present"]["frames"] => {
  if (flac === undefined) return undefined
  const kept = before?.present.frames
  let next = 0
  const all = sections.flatMap((_, at) => {
    const sizes = isSame || isKept(at) ? kept?.sections[at] : rendered[next++]
    return sizes === undefined ? [] : [sizes]
  })
  // The new states are those of the last sections.
  const first = kept?.states.slice(0, sections.length - states.length) ?? []
  return { at: flac.framesAt, sections: all, states: [...first, ...states] }
}
