/** The line of a subtitle that says when: `start --> end` in every spelling that people and tools leave behind. */

import { asciiDigits, withoutBom } from "../markup/CueLines.ts"

/** What a line is, as a time line: a readable one, one that means to be one and cannot be read, or none at all. */
export type CueTiming =
  | {
      readonly kind: "time"
      /** Milliseconds, zero or more. */
      readonly start: number
      readonly end: number
      /** What was not written by the book, if anything. */
      readonly mended: string | undefined
      /** Words behind the end, where nothing but settings belongs; empty where there are none. */
      readonly words: string
      /** What is said, where the times stand in brackets before it, as transcribers print it. */
      readonly text?: string
    }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "frames" }
  | { readonly kind: "none" }

/**
 * How strictly times are read: WebVTT's own rules keep more than three digits of a fraction from counting, and an
 * arrow is never text.
 */
export type TimingStyle = "srt" | "vtt" | "sbv"

const space = "[ \\t\\f\\u00a0\\u2000-\\u200b\\u202f\\u3000]"
const arrow = "(?:-{1,3}\\s?>|[\\u2010-\\u2014\\u2212]{1,3}\\s?>|=>|\\u2192|\\uf0e0)"
const clock = `-?(?:\\d+\\s*:\\s*)?\\d+\\s*:\\s*\\d+(?:\\s*[.,:;]\\s*\\d+)?|-?\\d{2}[.,]\\d+`

const timeLine = new RegExp(
  `^${space}*(${clock})${space}*(${arrow})${space}*(${clock})(?:${space}(.*)|)$`,
  "u"
)
const anyArrow = new RegExp(arrow, "u")
const halfTime = new RegExp(
  `^${space}*(?:${clock})${space}*${arrow}|${arrow}${space}*(?:${clock})${space}*$`,
  "u"
)
const twoClocks = new RegExp(`^${space}*(?:${clock})\\s*(?:\\S\\s*)?(?:${clock})${space}*$`, "u")

/** A time that can be nothing else: with hours, or with a fraction of a second. */
const fullClock = "(?:\\d+:\\d{1,2}:\\d{1,2}(?:[.,]\\d{1,3})?|\\d{1,3}:\\d{2}[.,]\\d{1,3})"
const withoutArrow = new RegExp(
  `^${space}*(${fullClock})${space}*(,|[;|/~]|[-\\u2010-\\u2015\\u2212]{1,3}|to|${space})${space}*(${fullClock})${space}*$`,
  "u"
)
const numbered = new RegExp(
  `^${space}*(?:#?\\d{1,9}[.):]?${space}+|[-\\u2010-\\u2015*\\u2022]${space}*)(?=${fullClock}${space}*${arrow}${space}*${fullClock})`,
  "u"
)
const bracketed = /^\s*\[([\d:.,\s]{4,40}-->[\d:.,\s]{4,40})\](?:\s+(.*))?$/u
const framed = /^\d+:\d{1,2}:\d{1,2}[:;]\d{1,2}$/u

const expected = "expected a time line such as 00:01:02,500 --> 00:01:04,000"

/** Reads one line. */
export const parseTiming = (written: string, style: TimingStyle): CueTiming => {
  const line = plainOf(written)
  const [, times = "", text = ""] = bracketed.exec(line) ?? []
  if (times !== "") {
    const inner = parseTiming(times, style)
    return inner.kind === "time" && inner.words === "" ? { ...inner, text } : { kind: "none" }
  }
  const joined = style === "vtt" ? undefined : joinedTimes(line, style)
  if (joined !== undefined) return joined
  const match = timeLine.exec(line)
  if (match !== null) {
    const start = (match[1] ?? "").replace(/\s/gu, "")
    const end = (match[3] ?? "").replace(/\s/gu, "")
    if (framed.test(start) || framed.test(end)) return { kind: "frames" }
    if (match[2] !== "-->" && ![start, end].every((side) => /:\d+[:.,;]/u.test(side))) return { kind: "none" }
    const mended = match[2] === "-->" ? undefined : `the arrow "${match[2] ?? ""}" was read as "-->"`
    return timed(start, end, style, mended, wordsIn(match[4] ?? ""))
  }
  if (style !== "vtt" && numbered.test(line)) {
    const behind = parseTiming(line.replace(numbered, ""), style)
    return behind.kind === "time" ? { ...behind, mended: "the text before the time was ignored" } : behind
  }
  if (style === "vtt" ? line.includes("-->") : anyArrow.test(line) && halfTime.test(line) && !ranges(line))
    return { kind: "unreadable", why: expected }
  if (twoClocks.test(line) && /\d+:\d+[:.,;]\d+.*\d+:\d+[:.,;]\d+/u.test(line))
    return line
      .trim()
      .split(/[^\d:.,;]+/u)
      .some((side) => framed.test(side))
      ? { kind: "frames" }
      : { kind: "unreadable", why: `${expected}, with an arrow between` }
  return { kind: "none" }
}

