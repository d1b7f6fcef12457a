/**
 * Parses formats with one caption a line: MicroDVD (in frames, `{25}{75}Hello|there`), MPL2 (in tenths of a second,
 * `[10][25]Hello`), Spruce STL of DVD authoring tools (`00:00:01:00 , 00:00:02:12 , Hello | there`), and the label
 * tracks that Audacity exports (start and end in seconds and a text, separated by tabs).
 */
import { noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import { clockIn, guessedClock, knownClock, knownRate, timecodeTime } from "../timed/FrameClock.ts"
import * as Timed from "../timed/TimedLines.ts"

/** A format: its captions, its lines that are none, and the words of a line with damaged times. */
interface CaptionFormat {
  readonly form: RegExp
  readonly aside: RegExp
  readonly expected: string
  /** Returns milliseconds; undefined for an end that the line lacks, or for a start that cannot be read. */
  readonly time: (written: string) => number | undefined
  readonly words: (written: string) => string
  /** The words of a line without readable times, as written. */
  readonly rest: (line: string) => string | undefined
}

/** Reads each line. `form` has a start, an end and words. */
const captionsIn = (
  text: string,
  { form, aside, expected, time, words, rest }: CaptionFormat
): ReadonlyArray<Timed.TimedLine | LostBlock> =>
  text.split("\n").flatMap((written, index): ReadonlyArray<Timed.TimedLine | LostBlock> => {
    if (aside.test(written)) return []
    const line = index + 1
    const [, from = "", to = "", said = ""] = form.exec(written) ?? []
    const start = time(from)
    return start === undefined
      ? [Timed.unreadLine(line, written, expected, rest(written))]
      : [{ line, start, end: time(to), turns: [{ speaker: undefined, text: words(said) }] }]
  })

const decimal = (written: string, unit: number): number | undefined =>
  written === "" ? undefined : Number(written.replace(",", ".")) * unit

const label = /^(-?\d{1,6}[.,]\d{1,9})\t(-?\d{1,6}[.,]\d{1,9})(?:\t(.*))?$/u

/** Whether a text begins like a label track. */
export const isLabelTrack = (text: string): boolean => label.test(text.split("\n", 1)[0] ?? "")

/** Parses a label track. Frequencies below a label, which begin with a backslash, are left out. */
export const readLabelTrack = (text: string, options: Timed.TimedOptions = {}): Timed.ReadSubtitle => {
  const lines = captionsIn(text, {
    form: label,
    aside: /^(?:\s*$|\\)/u,
    expected: "expected a start, an end and a text, separated by tabs",
    time: (written) => decimal(written, 1000),
    words: (written) => written.trim(),
    rest: (line) => line.split("\t").at(-1)
  })
  return Timed.subtitleOf(lines, [], Timed.mediaTime, options, "the labels have no text")
}

const timecode = "\\d{1,2}[:;]\\d{2}[:;]\\d{2}[:;.]\\d{2}"
const beginning = new RegExp(`^(?:\\s*(?://|\\$)[^\\n]*\\n)*\\s*${timecode}\\s*,\\s*${timecode}\\s*,`, "u")

/** Whether a text begins like Spruce STL: comments and settings, then a line with two timecodes. */
export const isSpruceStl = (text: string): boolean => beginning.test(text.slice(0, 20_000))

/** Parses Spruce STL at the rate of the job or its film, else at 25. */
export const readSpruceStl = (text: string, options: Timed.TimedOptions = {}): Timed.ReadSubtitle => {
  const clock = clockIn(text, knownClock(options))
  const lines = captionsIn(text, {
    form: new RegExp(`^\\s*(${timecode})\\s*,\\s*(${timecode})\\s*,(.*)$`, "u"),
    aside: /^\s*(?:\/\/|\$|$)/u,
    expected: "expected a line such as 00:00:01:00 , 00:00:02:12 , Hello",
    time: (written) => timecodeTime(written, clock),
    words: (written) => rowsOf(written.replace(/\^[BIU]/gu, "")).join("\n"),
    rest: (line) => line.split(",").slice(2).join(",") || line
  })
  const expected = "expected EBU STL, or Spruce STL such as 00:00:01:00 , 00:00:02:12 , Hello"
  return Timed.subtitleOf(lines, guessedClock(options), { isTimecode: true, clock }, options, expected)
}

const rowsOf = (words: string): ReadonlyArray<string> => words.split("|").map((row) => row.trim())

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
export const readMicroDvd = (text: string, options: Timed.TimedOptions = {}): Timed.ReadSubtitle => {
  const [head = "", rate] =
    /^\s*\{[01]\}\{[01]\}\s*(\d{2,3}(?:[.,]\d+)?)\s*(?:fps)?\s*(?:\n|$)/iu.exec(text) ?? []
  const written = rate === undefined ? undefined : Number(rate.replace(",", "."))
  const named = knownRate(options)?.rate.value
  const unit = 1000 / (exactRate(written) ?? named ?? usualRate)
  const guessed =
    "frames are counted at 23.976 per second, as the file names no rate; set frameRate if the film has another"
  const notices = written === undefined && named === undefined ? [noticeAt(1, guessed)] : []
  const form = /^\s*\{(-?\d{1,9})\}\{((?:-?\d{1,9})?)\}(.*)$/u
  const captions = head.replace(/[^\n]/gu, "") + text.slice(head.length)
  return readCounted(captions, form, unit, notices, options, "{25}{75}Hello")
}

/** Parses MPL2. */
export const readMpl2 = (text: string, options: Timed.TimedOptions = {}): Timed.ReadSubtitle =>
  readCounted(text, /^\s*\[(-?\d{1,9})\]\[((?:-?\d{1,9})?)\](.*)$/u, 100, [], options, "[10][25]Hello")

/** The exact rate for a rate with few digits: 23.976 and 29.97 mean 24000/1001 and 30000/1001. */
const exactRate = (written: number | undefined): number | undefined => {
  if (written === undefined || !(written >= 10 && written <= 240)) return undefined
  const ntsc = (Math.round(written) * 1000) / 1001
  return Math.abs(written - ntsc) < 0.006 ? ntsc : written
}

const readCounted = (
  text: string,
  form: RegExp,
  unit: number,
  notices: ReadonlyArray<Notice>,
  options: Timed.TimedOptions,
  example: string
): Timed.ReadSubtitle => {
  const expected = `expected a line such as ${example}`
  const time = (written: string) => decimal(written, unit)
  const lines = captionsIn(text, {
    form,
    aside: /^\s*(?:$|\{DEFAULT\})/u,
    expected,
    time,
    words,
    rest: words
  })
  const timed = lines.filter((line) => "turns" in line)
  const nextStart = new Map(timed.map((line, at) => [line, timed[at + 1]?.start]))
  const ended = lines.map((line) =>
    "turns" in line ? { ...line, end: line.end ?? nextStart.get(line) } : line
  )
  const clock = { rate: 1000 / unit, nominal: Math.round(1000 / unit) }
  return Timed.subtitleOf(
    ended,
    notices,
    { isTimecode: false, clock },
    options,
    `no line such as ${example} found`
  )
}

/** The words of a line: `|` breaks it, `/` around or before a row means italics, codes in braces are styles. */
const words = (written: string): string =>
  rowsOf(written.replace(/\{[a-z]:[^{}]*\}/giu, ""))
    .map((row) => row.replace(/^\/(.*?)\/?$/u, "$1"))
    .join("\n")
    .trim()
