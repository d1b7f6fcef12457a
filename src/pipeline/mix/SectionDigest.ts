/** Digests of each section's input: equal digests mean equal samples, to the bit. */
import { peakStretch } from "../../audio/pcm/WaveformPeaks.ts"
import { type Section, sectionBetween } from "../../audio/pcm/Section.ts"
import { checksumOf, digestOf } from "../../store/files/Checksum.ts"
import { fileIdentity } from "../../system/FileIdentity.ts"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import { builtOf } from "../../domain/values/Version.ts"
import { bedOf, mixLinesIn, type Programme } from "./MixLines.ts"
import type { ProgrammeRender } from "./ProgrammeRenderer.ts"
import type { MixLine } from "./SectionRenderer.ts"

/** The digests of one section. */
export interface SectionDigest {
  readonly mix: string
  /** In the order of the stems. */
  readonly stems: ReadonlyArray<string>
  /** Of its measurement. */
  readonly measured: string
}

/** Returns the digests of consecutive sections, in order of time. Throws `ClipUnreadable`. */
export const digestSections = (
  { programme, stems, gain, ceiling }: Omit<ProgrammeRender, "progress">,
  sections: ReadonlyArray<Section>
): ReadonlyArray<SectionDigest> => {
  const { rate, length } = programme
  const settings = digestOf(settingsOf(programme, gain, ceiling))
  const voices = digestOf(settingsOf({ ...programme, background: undefined }, gain, ceiling))
  const peaks = peakStretch(rate, length)
  const soundingIn = lineFinder(programme, stems)
  return sections.map((section) => {
    const lines = soundingIn(section)
    const around = JSON.stringify([section, spokenNear(programme, section)])
    const mix = checksumOf([settings, around, ...lines.map(({ text }) => text)].join("\n"))
    return {
      mix,
      stems: stems.map((_, stem) =>
        checksumOf([voices, JSON.stringify(section), ...textsOf(lines, stem, programme)].join("\n"))
      ),
      measured: `${mix} ${peaks}`
    }
  })
}

/** A line as text. */
interface LineText {
  readonly at: number
  /** The frame after its last. */
  readonly to: number
  readonly stem: number | undefined
  readonly text: string
}

/**
 * Returns a function that finds the lines of a section. Call it for sections in order of time: it reads a film's lines
 * once, and only holds those near the last section.
 */
const lineFinder = (programme: Programme, stems: ReadonlyArray<SpeakerName | undefined>) => {
  const coming = mixLinesIn(programme, { begin: 0, end: programme.length }, stems)
  let next = coming.next()
  let near: ReadonlyArray<LineText> = []
  return ({ begin, end }: Section): ReadonlyArray<LineText> => {
    const lines = near.filter(({ to }) => to > begin)
    for (; next.done !== true && next.value.at < end; next = coming.next()) {
      const line = lineText(next.value)
      if (line.to > begin) lines.push(line)
    }
    near = lines
    return lines
  }
}

/** Describes a line, without its number: that only orders it among its neighbours, and an edit may change it. */
const lineText = ({ order: _order, stem, ...line }: MixLine): LineText => ({
  at: line.at,
  to: line.at + line.speech.length,
  stem,
  text: JSON.stringify(line)
})

/** Describes all that a stem consists of: its lines, and those that can change the limiter's gains while they sound. */
const textsOf = (
  lines: ReadonlyArray<LineText>,
  stem: number,
  { length, rate }: Programme
): ReadonlyArray<string> => {
  const own = lines.filter((line) => line.stem === stem)
  const near = own.map(({ at, to }) => sectionBetween(at, to, length, rate))
  return lines
    .filter((line) => near.some(({ begin, end }) => line.to > begin && line.at < end))
    .map((line) => `${line.stem === stem} ${line.text}`)
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
  const margin = (track.duck?.attack ?? 0) + (track.duck?.release ?? 0) + 2_000
  const from = (begin * 1000) / track.rate - margin
  const to = (end * 1000) / track.rate + margin
  return spoken.filter((span) => span.start < to && span.end > from)
}
