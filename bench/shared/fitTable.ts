/** What a director would change in a placement: a row for each film, and one for all. */
import type { FitLine } from "../../src/audio/fit/FitCost.ts"
import { percentile } from "../../src/pipeline/report/FitMetrics.ts"

/** A line of a film, with who says it and whether its words end a sentence. */
export interface FilmLine {
  readonly speaker: string
  readonly line: FitLine
  readonly endsSentence: boolean
}

/** Where a line is heard, in milliseconds. */
interface Heard {
  readonly start: number
  readonly end: number
  readonly flags?: ReadonlyArray<string>
}

/** A line in its film. Pauses are those to the next line that does not begin before this one's slot ends. */
interface Judged extends FilmLine {
  readonly start: number
  readonly end: number
  readonly speed: number
  /** The pause after it in the source, and as heard. */
  readonly pause: number
  readonly heardPause: number
  /** How many later lines begin before it ends, though they do not in the source. */
  readonly overlaps: number
  /** The change of speed to the speaker's next line, if it follows within 0.5 s in the source. */
  readonly step: number
  readonly isOverrun: boolean
}

/** Lines of a film in the order of the source. */
export interface Film {
  readonly name: string
  readonly lines: ReadonlyArray<FilmLine>
}

/** How many later lines are compared with each. */
const ahead = 30

const judgedOf = (lines: ReadonlyArray<FilmLine>, heard: ReadonlyArray<Heard>): ReadonlyArray<Judged> => {
  const speedOf = (at: number) =>
    (lines[at]?.line.length ?? 0) / Math.max(1, (heard[at]?.end ?? 0) - (heard[at]?.start ?? 0))
  return lines.map((own, i) => {
    const { start, end } = heard[i] ?? { start: 0, end: 0 }
    const later = lines
      .slice(i + 1, i + 1 + ahead)
      .flatMap(({ speaker, line }, at) =>
        line.start < own.line.end || line.start === own.line.start
          ? []
          : [{ at: i + 1 + at, speaker, line, heard: heard[i + 1 + at] ?? { start: 0, end: 0 } }]
      )
    const next = later.reduce((a, b) => Math.min(a, b.line.start), Infinity)
    const nextHeard = later.reduce((a, b) => Math.min(a, b.heard.start), Infinity)
    const following = later
      .filter(({ speaker }) => speaker === own.speaker)
      .sort((a, b) => a.line.start - b.line.start)[0]
    return {
      ...own,
      start,
      end,
      speed: speedOf(i),
      pause: next - own.line.end,
      heardPause: nextHeard - end,
      isOverrun: heard[i]?.flags?.includes("overrun") ?? false,
      overlaps: later.filter((one) => one.heard.start < end).length,
      step:
        following === undefined || following.line.start - own.line.end > 500
          ? 0
          : Math.abs(speedOf(following.at) - speedOf(i))
    }
  })
}

const count = (lines: ReadonlyArray<Judged>, test: (line: Judged) => boolean): number =>
  lines.filter(test).length

const slotOf = ({ line }: FilmLine): number => line.end - line.start

/** The columns: what is counted, by its short name. */
const columns: Readonly<Record<string, (lines: ReadonlyArray<Judged>) => number | string>> = {
  lines: (lines) => lines.length,
  "on 100": (lines) => count(lines, ({ start, line }) => Math.abs(start - line.start) <= 100),
  "on 250": (lines) => count(lines, ({ start, line }) => Math.abs(start - line.start) <= 250),
  overlaps: (lines) => lines.reduce((sum, line) => sum + line.overlaps, 0),
  // At least 0.15 s of the source's pause stay after a sentence; a loss below 30 ms is not heard.
  breathless: (lines) =>
    count(
      lines,
      ({ endsSentence, pause, heardPause }) => endsSentence && heardPause < Math.min(pause, 150) - 30
    ),
  hurried: (lines) => count(lines, (line) => line.speed > 1.1 && line.line.length <= slotOf(line)),
  "over 1.15, 1 s free": (lines) =>
    count(lines, ({ speed, heardPause }) => speed > 1.15 && heardPause >= 1_000),
  "under 60 %": (lines) =>
    count(
      lines,
      (line) => Math.min(line.end, line.line.end) - Math.max(line.start, line.line.start) < 0.6 * slotOf(line)
    ),
  "empty, s": (lines) =>
    Math.round(lines.reduce((sum, { end, line }) => sum + Math.max(0, line.end - end), 0) / 1_000),
  p50: (lines) =>
    percentile(
      lines.map(({ speed }) => speed),
      50,
      1
    ).toFixed(3),
  p95: (lines) =>
    percentile(
      lines.map(({ speed }) => speed),
      95,
      1
    ).toFixed(3),
  steps: (lines) => count(lines, ({ step }) => step > 0.15),
  "over 1.3": (lines) => count(lines, ({ speed }) => speed > 1.3005),
  overruns: (lines) => count(lines, ({ isOverrun }) => isOverrun),
  "past 0.5 s": (lines) => count(lines, ({ end, line }) => end > line.end + 500),
  "over by, s": (lines) =>
    (lines.reduce((sum, { end, line }) => sum + Math.max(0, end - line.end - 500), 0) / 1_000).toFixed(1)
}

/** Prints the table; `place` places the lines of one film. */
export const printFitTable = (
  films: ReadonlyArray<Film>,
  place: (lines: ReadonlyArray<FilmLine>) => ReadonlyArray<Heard>
): void => {
  const names = Object.keys(columns)
  const judged = films.map(({ name, lines }) => ({ name, lines: judgedOf(lines, place(lines)) }))
  const all = { name: "all", lines: judged.flatMap(({ lines }) => lines) }
  const width = Math.max(...judged.map(({ name }) => name.length))
  console.log(`${"film".padEnd(width)}  ${names.join("  ")}`)
  for (const { name, lines } of [...judged, all])
    console.log(
      `${name.padEnd(width)}  ${names.map((column) => String(columns[column]?.(lines)).padStart(column.length)).join("  ")}`
    )
}
