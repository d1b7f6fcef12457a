/** Formats chapters for ffmpeg: as a metadata file, or as Ogg tags. */
import type { Millis } from "../../domain/time/Units.ts"
import { clockTime } from "../../exports/text/Subtitles.ts"

/** A titled section of the result. */
export interface Chapter {
  readonly start: Millis
  /** Exclusive; after `start`. */
  readonly end: Millis
  readonly title: string
}

/** Formats chapters in ffmpeg's metadata format, FFMETADATA1. */
export const chaptersText = (chapters: ReadonlyArray<Chapter>): string =>
  [
    ";FFMETADATA1",
    ...chapters.flatMap(({ start, end, title }) => [
      "[CHAPTER]",
      "TIMEBASE=1/1000",
      `START=${start}`,
      `END=${end}`,
      `title=${escaped(title)}`
    ]),
    ""
  ].join("\n")

/** Formats chapters as Ogg tags, `CHAPTER001` and so on. */
const oggChapters = (chapters: ReadonlyArray<Chapter>): ReadonlyArray<string> =>
  chapters.flatMap(({ start, title }, at) => {
    const name = `CHAPTER${`${at + 1}`.padStart(3, "0")}`
    return [`${name}=${clockTime(start, ".")}`, `${name}NAME=${title}`]
  })

/**
 * Returns the options that write the chapters of a job's second input to a file. For Ogg and FLAC they are passed as
 * tags: ffmpeg would write none to FLAC, and to Ogg a chapter that begins in the second half of a second one second
 * late.
 */
export const chapterOptions = (format: string, chapters: ReadonlyArray<Chapter>): ReadonlyArray<string> =>
  format === "opus" || format === "flac"
    ? ["-map_chapters", "-1", ...oggChapters(chapters).flatMap((tag) => ["-metadata", tag])]
    : ["-map_chapters", "1"]

/**
 * Escapes text for the metadata format. ffmpeg reads a backslash at a line's end, even an escaped one, as a line
 * continuation. An added space prevents that.
 */
const escaped = (text: string): string =>
  text.replaceAll(/[=;#\\\n]/gu, (mark) => `\\${mark}`) + (text.endsWith("\\") ? " " : "")
