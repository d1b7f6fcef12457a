/**
 * Scans SRT, WebVTT and SBV text into blocks: each cue's time, number and text lines. Tolerates missing, duplicate and
 * malformed parts. Everything skipped is reported in a notice; a file without any readable cue fails.
 */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { type Notice, faultAt, type ScriptFault } from "../../../domain/speech/Cue.ts"
import { wordCount } from "../../language/WritingSystems.ts"
import {
  asciiDigits,
  dressedNumberOf,
  excerpt,
  isAsideHead,
  isBlank,
  isInAside,
  numberOf,
  paragraphsOf,
  trimmed,
  withoutCue,
  type Paragraph
} from "../../markup/CueLines.ts"
import { notice, passOver, type CueBlock, type NumberLine, type Scan } from "./CueScan.ts"
import type { FrameClock } from "../timed/FrameClock.ts"
import { endBehind } from "../timed/PlausibleTimes.ts"
import type { LostBlock } from "./LostBlocks.ts"
import { isUntimed, parseTimings, withoutStrayTimes, type TimingStyle } from "./TimingLine.ts"

/** The blocks of a file in file order. */
export interface CueBlocks {
  readonly blocks: ReadonlyArray<CueBlock>
  readonly lost: ReadonlyArray<LostBlock>
  readonly notices: ReadonlyArray<Notice>
}

/** Scans a whole file; fails with every fault if no cue can be read. */
export const cueBlocks = (
  text: string,
  style: TimingStyle,
  clock?: FrameClock
): Either.Either<CueBlocks, NonEmptyReadonlyArray<ScriptFault>> => {
  const lines = text.split("\n")
  const timings = parseTimings(lines, style, clock)
  const numbers = numberLines(lines, timings, style)
  const scan: Scan = {
    lines,
    timings,
    numbers,
    notices: [],
    faults: [],
    unreadable: [],
    blocks: [],
    lost: []
  }
  const odd = [...numbers.values()].filter(({ at }) => dressedNumberOf(plainDigits(lines[at])) === undefined)
  if (odd[0] !== undefined) {
    const others = odd.length > 1 ? `, and ${odd.length - 1} like it` : ""
    const written = excerpt(lines[odd[0].at] ?? "")
    notice(scan, odd[0].at + 1, `"${written}" is read as a cue's number, which is not spoken${others}`)
  }
  const body = style === "vtt" ? passVttHeader(scan) : passInformation(scan)
  let previous = nextTiming(scan, body)
  const lead = passLead(scan, body, previous, style)
  while (previous < lines.length) {
    const next = nextTiming(scan, previous + 1)
    takeCue(scan, previous, next, style)
    previous = next
  }
  return finish(scan, style === "vtt" && body > 0 ? lead : firstText(scan.lines))
}

/** Returns the first line that is not blank; undefined if there is none. */
const firstText = (lines: ReadonlyArray<string>, from = 0): number | undefined => {
  let at = from
  while (at < lines.length && isBlank(lines[at])) at++
  return at < lines.length ? at : undefined
}

/**
 * Skips text before the first cue. Only WebVTT comments and styles belong there; anything else is reported. Returns the
 * first reported line.
 */
const passLead = (scan: Scan, from: number, time: number, style: TimingStyle): number | undefined => {
  const to = textEnd(scan, time)
  if (style !== "vtt") {
    const first = firstText(scan.lines, from) ?? to
    if (first < to && numberOf(scan.lines[first]) !== undefined) loseUntimed(scan, first, to)
    else passOver(scan, from, to, "text before the first cue")
    return first < to ? first : undefined
  }
  const lead = paragraphsOf(scan.lines, from, to).filter((paragraph) => !isAside(scan, paragraph, time))
  for (const paragraph of lead) passOver(scan, paragraph.from, paragraph.to, "text outside any cue")
  return lead[0]?.from
}

