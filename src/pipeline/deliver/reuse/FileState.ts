/** Compares a WAV file of a mix with its next version. */
import { wavHeader } from "../../../audio/formats/WavHeader.ts"
import { convertPart } from "../../../audio/formats/OutputConversion.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import { type AudioSink, type PcmFeed, wavFileOf } from "../../../ffmpeg/encode/EncodeJob.ts"
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
  /** Sections in which the spare differs; undefined if there is none. */
  readonly changedInSpare: ReadonlyArray<number> | undefined
  /** Whether the present file is the next version. */
  readonly isSame: boolean
}

/**
 * Compares a sink's file with its `recorded` state. `samples` holds the digest of each section's samples. Returns
 * undefined for formats other than WAV.
 */
export const stateOf = (
  folder: MixFolder,
  feed: PcmFeed,
  sink: AudioSink,
  all: ReadonlyArray<Section>,
  samples: ReadonlyArray<string>,
  recorded: ReadonlyArray<MixFile>
): FileState | undefined => {
  const { path } = sink
  const wav = wavFileOf(feed, { sink, part: path })
  if (wav === undefined) return undefined
  const { from, to, length, dataAt } = wav.order
  const format = digestOf([from, to.rate, to.depth, dataAt])
  const header = checksumOf(wavHeader(wav.header))
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
    changedInSpare: spare === undefined ? undefined : differing(spare.sections),
    isSame: changed.length === 0 && before?.header === header
  }
}

/** Returns the record of a file that is in place now; undefined if it is missing. */
export const recordOf = (
  folder: MixFolder,
  { path, format, header, sections, before }: FileState
): MixFile | undefined => {
  const identity = fileIdentity(path)
  if (identity === undefined) return undefined
  const kept = fileIdentity(folder.pathOf("spare", path))
  const spare =
    kept === undefined || before === undefined
      ? undefined
      : kept === before.spare?.identity
        ? before.spare
        : isRenamed(before.present.identity, kept)
          ? { identity: kept, sections: before.present.sections }
          : undefined
  return { path, format, header, present: { identity, sections }, ...(spare === undefined ? {} : { spare }) }
}
