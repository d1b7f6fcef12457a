/** Subtitle text: splits a cue's text into lines that every subtitle reader takes for text. */
import type { SubtitleEntry } from "../domain/speech/SubtitleEntry.ts"

/** Returns the entries in order of time, each with its lines; entries without text are dropped. */
export const entriesWithLines = (
  entries: ReadonlyArray<SubtitleEntry>
): ReadonlyArray<{ readonly entry: SubtitleEntry; readonly lines: ReadonlyArray<string> }> =>
  [...entries]
    .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
    .map((entry) => ({ entry, lines: linesOf(entry.text) }))
    .filter(({ lines }) => lines.length > 0)

/**
 * Splits text into lines. Drops blank lines, which would end the entry, and control characters. A line that begins with
 * NOTE is appended to the previous one, because some readers take it for a comment anywhere.
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

/** Formats a position in milliseconds as `HH:MM:SS`, `mark`, and three digits. Hours may exceed two digits. */
export const clockTime = (position: number, mark: "," | "."): string => {
  const two = (value: number) => `${Math.trunc(value)}`.padStart(2, "0")
  const clock = [position / 3_600_000, (position / 60_000) % 60, (position / 1000) % 60].map(two).join(":")
  return `${clock}${mark}${`${position % 1000}`.padStart(3, "0")}`
}
