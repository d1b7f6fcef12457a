/** Parses subtitles in frames (MicroDVD: `{25}{75}Hello|there`) or tenths of a second (MPL2: `[10][25]Hello`). */
import { noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import { knownRate } from "../timed/FrameClock.ts"
import {
  type ReadSubtitle,
  subtitleOf,
  type TimedLine,
  type TimedOptions,
  unreadLine
} from "../timed/TimedLines.ts"

const microDvdLine = /^\s*\{(-?\d{1,9})\}\{((?:-?\d{1,9})?)\}(.*)$/u
const mpl2Line = /^\s*\[(-?\d{1,9})\]\[((?:-?\d{1,9})?)\](.*)$/u

/** The rate of film on DVD, which players assume if a file names none. */
const usualRate = 24_000 / 1001

/** Whether a text begins with a line of MicroDVD. */
export const isMicroDvd = (text: string): boolean =>
  /^\s*(?:\{DEFAULT\}\{[^{}\n]*\}|\{-?\d+\}\{-?\d*\})/u.test(text)

/** Whether a text begins with a line of MPL2. */
export const isMpl2 = (text: string): boolean => /^\s*\[-?\d+\]\[-?\d*\]/u.test(text)

/**
 * Parses MicroDVD. The rate is that of the first line (`{1}{1}25`), else that of the job or its film, else 23.976 with
 * a notice.
 */
export const readMicroDvd = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const stated = /^\s*\{[01]\}\{[01]\}\s*(\d{2,3}(?:[.,]\d+)?)\s*(?:fps)?\s*(?:\n|$)/iu.exec(text)
  const written = stated?.[1] === undefined ? undefined : Number(stated[1].replace(",", "."))
  const named = knownRate(options)?.rate.value
  const rate = exactRate(written) ?? named ?? usualRate
  const notices =
    written === undefined && named === undefined
      ? [
          noticeAt(
            1,
            "frames are counted at 23.976 per second, as the file names no rate; set frameRate if the film has another"
          )
        ]
      : []
  const skip =
    stated === null
      ? 0
      : text.slice(0, stated[0].length).split("\n").length - (stated[0].endsWith("\n") ? 1 : 0)
  return numbered(text, skip, microDvdLine, 1000 / rate, notices, options, "{25}{75}Hello")
}

/** Parses MPL2. */
export const readMpl2 = (text: string, options: TimedOptions = {}): ReadSubtitle =>
  numbered(text, 0, mpl2Line, 100, [], options, "[10][25]Hello")

/** The exact rate for a rate with few digits: 23.976 and 29.97 mean 24000/1001 and 30000/1001. */
const exactRate = (written: number | undefined): number | undefined => {
  if (written === undefined || !(written >= 10 && written <= 240)) return undefined
  const ntsc = (Math.round(written) * 1000) / 1001
  return Math.abs(written - ntsc) < 0.006 ? ntsc : written
}

const numbered = (
  text: string,
  skip: number,
  form: RegExp,
  unit: number,
  notices: ReadonlyArray<Notice>,
  options: TimedOptions,
  example: string
): ReadSubtitle => {
  const lost: Array<LostBlock> = []
  const lines: Array<TimedLine> = []
  text.split("\n").forEach((written, index) => {
    const line = index + 1
    if (index < skip || written.trim() === "" || written.trimStart().startsWith("{DEFAULT}")) return
    const match = form.exec(written)
    if (match === null) {
      lost.push(unreadLine(line, written, `expected a line such as ${example}`, spoken(written)))
      return
    }
    const [, from = "", to = "", words = ""] = match
    lines.push({
      line,
      start: Number(from) * unit,
      end: to === "" ? undefined : Number(to) * unit,
      turns: [{ speaker: undefined, text: spoken(words) }]
    })
  })
  const ended = lines.map((one, at) => ({ ...one, end: one.end ?? lines[at + 1]?.start }))
  const clock = { rate: 1000 / unit, nominal: Math.round(1000 / unit) }
  const programme = { isTimecode: false, clock }
  return subtitleOf([...ended, ...lost], notices, programme, options, `no line such as ${example} found`)
}

/** The words of a line: `|` breaks it, `/` around or before a row means italics, codes in braces are styles. */
const spoken = (words: string): string =>
  words
    .replace(/\{[a-z]:[^{}]*\}/giu, "")
    .split("|")
    .map((row) => row.trim().replace(/^\/(.*?)\/?$/u, "$1"))
    .join("\n")
    .trim()
