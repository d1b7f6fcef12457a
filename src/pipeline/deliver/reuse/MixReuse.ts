/**
 * Finds the parts of a job's last mix that can be reused. Files whose sound is the same are not touched. In other
 * files, only the sections whose lines have changed are rendered. The files have the same bytes as after a full render.
 */
import { Array, Effect } from "effect"
import type { SectionMeasurement } from "../../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import type { AudioSink } from "../../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../../ffmpeg/encode/Encoder.ts"
import { digestSections } from "../../mix/SectionDigest.ts"
import { type ProgrammeRender, sectionsIn } from "../../mix/ProgrammeRenderer.ts"
import { stateOf, recordOf } from "./FileState.ts"
import { type MixFolder, readMixRecord, writeMixRecord } from "./MixRecord.ts"

/** The remaining work for a mix. */
export interface MixReuse {
  /** Without the files that stay as they are. */
  readonly requests: ReadonlyArray<EncodeRequest>
  readonly kept: NonNullable<ProgrammeRender["kept"]>
  /** Records the mix once its files are in place; takes the measurements of all sections in order. */
  readonly remember: (heard: ReadonlyArray<SectionMeasurement>) => void
}

/** Number of sections, four minutes, below which a programme is always rendered as a whole. */
const leastSections = 4

/** Share of sections that must be the same before any is reused. */
const leastKept = 0.5

/** Share of sections, copied one by one, above which copying the whole present file is as fast as using a spare. */
const mostStale = 0.5

/**
 * Compares a mix with the one delivered before. `requests` are the mix and its stems. Returns undefined if the whole
 * mix must be rendered and nothing is recorded. This applies to short mixes, and if a format other than WAV needs all
 * samples.
 */
export const reuseOf = (
  folder: MixFolder,
  wanted: Omit<ProgrammeRender, "progress" | "kept">,
  requests: ReadonlyArray<EncodeRequest>
): Effect.Effect<MixReuse | undefined> =>
  Effect.sync(() => {
    const before = readMixRecord(folder)
    const recorded = before?.files ?? []
    const dropSpares = () => recorded.forEach(({ path }) => folder.remove("spare", path))
    const sections = sectionsIn(wanted.programme)
    const isPlain = requests.every(({ sinks }) => sinks.every(({ format }) => format.format === "wav"))
    const digests = isPlain && sections.length >= leastSections ? digestsOf(wanted, sections) : undefined
    if (digests === undefined) {
      dropSpares()
      folder.remove("record")
      return undefined
    }
    const files = requests.flatMap(({ feed, sinks }, request) => {
      const samples = digests.map(({ mix, stems }) => (request === 0 ? mix : (stems[request - 1] ?? "")))
      return sinks.flatMap((sink) =>
        Array.fromNullable(stateOf(folder, feed, sink, sections, samples, recorded))
      )
    })
    const changed = new Set(files.flatMap(({ changed }) => changed))
    const isMeasured = requests.some(({ listen }) => listen === true)
    digests.forEach(({ measured }, at) => {
      if (isMeasured && before?.measured[at]?.digest !== measured) changed.add(at)
    })
    const remember: MixReuse["remember"] = (heard) =>
      writeMixRecord(folder, {
        measured: heard.map((one, at) => ({ ...one, digest: digests[at]?.measured ?? "" })),
        files: files.flatMap((file) => Array.fromNullable(recordOf(folder, file)))
      })
    if (sections.length - changed.size < leastKept * sections.length) {
      dropSpares()
      return { requests, kept: new Map(), remember }
    }
    const rendered = sections.filter((_, at) => changed.has(at))
    const spliced = (sink: AudioSink, isWhole: boolean): ReadonlyArray<AudioSink> => {
      const file = files.find(({ path }) => path === sink.path)
      if (file?.isSame === true) return []
      const patch = folder.pathOf("patch", sink.path)
      const spare = folder.pathOf("spare", sink.path)
      const stale = file?.changedInSpare?.filter((at) => !changed.has(at))
      const isUseful = stale !== undefined && stale.length <= mostStale * sections.length
      const outdated = isUseful ? stale.flatMap((at) => Array.fromNullable(sections[at])) : undefined
      // A line is heard in the mix, but most stems have other lines.
      return [{ ...sink, splice: { sections: rendered, patch, spare, outdated, changes: isWhole } }]
    }
    return {
      requests: requests.map((request, at) => ({
        ...request,
        sinks: request.sinks.flatMap((sink) => spliced(sink, at === 0))
      })),
      kept: new Map(
        sections.flatMap((_, at) => (changed.has(at) ? [] : [[at, before?.measured[at]] as const]))
      ),
      remember
    }
  })

/** Returns the digests of all sections; undefined if a clip is missing, which the render reports. */
const digestsOf = (wanted: Omit<ProgrammeRender, "progress">, sections: ReadonlyArray<Section>) => {
  try {
    return digestSections(wanted, sections)
  } catch {
    return undefined
  }
}