/**
 * Two times without an arrow. A comma between them is how SBV and SubViewer write them, and YouTube's export also puts
 * them into `.srt` files. Any other sign counts only between times with fractions: "1:02:03 - 1:04:05" may be text.
 */
const joinedTimes = (line: string, style: TimingStyle): CueTiming | undefined => {
  const [, start = "", sign = "", end = ""] = withoutArrow.exec(line) ?? []
  if (sign === ",") return timed(start, end, style, undefined)
  return sign !== "" && [start, end].every((side) => /[.,]/u.test(side))
    ? timed(start, end, style, "no arrow between the times: they were read as start and end")
    : undefined
}

const range = `<?\\(?\\[?${fullClock}${space}*${arrow}${space}*${fullClock}\\]?\\)?>?`
const anyRange = new RegExp(range, "u")
const ranges = (line: string): boolean => anyRange.test(line)
const strayTime = new RegExp(
  `${range}|^${space}*[[(]?(?:\\d+:\\d{2}:\\d{2}[.,]\\d{1,3}|\\d{1,2}:\\d{2}[.,]\\d{3}|0\\d:\\d{2}:\\d{2})[\\])]?${space}*$`,
  "gu"
)

/** The lines of a cue's text without times that were left among its words, and those times. */
export const withoutStrayTimes = (
  lines: ReadonlyArray<string>
): { readonly lines: ReadonlyArray<string>; readonly times: ReadonlyArray<string> } => {
  if (!lines.some((line) => /\d:\d/u.test(line))) return { lines, times: [] }
  const times: Array<string> = []
  const kept = lines.flatMap((line) => {
    const words = line.replace(strayTime, (time) => {
      times.push(time.trim())
      return " "
    })
    return words === line ? [line] : words.trim() === "" ? [] : [words.replace(/ {2,}/gu, " ").trim()]
  })
  return { lines: kept, times }
}

/** A line as it would be written by the book: with the digits and signs of ASCII, and nothing that is not seen. */
const plainOf = (written: string): string => {
  if (!/[&\u{80}-\u{10ffff}]/u.test(written) || !/\p{Nd}/u.test(written)) return written
  return asciiDigits(withoutBom(written).replace("--&gt;", "-->"))
}

/**
 * What is left behind a time's end when settings such as `align:start` and `X1:40` are taken from it, if it is words.
 */
const wordsIn = (behind: string): string =>
  /\p{L}{2}/u.test(behind.replace(/[\p{L}\p{N}-]+\s*:\s*\S*/gu, "")) ? behind.trim() : ""

const timed = (
  from: string,
  to: string,
  style: TimingStyle,
  mended: string | undefined,
  words = ""
): CueTiming => {
  const start = clockMillis(from, style)
  const end = clockMillis(to, style)
  if (start === undefined || end === undefined) return { kind: "unreadable", why: expected }
  if (end < 0) return { kind: "unreadable", why: "the cue ends before zero" }
  return start < 0
    ? { kind: "time", start: 0, end, mended: "a start before zero was read as zero", words }
    : { kind: "time", start, end, mended, words }
}

/**
 * Hours may have up to five digits, leading minutes two or three, seconds a zero too many; a short fraction is a
 * decimal one.
 */
const clockMillis = (text: string, style: TimingStyle): number | undefined => {
  const parts = /^(-?)(?:(?:(\d+):)?(\d{1,3}):)?(0?\d{1,2})(?:[.,:;](\d+))?$/u.exec(text)
  if (parts === null) return undefined
  const [, sign, hours, minutes = "0", seconds = "", fraction = "0"] = parts
  const digits = style === "vtt" ? 3 : 9
  if (
    hours === undefined
      ? parts[3] !== undefined && minutes.length < 2
      : minutes.length > 2 || hours.length > 5
  )
    return undefined
  if (Number(seconds) > 59 || (hours !== undefined && Number(minutes) > 59) || fraction.length > digits)
    return undefined
  const value =
    Number(hours ?? 0) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1000 +
    Math.round(Number(`0.${fraction}`) * 1000)
  return sign === "-" ? -value : value
}

/** A hundred thousand hours, in milliseconds: what is beyond is no time. */
export const longestTime = 3.6e11

/** A time as SRT writes it, from milliseconds: `00:01:02,500`; hours grow as they must. */
export const srtClock = (time: number): string => {
  const two = (value: number): string => String(value).padStart(2, "0")
  const seconds = Math.floor(time / 1000)
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)},${String(time % 1000).padStart(3, "0")}`
}
