/** WebVTT subtitles. */
import type { SubtitleEntry } from "../domain/speech/SubtitleEntry.ts"
import { clockTime, entriesWithLines } from "./EntryText.ts"

/**
 * A WebVTT file in UTF-8 with line feeds: entries in order of their start, each named by its cue's number in the
 * source, with its speaker as a voice span where there is one. Text is escaped.
 */
export const vtt = (entries: ReadonlyArray<SubtitleEntry>): string =>
  [
    "WEBVTT\n",
    ...entriesWithLines(entries).map(({ entry, lines }) => {
      const text = lines.map(escaped).join("\n")
      return [
        `${entry.index}`,
        `${clockTime(entry.start, ".")} --> ${clockTime(Math.max(entry.end, entry.start + 1), ".")}`,
        entry.speaker === undefined
          ? text
          : `<v ${escaped(entry.speaker.replaceAll(/\s+/gu, " "))}>${text}</v>`,
        ""
      ].join("\n")
    })
  ].join("\n")

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
