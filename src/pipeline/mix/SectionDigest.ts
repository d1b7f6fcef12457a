/** Digests of each section's input: equal digests mean equal samples, to the bit. */
import { peakStretch } from "../../audio/pcm/WaveformPeaks.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { builtOf } from "../../domain/values/Version.ts"
import { bedOf, mixLinesIn, type Programme } from "./MixPlan.ts"
import type { ProgrammeRender } from "./ProgrammeRenderer.ts"

/** The digests of one section. */
export interface SectionDigest {
  readonly mix: string
  /** In the order of the stems. */
  readonly stems: ReadonlyArray<string>
  /** Of its measurement. */
  readonly measured: string
}

/** Returns the digests of each section. Throws `ClipUnreadable`. */
export const digestSections = (
  { programme, stems, gain, ceiling }: Omit<ProgrammeRender, "progress">,
  sections: ReadonlyArray<Section>
): ReadonlyArray<SectionDigest> => {
  const { rate, length } = programme
  const settings = settingsOf(programme, gain, ceiling)
  return sections.map((section) => {
    const lines = [...mixLinesIn(programme, section, stems)]
    // Without the line's number: it only orders the line among its neighbours, and an edit elsewhere may change it.
    const sounding = lines.map(({ order: _order, stem: _stem, ...line }) => line)
    const mix = digestOf([settings, section, sounding, spokenNear(programme, section)])
    return {
      mix,
      // A stem has its own lines, with the limiter's gains of all.
      stems: stems.map((_, at) => digestOf([mix, lines.map(({ stem }) => stem === at)])),
      measured: digestOf([mix, peakStretch(rate, length)])
    }
  })
}

/** Returns the digest of a whole programme at a gain of 1. Throws `ClipUnreadable`. */
export const digestProgramme = (programme: Programme): string =>
  digestOf([
    settingsOf(programme, 1, 1),
    programme.length,
    [...mixLinesIn(programme, { begin: 0, end: programme.length }, [])]
  ])

const settingsOf = ({ rate, channels, background }: Programme, gain: number, ceiling: number) => [
  builtOf,
  rate,
  channels,
  gain,
  ceiling,
  ...(background === undefined ? [] : [background, fileIdentity(background.path)])
]

/** Returns when someone speaks near a section, if that decides how a background is laid. */
const spokenNear = (programme: Programme, { begin, end }: Section) => {
  const { track, spoken } = bedOf(programme).bed ?? {}
  if (track === undefined || spoken === undefined) return []
  const margin = 2 * (track.duck?.fade ?? 0) + 2_000
  const from = (begin * 1000) / track.rate - margin
  const to = (end * 1000) / track.rate + margin
  return spoken.filter((span) => span.start < to && span.end > from)
}
