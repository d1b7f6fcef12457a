/** Chapters as ffmpeg reads them. */
import type { Millis } from "../../domain/time/Units.ts"
import { clockTime } from "../../exports/EntryText.ts"

/** A named stretch of the result. */
export interface Chapter {
  readonly start: Millis
  /** Past its last millisecond; after `start`. */
  readonly end: Millis
  readonly title: string
}

/** The chapters in ffmpeg's own metadata format. */
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

/** The chapters as an Ogg's tags. */
export const oggChapters = (chapters: ReadonlyArray<Chapter>): ReadonlyArray<string> =>
  chapters.flatMap(({ start, title }, at) => {
    const name = `CHAPTER${`${at + 1}`.padStart(3, "0")}`
    return [`${name}=${clockTime(start, ".")}`, `${name}NAME=${title}`]
  })

/**
 * ffmpeg takes a backslash at a line's end, even an escaped one, for the line going on: a space keeps it from the end.
 */
const escaped = (text: string): string =>
  text.replaceAll(/[=;#\\\n]/gu, (mark) => `\\${mark}`) + (text.endsWith("\\") ? " " : "")
