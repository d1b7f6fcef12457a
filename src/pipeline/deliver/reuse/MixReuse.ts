/**
 * Finds the parts of a job's last mix that can be reused. WAV files whose sound is the same are not touched. In other
 * WAV files, only the sections whose lines have changed are rendered. The files have the same bytes as after a full
 * render.
 */
import { Effect } from "effect"
import { convertPart } from "../../../audio/formats/OutputConversion.ts"
import { wavHeader } from "../../../audio/formats/WavHeader.ts"
import type { SectionMeasurement } from "../../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import { type WavFile, wavFileOf } from "../../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../../ffmpeg/encode/Encoder.ts"
import { checksumOf, digestOf } from "../../../store/files/Checksum.ts"
import { fileIdentity } from "../../../system/FileIdentity.ts"
import { digestSections } from "../../mix/SectionDigest.ts"
import { type ProgrammeRender, sectionsIn } from "../../mix/ProgrammeRenderer.ts"
import { type MixFile, type MixFolder, readMixRecord, writeMixRecord } from "./MixRecord.ts"

/** The remaining work for a mix. */
export interface MixReuse {
  /** Without the files that stay as they are. */
  readonly requests: ReadonlyArray<EncodeRequest>
  readonly kept: NonNullable<ProgrammeRender["kept"]>
  /** Records the mix once its files are in place. Takes the measurements of all sections in order. */
  readonly remember: (heard: ReadonlyArray<SectionMeasurement>) => void
}

/** Number of sections, four minutes, below which a programme is always rendered as a whole. */
const leastSections = 4

/** Share of sections that must be the same before any is reused. */
const leastKept = 0.5

/** Compares a mix and its stems, which are `asked`, with those delivered before. */
export const reuseOf = (
  folder: MixFolder,
  wanted: Omit<ProgrammeRender, "progress" | "kept">,
  asked: ReadonlyArray<EncodeRequest>
): Effect.Effect<MixReuse> =>
  Effect.sync((): MixReuse => {
    const sections = sectionsIn(wanted.programme)
    const files = asked.flatMap((request, at) => wavsOf(request, at))
    const isInSections = files.length === asked.reduce((sum, { sinks }) => sum + sinks.length, 0)
    const digests = isInSections && sections.length >= leastSections ? digestsOf(wanted, sections) : undefined
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
    const kept = same.length >= leastKept * sections.length ? same : []
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
