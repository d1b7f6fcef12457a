/**
 * SRT, WebVTT and SBV text to blocks: for each cue its time, its number and its lines of text, whatever is missing,
 * doubled or broken around them. Nothing is lost without a notice; a file of which nothing can be read is refused.
 */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { Notice, ScriptFault } from "../../domain/speech/Cue.ts"
import {
  dressedNumberOf,
  excerpt,
  isAsideHead,
  isBlank,
  isInAside,
  numberOf,
  type Paragraph,
  paragraphsOf,
  trimmed,
  withoutCue
} from "../markup/CueLines.ts"
import type { LostBlock } from "./LostBlocks.ts"
import { parseTiming, type CueTiming, type TimingStyle, withoutStrayTimes } from "./TimingLine.ts"

/** One cue as it stands in the file; times in milliseconds, lines trimmed, no empty line at either end. */
export interface CueBlock {
  /** The line of the cue's time, from 1. */
  readonly line: number
  /** The number before it, if there is one. */
  readonly number: number | undefined
  readonly start: number
  readonly end: number
  readonly lines: ReadonlyArray<string>
  /** Where the words cannot be read, though the time can: what the file holds, and what was expected. */
  readonly why?: string
}

/** The blocks of a file in file order. */
export interface CueBlocks {
  readonly blocks: ReadonlyArray<CueBlock>
  readonly lost: ReadonlyArray<LostBlock>
  readonly notices: ReadonlyArray<Notice>
}

/** Scans a whole file. */
export const cueBlocks = (
  text: string,
  style: TimingStyle
): Either.Either<CueBlocks, NonEmptyReadonlyArray<ScriptFault>> => {
  const lines = text.split("\n")
  const timings = lines.map((line) => parseTiming(line, style))
  const scan: Scan = { lines, timings, notices: [], faults: [], unreadable: [], blocks: [], lost: [] }
  const body = style === "vtt" ? passHeader(scan) : 0
  let previous = nextTiming(scan, body)
  passLead(scan, body, previous, style)
  while (previous < lines.length) {
    const next = nextTiming(scan, previous + 1)
    takeCue(scan, previous, next, style)
    previous = next
  }
  return finish(scan, style === "vtt" && body > 0)
}

/** What stands before the first cue: in WebVTT comments and styles, else nothing that belongs there. */
const passLead = (scan: Scan, from: number, time: number, style: TimingStyle): void => {
  const to = textEnd(scan, time, undefined)
  if (style !== "vtt") {
    const first = scan.lines.findIndex((line, at) => at >= from && !isBlank(line))
    if (first < to && numberOf(scan.lines[first]) !== undefined) return loseUntimed(scan, first, to)
    return passOver(scan, from, to, "text before the first cue")
  }
  for (const paragraph of paragraphsOf(scan.lines, from, to))
    if (!isAside(scan, paragraph, time))
      passOver(scan, paragraph.from, paragraph.to, "text outside of any cue")
}

interface Scan {
  readonly lines: ReadonlyArray<string>
  readonly timings: ReadonlyArray<CueTiming>
  readonly notices: Array<Notice>
  readonly faults: Array<ScriptFault>
  readonly unreadable: Array<ScriptFault>
  readonly blocks: Array<CueBlock>
  readonly lost: Array<LostBlock>
}

