/** WebVTT subtitle writer. */
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { cuesOf, subtitleFile } from "./EntryText.ts"

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
