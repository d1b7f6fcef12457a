/** SubRip subtitles. */
import type { SubtitleEntry } from "../domain/speech/SubtitleEntry.ts"
import { clockTime, entriesWithLines } from "./EntryText.ts"

/**
 * An SRT file in UTF-8 with line feeds: entries in order of their start, numbered from 1. SRT knows no escapes, so what
 * a player would take for markup is broken by a zero-width space, and an arrow of a time line by a real arrow.
 */
export const srt = (entries: ReadonlyArray<SubtitleEntry>): string =>
  entriesWithLines(entries)
    .map(({ entry, lines }, place) =>
      [
        `${place + 1}`,
        `${clockTime(entry.start, ",")} --> ${clockTime(Math.max(entry.end, entry.start + 1), ",")}`,
        ...lines.map(harmless),
        ""
      ].join("\n")
    )
    .join("\n")

const harmless = (line: string): string =>
  line
    .replaceAll("-->", "→")
    .replaceAll(/<(?=\/?(?:b|i|u|s|font)\b)/giu, "<\u200B")
    .replaceAll(/\{(?=\\)/gu, "{\u200B")
