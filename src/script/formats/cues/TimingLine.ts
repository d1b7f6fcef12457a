/** Parses a subtitle's time line, `start --> end`, in all spellings found in real files. */

import { type FrameClock, millisOfTimecode, timecodeFields } from "../timed/FrameClock.ts"
import { asciiDigits, isBlank, withoutBom } from "../../markup/CueLines.ts"
import { decodeEntities } from "../../markup/HtmlEntities.ts"

/** Whether a line is a time line: `time`, `unreadable` (meant as one), `frames` (counted in frames), or `none`. */
export type CueTiming =
  | {
      readonly kind: "time"
      /** Milliseconds, zero or more. */
      readonly start: number
      readonly end: number
      /** The repair, as a notice; undefined if the line is well-formed. */
      readonly repair: string | undefined
      /** Words after the end time, where only settings belong; empty if there are none. */
      readonly words: string
      /** The cue's text, if it follows bracketed times on the same line, as transcribers print it. */
      readonly text?: string
    }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "frames"; readonly start: string; readonly end: string }
  | { readonly kind: "none" }

/** The format whose times are parsed. In WebVTT, less counts as a damaged time. */
export type TimingStyle = "srt" | "vtt" | "sbv"

const space = "[ \\t\\f\\u00a0\\u2000-\\u200b\\u202f\\u3000]"
const dash = "[-=~\\u2010-\\u2015\\u2212\\u2500\\u30fc]"
const arrow = `(?:${dash}{1,3}(?:\\s${dash}{1,2})?\\s?[>\\u203a\\u00bb]{1,3}|[\\u2190-\\u21ff\\u2794-\\u27be\\u27f0-\\u27ff\\uf0e0])`
const clock = `-?(?:\\d+\\s*:\\s*)?\\d+\\s*:\\s*\\d+(?:\\s*[.,:;]\\s*\\d+(?:\\.\\d+)?)?|-?\\d{2}[.,]\\d+`

const timeLine = new RegExp(
  `^${space}*(${clock})${space}*(${arrow})${space}*(${clock})(?:${space}(.*)|)$`,
  "u"
)
const anyArrow = new RegExp(arrow, "u")
const halfTime = new RegExp(
  `^${space}*(?:${clock})${space}*${arrow}|${arrow}${space}*(?:${clock})${space}*$`,
  "u"
)
/** Signs of times that are read as others: where they stand, what they are read as, and the notice. */
const misspellings = [
  [
    new RegExp(`((?:\\d+:)?\\d{1,2}:\\d{2})${space}(\\d{3})(?=${space}*(?:${arrow}|$))`, "gu"),
    "$1,$2",
    "read the space in a time as a comma"
  ],
  [
    /(?<![\d.:;])(\d{1,3})[.:;](\d{1,2})[.:;](\d{1,2})(?=[.,]\d{3}(?!\d))/gu,
    "$1:$2:$3",
    "read the signs between hours, minutes and seconds as colons"
  ],
  [/(?<![^\d\s:.,;O])O(?![^\d\s:.,;O])/giu, "0", 'read the letter "O" in a time as 0'],
  [/(?<![^\d\s:.,;Il])[Il](?![^\d\s:.,;Il])/gu, "1", 'read the letter "I" or "l" in a time as 1']
] as const

/** A line with `-->` counts as a damaged time line if it has digits beside the arrow, a whole time, or no letters. */
const timelike = /^\s*-?\d+\s*(?::|[.,;]\s*\d)|-->\s*-?\d+\s*(?::|[.,;]\s*\d)|\d:\d{2}[.,:]\d|^[^\p{L}]*$/u

/** An unambiguous time: with hours, or with a fraction of a second. */
const fullClock =
  "(?<!\\d)(?:\\d+:\\d{1,2}:\\d{1,2}(?:[.,]\\d{1,9}(?:\\.\\d+)?)?|\\d{1,3}:\\d{2}[.,]\\d{1,9})"