const finish = (
  scan: Scan,
  headed: boolean
): Either.Either<CueBlocks, NonEmptyReadonlyArray<ScriptFault>> => {
  const faults = [...scan.faults]
  if (scan.blocks.length === 0) {
    faults.push(...scan.unreadable)
    if (faults.length === 0 && !headed) {
      const found = excerpt(scan.lines.find((line) => line.trim() !== "") ?? "")
      faults.push(ScriptFault.make({ line: 1, found, expected: withoutCue(scan.lines) }))
    }
  }
  if (isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  for (const fault of scan.unreadable)
    notice(scan, fault.line, `passed over: ${fault.expected}; "${fault.found}"`)
  return Either.right({
    blocks: scan.blocks,
    lost: scan.lost.sort((a, b) => a.line - b.line),
    notices: scan.notices.sort((a, b) => a.line - b.line)
  })
}

const notice = (scan: Scan, line: number, message: string): void => {
  scan.notices.push(Notice.make({ line, message }))
}

const nextTiming = (scan: Scan, from: number): number => {
  let line = from
  while (line < scan.lines.length && scan.timings[line]?.kind === "none") line++
  return line
}

/**
 * The line above a time line that numbers its cue, if there is one; blank lines may stand between where the number
 * is the next one.
 */
const numberLine = (scan: Scan, time: number, lastNumber: number | undefined): number | undefined => {
  const above = time - 1
  if (dressedNumberOf(scan.lines[above]) === (lastNumber ?? 0) + 1 && isBlank(scan.lines[above - 1]))
    return above
  const number = numberOf(scan.lines[above])
  if (number !== undefined)
    return isBlank(scan.lines[above - 1]) ||
      number === (lastNumber ?? 0) + 1 ||
      scan.timings[above - 1]?.kind === "none"
      ? above
      : undefined
  if (!isBlank(scan.lines[above])) return undefined
  let line = above
  while (line >= 0 && isBlank(scan.lines[line])) line--
  return numberOf(scan.lines[line]) === (lastNumber ?? 0) + 1 && isBlank(scan.lines[line - 1])
    ? line
    : undefined
}

/** Where the text before a time line ends. */
const textEnd = (scan: Scan, time: number, lastNumber: number | undefined): number =>
  time >= scan.lines.length ? time : (numberLine(scan, time, lastNumber) ?? time)

const takeCue = (scan: Scan, time: number, next: number, style: TimingStyle): void => {
  const timing = scan.timings[time]
  const written = excerpt(scan.lines[time] ?? "")
  const last = scan.blocks.at(-1)?.number
  const numbered = numberLine(scan, time, last)
  const number =
    numbered === undefined
      ? undefined
      : (numberOf(scan.lines[numbered]) ?? dressedNumberOf(scan.lines[numbered]))
  if (timing?.kind === "frames") {
    scan.faults.push(
      ScriptFault.make({
        line: time + 1,
        found: written,
        expected: "times in frames cannot be read without a frame rate: convert them to 00:00:00,000"
      })
    )
    return
  }
  const end = textEnd(scan, next, number ?? last)
  if (timing?.kind !== "time") {
    const lines = style === "vtt" ? vttText(scan, time + 1, end, next) : srtText(scan, time + 1, end, number)
    const words = lines.join(" ").trim()
    const arrowOnly = style === "vtt" && words === "" && !/[\p{L}\p{N}]/u.test(written)
    if (arrowOnly) return
    const found = excerpt(words === "" ? written : `${written} ${words}`)
    const expected = timing?.kind === "unreadable" ? timing.why : "expected a time line"
    scan.unreadable.push(ScriptFault.make({ line: time + 1, found, expected }))
    if (style !== "vtt" || !isInAside(scan.lines, time))
      scan.lost.push({ line: time + 1, number, lines, why: `"${found}": ${expected}` })
    return
  }
  if (timing.mended !== undefined) notice(scan, time + 1, timing.mended)
  if (timing.words !== "")
    notice(
      scan,
      time + 1,
      `words behind the time were passed over: "${excerpt(timing.words)}"; a cue's text stands below its time`
    )
  const { lines, times: stray } = withoutStrayTimes(
    trimmed([
      timing.text ?? "",
      ...(style === "vtt" ? vttText(scan, time + 1, end, next) : srtText(scan, time + 1, end, number))
    ])
  )
  for (const at of stray) notice(scan, time + 1, `a time inside the cue's text is not spoken: "${at}"`)
  if (isUntimed(timing.start) && isUntimed(timing.end)) {
    const expected = "99:59:59 stands for a cue without a time: give it one"
    scan.unreadable.push(ScriptFault.make({ line: time + 1, found: written, expected }))
    scan.lost.push({ line: time + 1, number, lines, why: `"${written}": ${expected}` })
    return
  }
  if (timing.end < timing.start)
    notice(scan, time + 1, `the cue ends before it starts (${written}): its end was left open`)
  const times = { start: timing.start, end: Math.max(timing.start, timing.end) }
  if (lines.length === 0 && timing.words !== "") {
    const why = `"${excerpt(timing.words)}": expected the cue's text below its time line`
    scan.blocks.push({ line: time + 1, number, ...times, lines: [timing.words], why })
  } else scan.blocks.push({ line: time + 1, number, ...times, lines })
}

/** 99:59:59, by which some tools mark a cue that has no time yet. */
const isUntimed = (time: number): boolean => Math.floor(time / 1000) === 359_999

/** An SRT cue's text goes on over blank lines, until what follows is a numbered cue that has lost its time line. */
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

/** A numbered cue without a time line, from its number on. */
const loseUntimed = (scan: Scan, from: number, to: number): void => {
  const lines = scan.lines.slice(from, to)
  passOver(scan, from, to, "a cue without a time line")
  const why = `"${excerpt(lines.join(" "))}": expected a time line below the cue's number`
  scan.lost.push({ line: from + 1, number: numberOf(lines[0]), lines: lines.slice(1), why })
}

/** Whether nothing stands from a line on: what was above it is where a file was cut off. */
const endsFile = (scan: Scan, from: number): boolean => scan.lines.slice(from).every((line) => isBlank(line))

/**
 * A WebVTT cue's text ends at the first blank line; what else stands before the next time is comment, style, name
 * or lost.
 */
const vttText = (scan: Scan, from: number, to: number, next: number): ReadonlyArray<string> => {
  const paragraphs = paragraphsOf(scan.lines, from, to)
  const first = paragraphs[0]
  const lines: Array<string> = []
  let rest = paragraphs
  if (first !== undefined && (first.from === from || !isAside(scan, first, next))) {
    if (first.from !== from)
      notice(scan, first.from + 1, "a blank line between a cue's time and its text was passed over")
    lines.push(...trimmed(scan.lines.slice(first.from, first.to)))
    rest = paragraphs.slice(1)
  }
  for (const paragraph of rest)
    if (!isAside(scan, paragraph, next)) {
      passOver(scan, paragraph.from, paragraph.to, "text outside of any cue")
      const text = scan.lines.slice(paragraph.from, paragraph.to)
      const why = `"${excerpt(text.join(" "))}": a blank line ends a WebVTT cue; expected a time line above this text`
      scan.lost.push({ line: paragraph.from + 1, number: undefined, lines: text, why })
    }
  return lines
}

/** Comments, styles and regions, and the line above a time that names its cue. */
const isAside = (scan: Scan, paragraph: Paragraph, next: number): boolean => {
  const first = scan.lines[paragraph.from] ?? ""
  return (
    isAsideHead(first) ||
    (paragraph.to === next && next < scan.lines.length && paragraph.to - paragraph.from === 1) ||
    scan.lines.slice(paragraph.from, paragraph.to).every((line) => isBlank(line)) ||
    /^[^{}]*(?:\{[^{}]*)?\}\s*$/u.test(scan.lines[paragraph.to - 1] ?? "")
  )
}

const passOver = (scan: Scan, from: number, to: number, what: string): void => {
  const words = scan.lines.slice(from, to).join(" ").trim()
  if (words !== "") notice(scan, from + 1, `${what} was passed over: "${excerpt(words)}"`)
}

/** Skips the WEBVTT line and what belongs to it; 0 where there is none, which is worth a notice. */
const passHeader = (scan: Scan): number => {
  const start = scan.lines.findIndex((line) => line.trim() !== "")
  const first = scan.lines[start] ?? ""
  if (!/^\s*WEBVTT(?:\s|$)/iu.test(first)) {
    notice(scan, 1, "the WEBVTT line is missing; read as WebVTT all the same")
    return 0
  }
  if (start > 0 || !first.startsWith("WEBVTT"))
    notice(scan, start + 1, "the WEBVTT line is not written by the book; read all the same")
  let line = start + 1
  while (line < scan.lines.length && scan.lines[line] !== "" && scan.timings[line]?.kind === "none") {
    if (scan.lines[line]?.startsWith("X-TIMESTAMP-MAP") === true)
      notice(scan, line + 1, "X-TIMESTAMP-MAP ties cues to a stream's clock: the times are taken as written")
    line++
  }
  return line
}
