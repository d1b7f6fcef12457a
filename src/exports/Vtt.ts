/** WebVTT subtitle writer. */
import type { SubtitleEntry } from "../domain/speech/SubtitleEntry.ts"
import { clockTime, entriesWithLines } from "./EntryText.ts"

/**
 * Encodes a WebVTT file (UTF-8, line feeds): entries in order of start, identified by their cue number in the source.
 * The speaker, if any, becomes a voice span. Text is escaped.
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