const anyClock = `\\d+:\\d{1,2}:\\d{1,2}[:;]\\d{1,2}|${fullClock}`
const twoClocks = new RegExp(
  `^${space}*(-?(?:${anyClock}))(${space}*)(.{0,12}?)${space}*(?!-)(${anyClock})${space}*$`,
  "u"
)
const damaged = "[^\\s,;\\p{L}:?]*[\\p{L}:?][^\\s,;]*"
const broken = "(?:[^\\s,;:]*:){2}[^\\s,;]*"
/** Two times with a comma between them, of which one or both are damaged. */
const damagedPair = new RegExp(
  `^${space}*(?:${fullClock}\\s*[,;]\\s*(?:${damaged})?|(?:${damaged})?\\s*[,;]\\s*${fullClock}|(?=(?:\\D*\\d){3})${broken}\\s*[,;]\\s*${broken})[,;]?\\s*$`,
  "u"
)
const loneTime = new RegExp(`^${space}*(?:\\d+:\\d{1,2}:\\d{1,2}[.,]\\d{1,3})${space}*$`, "u")
const numbered = new RegExp(
  `^${space}*(?:#?\\d{1,9}(?:[.):]|\\p{L}{1,2})?${space}+|[-\\u2010-\\u2015*\\u2022"'\`_<>()|]{1,3}${space}*)(?=${fullClock}${space}*${arrow}${space}*${fullClock})`,
  "u"
)
const trailing = /(?<=\d)["'`*_<>()\\|.,;]{1,3}\s*$/u
const bracketed = /^\s*\[([\d:.,\s]{4,40}-->[\d:.,\s]{4,40})\](?:\s+(.*))?$/su
const framed = /^\d+:\d{1,2}:\d{1,2}[:;]\d{1,2}$/u

const expected = "expected a time line such as 00:01:02,500 --> 00:01:04,000"

/** Longest time line: its settings are short. The patterns here need the square of a line's length. */
const maxTimeLine = 200

/** Parses one line. */
export const parseTiming = (written: string, style: TimingStyle): CueTiming => {
  const line = plainOf(written).replace(/(?<![\d:-])((?:\d+:){1,2})-(?=\d)/gu, "-$1")
  const [, times = "", text = ""] = bracketed.exec(line) ?? []
  if (times !== "") {
    const inner = parseTiming(times, style)
    return inner.kind === "time" && inner.words === "" ? { ...inner, text } : { kind: "none" }
  }
  if (line.length > maxTimeLine)
    return style === "vtt" && /^[^-]{1,40}-->/u.test(line)
      ? parseTiming(line.slice(0, maxTimeLine), style)
      : { kind: "none" }
  for (const [spelling, meant, repair] of anyArrow.test(line) ? misspellings : []) {
    const read = line.replace(spelling, meant)
    const timing = read === line ? undefined : parseTiming(read, style)
    if (timing?.kind === "time") return { ...timing, repair }
  }
  const match = timeLine.exec(line)
  if (match !== null) {
    const start = (match[1] ?? "").replace(/\s/gu, "")
    const end = (match[3] ?? "").replace(/\s/gu, "")
    if (framed.test(start) || framed.test(end)) return { kind: "frames", start, end }
    if (match[2] !== "-->" && ![start, end].every((side) => /:\d+[:.,;]/u.test(side))) return { kind: "none" }
    const repair = match[2] === "-->" ? undefined : `read the arrow "${match[2] ?? ""}" as "-->"`
    return timed(start, end, repair, wordsIn(match[4] ?? ""))
  }
  const bare = style !== "vtt" && ranges(line) ? line.replace(numbered, "").replace(trailing, "") : line
  if (bare !== line) {
    const inner = parseTiming(bare, style)
    return inner.kind === "time" ? { ...inner, repair: "ignored the text beside the time" } : inner
  }
  const joined = joinedTimes(line, style)
  if (joined !== undefined) return joined
  if (
    style === "vtt"
      ? line.includes("-->") && timelike.test(line)
      : ((anyArrow.test(line) && halfTime.test(line)) || /\d\S{0,2}\s*-->\s*\S{0,2}\d/u.test(line)) &&
        !(ranges(line) && /\p{L}/u.test(line))
  )
    return { kind: "unreadable", why: expected }
  return style !== "vtt" && damagedPair.test(line) ? { kind: "unreadable", why: expected } : { kind: "none" }
}

const frameMillis = (side: string, clock: FrameClock): number | undefined => {
  const fields = framed.test(side) ? timecodeFields(side) : undefined
  if (fields === undefined) return clockMillis(side, "")
  return fields.frames < clock.nominal ? Math.round(millisOfTimecode(fields, clock)) : undefined
}

/** Parses the lines of a file. A lone time below a blank line, above a text, is a time line that lost its end. */
export const parseTimings = (
  lines: ReadonlyArray<string>,
  style: TimingStyle,
  clock: FrameClock | undefined
): ReadonlyArray<CueTiming> =>
  lines.map((line, at) => {
    const timing = parseTiming(line, style)
    if (timing.kind === "frames" && clock !== undefined) {
      const [start, end] = [timing.start, timing.end].map((side) => frameMillis(side, clock))
      return start === undefined || end === undefined
        ? { kind: "unreadable", why: `expected frames below ${clock.nominal}` }
        : { kind: "time", start, end, repair: undefined, words: "" }
    }
    const begins = timing.kind === "none" && isBlank(lines[at - 1]) && !isBlank(lines[at + 1])
    return begins && style !== "vtt" && loneTime.test(line) ? { kind: "unreadable", why: expected } : timing
  })

/**
 * Parses two times without an arrow. SBV and SubViewer separate them by a comma; YouTube exports that in `.srt` files,
 * too. Any other sign counts only between times with fractions: "1:02:03 - 1:04:05" may be text.
 */
const joinedTimes = (line: string, style: TimingStyle): CueTiming | undefined => {
  const [, start = "", gap = "", sign = "", end = ""] = twoClocks.exec(line) ?? []
  if (start === "") return undefined
  const both = (form: RegExp): boolean => form.test(start) && form.test(end)
  if (framed.test(start) || framed.test(end)) return { kind: "frames", start, end }
  const isUsual = /^(?:[,;|/~]|[-\u2010-\u2015\u2212]{1,3}|\p{L}{1,5}(?: \p{L}{1,5})?|)$/u.test(sign)
  if (/\p{L}/u.test(sign) && !both(isUsual ? /[.,]/u : /[.,]\d{3}$/u)) return undefined
  const noArrow =
    "the times have no arrow between them; the first is read as the start, the second as the end"
  if (sign === ",") return timed(start, end, style === "vtt" ? noArrow : undefined)
  const isUnclear = !isUsual && /[.…\p{L}\p{N}]/u.test(sign)
  return isUnclear || `${gap}${sign}` === "" || !both(/[.,]/u)
    ? { kind: "unreadable", why: `${expected}, with an arrow between the times` }
    : timed(start, end, isUsual ? noArrow : `read "${sign}" as "-->"`)
}

const range = `<?\\(?\\[?${fullClock}${space}*${arrow}${space}*${fullClock}\\]?\\)?>?`
const anyRange = new RegExp(range, "u")
const ranges = (line: string): boolean => anyRange.test(line)
const strayTime = new RegExp(
  `${range}|^${space}*[[(]?(?:\\d+:\\d{2}:\\d{2}[.,]\\d{1,3}|\\d{1,2}:\\d{2}[.,]\\d{3}|0\\d:\\d{2}:\\d{2})[\\])]?${space}*$`,
  "gu"
)

/** A stray time, with the number of its line, counted from 0. */
export interface StrayTime {
  readonly at: number
  readonly time: string
}

/** Removes stray times from a cue's text; returns the remaining lines and the times. */
export const withoutStrayTimes = (
  lines: ReadonlyArray<string>
): { readonly lines: ReadonlyArray<string>; readonly times: ReadonlyArray<StrayTime> } => {
  if (!lines.some((line) => /\d:\d/u.test(line))) return { lines, times: [] }
  const times: Array<StrayTime> = []
  const kept = lines.flatMap((line, at) => {
    const words = line.replace(strayTime, (time) => {
      times.push({ at, time: time.trim() })
      return " "
    })
    return words === line ? [line] : words.trim() === "" ? [] : [words.replace(/ {2,}/gu, " ").trim()]
  })
  return { lines: kept, times }
}

/** Normalizes a line: ASCII digits and arrows, no invisible characters. */
const plainOf = (written: string): string => {
  if (!/[&\u{80}-\u{10ffff}]/u.test(written) || !/\p{Nd}/u.test(written)) return written
  const line = withoutBom(decodeEntities(written))
    .replace(/\u2212(?=\d)|^[\u2010-\u2015](?=\d)/gu, "-")
    .replace(/[\ufe50-\ufe6b\uff01-\uff5e]+/gu, (wide) => wide.normalize("NFKC"))
    .replace(/(?<=\p{Nd})[\u060c\u066b\u066c](?=\p{Nd})/gu, ",")
    .replace(/(?<=\d)[\u3001\u3002\uff64](?=\d)/gu, ".")
    .replace(/(?<=\d)\u2236(?=\d)/gu, ":")
  return asciiDigits(line)
}

/** Returns the text after the end time if it contains words besides settings such as `align:start` and `X1:40`. */
const wordsIn = (behind: string): string =>
  /\p{L}{2}/u.test(behind.replace(/[\p{L}\p{N}-]+\s*:\s*\S*/gu, "")) ? behind.trim() : ""

const timed = (from: string, to: string, repair: string | undefined, words = ""): CueTiming => {
  const start = clockMillis(from, to)
  const end = clockMillis(to, from)
  if (start === undefined || end === undefined) return { kind: "unreadable", why: expected }
  if (end < 0) return { kind: "unreadable", why: "the cue ends before zero" }
  return start < 0
    ? { kind: "time", start: 0, end, repair: startsBeforeZero, words }
    : { kind: "time", start, end, repair, words }
}

/**
 * Parses a time into milliseconds. Hours may have up to five digits, leading minutes two or three, and seconds a
 * superfluous zero. The fraction is decimal: `,5` is 500 ms; `,249.09` are milliseconds with decimals. Programs that
 * round up write 60 seconds or minutes, and `,1000`, unless the line's `other` time has four digits, too.
 */
const clockMillis = (text: string, other: string): number | undefined => {
  const parts = /^(-?)(?:(?:(\d+):)?(\d{1,3}):)?(0?\d{1,2})(?:[.,:;](\d+)(\.\d+)?)?$/u.exec(text)
  if (parts === null) return undefined
  const [, sign, hours, minutes = "0", seconds = "", fraction = "0", decimals] = parts
  const carries = fraction === "1000" && !/[.,:;](?!1000$)\d{4}$/u.test(other)
  if (
    hours === undefined
      ? parts[3] !== undefined && minutes.length < 2
      : minutes.length > 2 || hours.length > 5
  )
    return undefined
  if (Number(seconds) > 60 || (hours !== undefined && Number(minutes) > 60) || fraction.length > 9)
    return undefined
  const value =
    Number(hours ?? 0) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1000 +
    Math.round(
      decimals === undefined && !carries
        ? Number(`0.${fraction}`) * 1000
        : Number(fraction + (decimals ?? ""))
    )
  return sign === "-" ? -value : value
}

/** Whether a time is 99:59:59. Some tools mark cues with it that have no time yet. */
export const isUntimed = (time: number): boolean => Math.floor(time / 1000) === 359_999

/** The notice of a cue that begins before zero and ends after it. */
export const startsBeforeZero = "read a negative start time as zero"

/** Upper bound of valid times in milliseconds: 100,000 hours. */
export const maxTime = 3.6e11
