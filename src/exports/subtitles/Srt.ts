/** SubRip (SRT) subtitle writer. */
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { cuesOf, subtitleFile } from "./EntryText.ts"

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
