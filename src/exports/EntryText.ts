/** A cue's text as lines that no subtitle reader takes for anything but text. */
import type { SubtitleEntry } from "../domain/speech/SubtitleEntry.ts"

/** Entries in the order in which they are heard, each with its lines; those without text are left out. */
export const entriesWithLines = (
  entries: ReadonlyArray<SubtitleEntry>
): ReadonlyArray<{ readonly entry: SubtitleEntry; readonly lines: ReadonlyArray<string> }> =>
  [...entries]
    .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
    .map((entry) => ({ entry, lines: linesOf(entry.text) }))
    .filter(({ lines }) => lines.length > 0)

/**
 * The lines of a text: without blank ones, which would end the entry, and without control characters. A line that
 * begins with NOTE is set behind the one before it, since some readers take it for a comment wherever it stands.
 */
const linesOf = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const raw of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)) {
    const line = raw.replaceAll(/[\p{Cc}\uFEFF]/gu, "").trim()
    if (line === "") continue
    const before = lines.at(-1)
    if (before !== undefined && line.startsWith("NOTE")) lines[lines.length - 1] = `${before} ${line}`
    else lines.push(line)
  }
  return lines
}

/** A position in milliseconds as `HH:MM:SS` and three digits after the mark; hours grow beyond two digits. */
export const clockTime = (position: number, mark: "," | "."): string => {
  const two = (value: number) => `${Math.trunc(value)}`.padStart(2, "0")
  const clock = [position / 3_600_000, (position / 60_000) % 60, (position / 1000) % 60].map(two).join(":")
  return `${clock}${mark}${`${position % 1000}`.padStart(3, "0")}`
}
