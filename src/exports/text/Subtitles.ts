/** Writes SRT and WebVTT files with the `subtitle` package; every reader takes a cue's lines for text. */
import { stringifySync } from "subtitle"
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"

/** Returns the entries in order of time as cues, with their escaped text; entries without text are dropped. */
export const cuesOf = (
  entries: ReadonlyArray<SubtitleEntry>,
  escaped: (line: string) => string
): ReadonlyArray<WrittenCue & { readonly entry: SubtitleEntry }> =>
  [...entries]
    .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
    .map((entry) => ({
      entry,
      id: entry.index,
      start: entry.start,
      end: Math.max(entry.end, entry.start + 1),
      text: linesOf(entry.text).map(escaped).join("\n")
    }))
    .filter(({ text }) => text !== "")

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

/** A cue to write. Its text must not contain `-->`. */
export interface WrittenCue {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Writes a file of cues with `subtitle`. It numbers cues from 1, and its times wrap at 24 hours; both are corrected.
 */
export const subtitleFile = (cues: ReadonlyArray<WrittenCue>, format: "SRT" | "WebVTT"): string => {
  const mark = format === "SRT" ? "," : "."
  let place = 0
  return stringifySync(
    cues.map((data) => ({ type: "cue", data })),
    { format }
  ).replaceAll(/^\d+\n(\S+ --> \S+)$/gmu, (head, times: string) => {
    const cue = cues[place++]
    if (cue === undefined) return head
    const long = cue.end >= 24 * 3_600_000
    return `${cue.id}\n${long ? `${clockTime(cue.start, mark)} --> ${clockTime(cue.end, mark)}` : times}`
  })
}

/** Formats a position in milliseconds as `HH:MM:SS`, `mark`, and three digits. Hours may exceed two digits. */
export const clockTime = (position: number, mark: "," | "."): string => {
  const two = (value: number) => `${Math.trunc(value)}`.padStart(2, "0")
  const clock = [position / 3_600_000, (position / 60_000) % 60, (position / 1000) % 60].map(two).join(":")
  return `${clock}${mark}${`${position % 1000}`.padStart(3, "0")}`
}

/**
 * Encodes an SRT file (UTF-8, line feeds): entries in order of start, numbered from 1. SRT has no escapes. So a
 * zero-width space breaks markup, and `-->` becomes a real arrow.
 */
export const srt = (entries: ReadonlyArray<SubtitleEntry>): string =>
  subtitleFile(
    cuesOf(entries, harmless).map((cue, place) => ({ ...cue, id: place + 1 })),
    "SRT"
  )

const harmless = (line: string): string =>
  line
    .replaceAll("-->", "→")
    .replaceAll(/<(?=\/?(?:b|i|u|s|font)\b)/giu, "<\u200B")
    .replaceAll(/\{(?=\\)/gu, "{\u200B")

/**
 * Encodes a WebVTT file (UTF-8, line feeds): entries in order of start, identified by their cue number in the source.
 * The speaker, if any, becomes a voice span. Text is escaped.
 */
export const vtt = (entries: ReadonlyArray<SubtitleEntry>): string => {
  const cues = cuesOf(entries, escaped).map(({ entry, ...cue }) => {
    const speaker = entry.speaker?.replaceAll(/\s+/gu, " ")
    return speaker === undefined ? cue : { ...cue, text: `<v ${escaped(speaker)}>${cue.text}</v>` }
  })
  return cues.length === 0 ? "WEBVTT\n" : subtitleFile(cues, "WebVTT")
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