/** Returns the result. Fails for a file without any time; `text` is its first line with words. */
const finish = (
  scan: Scan,
  text: number | undefined
): Either.Either<CueBlocks, NonEmptyReadonlyArray<ScriptFault>> => {
  const faults = [...scan.faults]
  if (scan.blocks.length === 0) {
    faults.push(...scan.unreadable)
    if (faults.length === 0 && text !== undefined) {
      const { at = text, expected } = withoutCue(scan.lines)
      faults.push(faultAt(at + 1, excerpt(scan.lines[at] ?? ""), expected))
    }
  }
  if (isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  for (const fault of scan.unreadable) notice(scan, fault.line, `skipped "${fault.found}": ${fault.expected}`)
  return Either.right({
    blocks: scan.blocks,
    lost: scan.lost.sort((a, b) => a.line - b.line),
    notices: scan.notices.sort((a, b) => a.line - b.line)
  })
}

const nextTiming = (scan: Scan, from: number): number => {
  let line = from
  while (line < scan.lines.length && scan.timings[line]?.kind === "none") line++
  return line
}

/** Finds the line above each time line that holds the cue's number, if there is one. */
const numberLines = (
  lines: ReadonlyArray<string>,
  timings: Scan["timings"],
  style: TimingStyle
): Scan["numbers"] => {
  const times = timings.flatMap(({ kind }, time) => (kind === "none" ? [] : [time]))
  const isHead = (at: number): boolean => !isBlank(lines[at]) && isBlank(lines[at - 1])
  const above = times.map((time) => time - 1)
  const hasNumber = (at: number): boolean => numberIn(lines[at]) !== undefined
  const isMost = (some: ReadonlyArray<number>, all: ReadonlyArray<number>): boolean =>
    style !== "vtt" && some.length * 2 > all.length
  const isNumbered =
    isMost(above.filter(hasNumber), times) ||
    (style !== "vtt" && times.length > 1 && above.every((at) => isHead(at) && isLabel(lines[at])))
  // Some files have a blank line below each number, others have none between cues.
  const isCounted = (at: number, place: number): boolean =>
    isBlank(lines[at]) && dressedNumberOf(lines[lastText(lines, at)]) === place + 1
  const isSpaced = isMost(above.filter(isCounted), times)
  const later = above.slice(1).filter(hasNumber)
  const isDense =
    isNumbered &&
    isMost(
      later.filter((at) => !isBlank(lines[at - 1])),
      later
    )
  const found = new Map<number, NumberLine>()
  let last = 0
  times.forEach((time, place) => {
    const numberLine = (): NumberLine | undefined => {
      const above = time - 1
      const number = numberOf(lines[above])
      if (number !== undefined)
        return isBlank(lines[above - 1]) || number === last + 1 || timings[above - 1]?.kind === "none"
          ? { at: above, number }
          : undefined
      const at = lastText(lines, above)
      const line = lines[at]
      const written = style === "vtt" ? dressedNumberOf(line) : numberIn(line)
      const isNext = written === last + 1 || ((at === above || isSpaced) && written === place + 1)
      const isPlain = isLabel(line) || dressedNumberOf(line) !== undefined
      if (isNext && (isHead(at) ? isPlain || at === above : isPlain && isNumbered))
        return { at, number: written }
      if (!isLabel(line)) return undefined
      const isBelowText = timings[lastText(lines, at - 1)]?.kind === "none"
      const isHeading = isSpaced ? isHead(at) && isBelowText : isHead(at) || (isDense && isBelowText)
      return isHeading && (isSpaced || (isNumbered && at === above)) ? { at, number: written } : undefined
    }
    const line = numberLine()
    if (line === undefined) return
    found.set(time, line)
    last = line.number ?? last + 1
  })
  return found
}

/** Returns the last line up to `at` that is not blank; -1 if there is none. */
const lastText = (lines: ReadonlyArray<string>, at: number): number => {
  let line = at
  while (line >= 0 && isBlank(lines[line])) line--
  return line
}

/** Returns a line with its digits in ASCII, without marks of direction. */
const plainDigits = (line = ""): string => asciiDigits(line).replaceAll(/\p{Cf}/gu, "")

/** Returns the number in a line such as `2个`, `Cue 2`, `#2` or `2 (dos)`. */
const numberIn = (line: string | undefined): number | undefined =>
  /^.{1,30}$/u.test(line ?? "")
    ? numberOf(/\d{1,9}/u.exec(plainDigits(line?.normalize("NFKC")))?.[0])
    : undefined

/** Whether a line may be a number in words: one to three words that are no sentence. */
const isLabel = (line = ""): boolean =>
  /^.{1,20}$/u.test(line.trim()) && wordCount(line) <= 3 && !/[.?!…,;。？！，]|^\s*[-–—♪[(]/u.test(line)

/** Returns the line at which the text before a time line ends. */
const textEnd = (scan: Scan, time: number): number => scan.numbers.get(time)?.at ?? time

const takeCue = (scan: Scan, time: number, next: number, style: TimingStyle): void => {
  const timing = scan.timings[time]
  const written = excerpt(scan.lines[time] ?? "")
  const number = scan.numbers.get(time)?.number
  if (timing?.kind === "frames") {
    scan.faults.push(
      faultAt(
        time + 1,
        written,
        "times in frames need a frame rate; set frameRate, or convert them to 00:00:00,000"
      )
    )
    return
  }
  const to = textEnd(scan, next)
  if (timing?.kind !== "time") {
    const below = style === "vtt" ? vttText(scan, time + 1, to, next) : srtText(scan, time + 1, to, number)
    const words = below.join(" ").trim()
    const lines = words === "" && hasWords(written) ? [written] : below
    const arrowOnly = style === "vtt" && words === "" && !/[\p{L}\p{N}]/u.test(written)
    if (arrowOnly) return
    const found = excerpt(words === "" ? written : `${written} ${words}`)
    const expected = timing?.kind === "unreadable" ? timing.why : "expected a time line"
    scan.unreadable.push(faultAt(time + 1, found, expected))
    if (style !== "vtt" || !isInAside(scan.lines, time))
      scan.lost.push({ line: time + 1, number, lines, why: `"${found}": ${expected}` })
    return
  }
  if (timing.repair !== undefined) notice(scan, time + 1, timing.repair)
  if (timing.words !== "")
    notice(
      scan,
      time + 1,
      `skipped text after the time: "${excerpt(timing.words)}"; put a cue's text below its time line`
    )
  const { lines, times: stray } = withoutStrayTimes(
    trimmed([
      timing.text ?? "",
      ...(style === "vtt" ? vttText(scan, time + 1, to, next) : srtText(scan, time + 1, to, number))
    ])
  )
  const beside = timing.text === undefined || timing.text === "" ? 0 : 1
  const below = firstText(scan.lines, time + 1) ?? time
  for (const { at, time: found } of stray)
    notice(
      scan,
      (at < beside ? time : below + at - beside) + 1,
      `a time inside the cue's text is not spoken: "${found}"`
    )
  if (isUntimed(timing.start) && isUntimed(timing.end)) {
    const expected = "99:59:59 marks a cue without a time; give it one"
    scan.unreadable.push(faultAt(time + 1, written, expected))
    scan.lost.push({ line: time + 1, number, lines, why: `"${written}": ${expected}` })
    return
  }
  const { start } = timing
  const end = endBehind(start, timing.end)
  if (end < start) notice(scan, time + 1, `the cue ends before it starts (${written}); its end was ignored`)
  const times = { start, end: Math.max(start, end) }
  if (lines.length === 0 && timing.words !== "") {
    const why = `"${excerpt(timing.words)}": expected the cue's text below its time line`
    scan.blocks.push({ line: time + 1, number, ...times, lines: [timing.words], why })
  } else scan.blocks.push({ line: time + 1, number, ...times, lines })
}

/** Whether a line that is meant as a time line contains words besides its times. */
const hasWords = (line: string): boolean => /\p{L}{2}/u.test(line.replace(/\S*[\d:]\S*/gu, ""))

/** Returns an SRT cue's text. It continues over blank lines, up to a numbered cue that lacks its time line. */
const srtText = (scan: Scan, from: number, to: number, number: number | undefined): ReadonlyArray<string> => {
  let end = to
  for (let line = from; line < to; line++) {
    const orphan = numberOf(scan.lines[line])
    if (
      orphan !== undefined &&
      number !== undefined &&
      orphan === number + 1 &&
      isBlank(scan.lines[line - 1]) &&
      (!isBlank(scan.lines[line + 1]) || endsFile(scan, line + 1))
    ) {
      end = line
      loseUntimed(scan, line, to)
      break
    }
  }
  return trimmed(scan.lines.slice(from, end))
}

/** Reports a numbered cue without a time line as lost; `from` is the line of its number. */
const loseUntimed = (scan: Scan, from: number, to: number): void => {
  const lines = scan.lines.slice(from, to)
  passOver(scan, from, to, "a cue without a time line")
  const why = `"${excerpt(lines.join(" "))}": expected a time line below the cue's number`
  scan.lost.push({ line: from + 1, number: numberOf(lines[0]), lines: lines.slice(1), why })
}

/** Whether only blank lines follow: the file was truncated above. */
const endsFile = (scan: Scan, from: number): boolean => scan.lines.slice(from).every((line) => isBlank(line))

/**
 * Returns a WebVTT cue's text, which ends at the first blank line. Anything else before the next time is a comment, a
 * style or a cue identifier; other text is lost.
 */
const vttText = (scan: Scan, from: number, to: number, next: number): ReadonlyArray<string> => {
  const paragraphs = paragraphsOf(scan.lines, from, to)
  const first = paragraphs[0]
  const lines: Array<string> = []
  let rest = paragraphs
  if (first !== undefined && (first.from === from || !isAside(scan, first, next))) {
    if (first.from !== from)
      notice(scan, first.from + 1, "skipped a blank line between a cue's time and its text")
    lines.push(...trimmed(scan.lines.slice(first.from, first.to)))
    rest = paragraphs.slice(1)
  }
  for (const paragraph of rest)
    if (!isAside(scan, paragraph, next)) {
      passOver(scan, paragraph.from, paragraph.to, "text outside any cue")
      const text = scan.lines.slice(paragraph.from, paragraph.to)
      const why = `"${excerpt(text.join(" "))}": a blank line ends a WebVTT cue; expected a time line above this text`
      scan.lost.push({ line: paragraph.from + 1, number: undefined, lines: text, why })
    }
  return lines
}

/** Whether a paragraph is a comment, style or region, or the cue identifier above a time line. */
const isAside = (scan: Scan, paragraph: Paragraph, next: number): boolean => {
  const first = scan.lines[paragraph.from] ?? ""
  return (
    isAsideHead(first) ||
    (paragraph.to === next && next < scan.lines.length && paragraph.to - paragraph.from === 1) ||
    scan.lines.slice(paragraph.from, paragraph.to).every((line) => isBlank(line)) ||
    /^[^{}]*(?:\{[^{}]*)?\}\s*$/u.test(scan.lines[paragraph.to - 1] ?? "")
  )
}

/** Returns the line after the WEBVTT header; 0 (with a notice) if there is no header. */
const passVttHeader = (scan: Scan): number => {
  const start = scan.lines.findIndex((line) => line.trim() !== "")
  const first = scan.lines[start] ?? ""
  if (!/^\s*WEBVTT(?:\s|$)/iu.test(first)) {
    notice(scan, 1, "the WEBVTT header is missing; read as WebVTT anyway")
    return 0
  }
  if (start > 0 || !first.startsWith("WEBVTT"))
    notice(scan, start + 1, "the WEBVTT header is malformed; read anyway")
  let line = start + 1
  while (line < scan.lines.length && scan.lines[line] !== "" && scan.timings[line]?.kind === "none") {
    if (scan.lines[line]?.startsWith("X-TIMESTAMP-MAP") === true)
      notice(
        scan,
        line + 1,
        "ignored X-TIMESTAMP-MAP, which maps times to a stream's clock; times are used as written"
      )
    line++
  }
  return line
}

const field =
  /^\s*\[(?:INFORMATION|TITLE|AUTHOR|SOURCE|FILEPATH|PRG|DELAY|CD TRACK|COMMENT|END INFORMATION|SUBTITLE|COLF|STYLE|SIZE|FONT)\]/iu

/** Returns the line after the header of SubViewer (`[INFORMATION]` to `[SUBTITLE]`, styles); 0 if there is none. */
const passInformation = ({ lines, timings }: Scan): number => {
  const times = timings.findIndex(({ kind }) => kind !== "none")
  const head = lines.slice(0, Math.max(0, times))
  const end = head.findIndex((line) => /^\s*\[END INFORMATION\]/iu.test(line))
  let line = /^\s*\[INFORMATION\]/iu.test(head.find((line) => !isBlank(line)) ?? "") ? end + 1 : 0
  while (line < head.length && (isBlank(head[line]) || field.test(head[line] ?? ""))) line++
  return line
}
