/** Builds a subtitle from timed lines of any format, and subtracts the programme's start from their times. */
import { Array, Either } from "effect"
import {
  Cue,
  LostCue,
  Subtitle,
  noticeAt,
  type Notice,
  faultAt,
  ScriptFault
} from "../../../domain/speech/Cue.ts"
import { type Millis, millis } from "../../../domain/time/Units.ts"
import { skipValidation } from "../../../domain/values/SkipValidation.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { type MarkedTurn, turnsOfMarkup } from "../../markup/CueMarkup.ts"
import { cueVoices, inOrder } from "../../markup/CueVoices.ts"
import { type LostBlock, lostCues } from "../cues/LostBlocks.ts"
import { maxTime, startsBeforeZero } from "../cues/TimingLine.ts"
import { clockText, endBehind, midnights } from "./PlausibleTimes.ts"
import { type FrameClock, knownClock, type KnownRates, millisOfTimecode, timecodeTime } from "./FrameClock.ts"

/** A manifest's settings for an input, apart from its encoding. */
export interface TimedOptions extends KnownRates {
  /** The timecode at which the film begins, such as `10:00:00:00`. By default it is detected. */
  readonly start?: string | undefined
  /** The timecode of the film's first frame. It is the start if no cue comes before it. */
  readonly filmStart?: string | undefined
  /** The spoken language as a tag; chooses among the languages of a DAPT script. */
  readonly language?: string | undefined
}

/** A result of reading a format. */
export type ReadSubtitle = Either.Either<Subtitle, Array.NonEmptyReadonlyArray<ScriptFault>>

/** One line, which becomes a cue. */
export interface TimedLine {
  /** Line in the file, from 1; a binary format counts its blocks. */
  readonly line: number
  /** Milliseconds. */
  readonly start: number
  /** Milliseconds; undefined or not after the start if the file gives the line no length. */
  readonly end: number | undefined
  /** The words of each speaker, still with markup. */
  readonly turns: ReadonlyArray<MarkedTurn>
  readonly sung?: boolean
}

/** A line whose times cannot be read. Its words are `text`, or else what follows the brackets of its times. */
export const unreadLine = (line: number, written: string, expected: string, text = written): LostBlock => ({
  line,
  number: undefined,
  lines: [text.replace(/^(?=[\d\s:.,]*[[\]{}])(?:\s|[[{][^[\]{}\s]{0,12}[\]}]|[\d:.,]+|[[\]{}])+/u, "")],
  why: `"${excerpt(written)}": ${expected}`
})

/** Whether a line begins with a damaged time: fields of up to four characters, with a digit and two colons. */
export const isTimelike = (written: string): boolean =>
  /^\s*[[({<]?(?=[^\s\]]*\d)[^\s:;[\]]{0,4}[:;][^\s:;[\]]{0,4}[:;.]/u.test(written)

/** Where a programme starts in the file's own times. */
export interface ProgrammeStart {
  /** The start that the file itself states, in milliseconds; undefined if it states none. */
  readonly stated?: number | undefined
  /** Whether times are timecodes of a tape or reel, which often begin at a whole hour. */
  readonly isTimecode: boolean
  /** The clock of the file's timecodes. */
  readonly clock: FrameClock
}

/** Times that count from the film's start. */
export const mediaTime: ProgrammeStart = { isTimecode: false, clock: { rate: 25, nominal: 25 } }

const hour = 3_600_000

/** Longest leader before a programme in milliseconds, and the most captions in it. */
const leader = 120_000
const maxBefore = 2

/** Returns the subtitle of timed lines and unreadable ones. Fails with what was `expected` if it has no cue. */
export const subtitleOf = (
  found: ReadonlyArray<TimedLine | LostBlock>,
  notices: ReadonlyArray<Notice>,
  programme: ProgrammeStart,
  options: TimedOptions,
  expected: string
): ReadSubtitle => {
  const [lines, unread] = Array.partition(found, (line): line is LostBlock => "why" in line)
  const lost = [...unread]
  const later = programme.isTimecode ? midnights(lines.map(({ start }) => start)) : []
  const worded = lines
    .map((line, at) => ({
      line: nextDay({ ...line, end: line.end && endBehind(line.start, line.end) }, later[at] ?? 0),
      words: cueVoices(line.turns.flatMap(turnsWithin))
    }))
    .filter(({ words }) => words.text !== "")
  if (worded.length === 0)
    return Either.left([faultAt(unread[0]?.line ?? 1, excerpt(unread[0]?.lines.join(" ") ?? ""), expected)])
  const told = startOf(
    worded.map(({ line }) => line.start),
    programme,
    options
  )
  if (told instanceof ScriptFault) return Either.left([told])
  const said: globalThis.Array<Notice> = [...notices]
  if (told.why !== undefined) said.push(noticeAt(1, told.why))
  const cues: globalThis.Array<Cue> = []
  for (const { line, words } of worded) {
    const start = Math.round(line.start - told.at)
    const end = Math.round((line.end ?? line.start) - told.at)
    const why = !(start < maxTime)
      ? "expected a time below 100,000 hours"
      : Math.max(line.start, line.end ?? line.start) < 0
        ? "the cue ends before zero"
        : undefined
    if (why !== undefined) {
      lost.push(unreadLine(line.line, words.text, why))
      continue
    }
    if (line.start < 0) said.push(noticeAt(line.line, startsBeforeZero))
    if (Math.max(start, end) < 0) {
      const what = excerpt(words.text)
      said.push(noticeAt(line.line, `skipped a cue before the programme's start: "${what}"`))
      continue
    }
    if (line.end !== undefined && line.end < line.start)
      said.push(noticeAt(line.line, "the cue ends before it starts; its end was ignored"))
    const from = Math.max(0, start)
    const times = { start: millis(from), end: millis(end < maxTime ? Math.max(from, end) : from) }
    const sung = line.sung === true ? { sung: true as const } : {}
    cues.push(
      Cue.make({ index: cues.length + 1, ...times, line: line.line, ...sung, ...words }, skipValidation)
    )
  }
  for (const { line, why } of lost) said.push(noticeAt(line, `skipped ${why}`))
  return Either.right(
    Subtitle.make({
      format: "srt",
      cues: inOrder(cues),
      lost: lostCues(
        lost,
        cues.map(({ line, end }) => ({ line, number: undefined, end })),
        cues,
        (text) => cueVoices(turnsOfMarkup(text))
      ),
      notices: said.sort((a, b) => a.line - b.line)
    })
  )
}

/** Subtracts the programme's start from a subtitle's times, if the job names it or the times are timecodes. */
export const fromStart = (read: ReadSubtitle, text: string, options: TimedOptions): ReadSubtitle =>
  Either.flatMap(Either.map(read, afterMidnight), (script) => {
    const isTimecode = /^[ \t]*\d{1,5}:\d\d:\d\d[:;]\d\d[ \t]*-->/mu.test(text)
    const clock = knownClock(options)
    // Times in milliseconds are those of a clock, which the timecodes of 23.976 fps fall behind.
    const programme = {
      isTimecode,
      clock: isTimecode ? clock : { rate: clock.nominal, nominal: clock.nominal }
    }
    const told = startOf(
      script.cues.map(({ start }) => start),
      programme,
      options
    )
    if (told instanceof ScriptFault) return Either.left([told])
    if (told.at === 0) return Either.right(script)
    const shifted = (time: number): Millis => millis(Math.max(0, Math.round(time - told.at)))
    const [before, cues] = Array.partition(script.cues, ({ end }) => end >= told.at)
    const notices = [
      ...(told.why === undefined ? [] : [noticeAt(1, told.why)]),
      ...before.map(({ line, text: words }) =>
        noticeAt(line, `skipped a cue before the programme's start: "${excerpt(words)}"`)
      ),
      ...script.notices
    ]
    return Either.right(
      Subtitle.make({
        ...script,
        cues: cues.map((cue) =>
          Cue.make({ ...cue, start: shifted(cue.start), end: shifted(cue.end) }, skipValidation)
        ),
        lost: script.lost.map((cue) =>
          LostCue.make({ ...cue, start: shifted(cue.start), end: shifted(cue.end) }, skipValidation)
        ),
        notices
      })
    )
  })

/** Adds a day to the times of the cues that follow midnight in the file. */
const afterMidnight = (script: Subtitle): Subtitle => {
  const inFile = [...script.cues].sort((a, b) => a.line - b.line)
  const later = midnights(inFile.map(({ start }) => start))
  return later.every((added) => added === 0)
    ? script
    : Subtitle.make({
        ...script,
        cues: inOrder(
          inFile.map((cue, at) => Cue.make({ ...cue, ...nextDay(cue, later[at] ?? 0) }, skipValidation))
        )
      })
}

const nextDay = <Timed extends { readonly start: number; readonly end: number | undefined }>(
  timed: Timed,
  added: number
): Timed =>
  added === 0
    ? timed
    : {
        ...timed,
        start: millis(timed.start + added),
        end: timed.end === undefined ? undefined : millis(timed.end + added)
      }

/** Returns the turns in the text of one turn, which may contain markup. A speaker in the markup takes precedence. */
export const turnsWithin = ({ speaker, text }: MarkedTurn): ReadonlyArray<MarkedTurn> =>
  turnsOfMarkup(text).map((turn) => ({
    text: turn.text,
    speaker: turn.speaker ?? (speaker === undefined || speaker.trim() === "" ? undefined : speaker.trim())
  }))

interface ToldStart {
  readonly at: number
  readonly why: string | undefined
}

/**
 * The start of the film: that of the manifest, else that of the file or of the film itself, if the cues come after that
 * time. Otherwise, in a file with timecodes, the whole hour before the first cue, if that cue is in the hour's first
 * half. A few cues shortly before a whole hour belong to a leader.
 */
const startOf = (
  starts: ReadonlyArray<number>,
  { stated, isTimecode, clock }: ProgrammeStart,
  { start: named, filmStart }: TimedOptions
): ToldStart | ScriptFault => {
  if (named !== undefined) {
    const at = timecodeTime(named, clock)
    return at === undefined
      ? faultAt(1, named, "start: expected a timecode such as 10:00:00:00 or a time such as 00:59:50")
      : { at, why: undefined }
  }
  const [first, ...others] = starts
  if (first === undefined) return { at: 0, why: undefined }
  const counted = (from: string, at: number, shown = clockText(at)): ToldStart => ({
    at,
    why: `times are counted from ${shown}, ${from}; set "start" if the film begins elsewhere`
  })
  const sorted = [first, ...others].sort((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? first
  if (stated !== undefined && stated > 0 && middle >= stated)
    return counted("the start of the programme that the file states", stated)
  const filmed = timecodeTime(filmStart ?? "", clock) ?? 0
  if (filmed >= hour / 2 && (sorted[0] ?? 0) >= filmed) return counted("the film's own timecode", filmed)
  if (!isTimecode) return { at: 0, why: undefined }
  // A zero subtitle of a title page, far before the others, does not count.
  const earliest = sorted.find((start) => start > middle - 6 * hour) ?? first
  const reel = Math.floor(earliest / hour)
  const hourAt = (hours: number) => millisOfTimecode({ hours, minutes: 0, seconds: 0, frames: 0 }, clock)
  const at = hourAt(reel)
  const next = hourAt(reel + 1)
  // A slate or a test caption, shortly before the programme.
  const before = sorted.filter((start) => start >= earliest && start < next)
  if (earliest >= next - leader && before.length <= maxBefore && middle >= next)
    return counted("the whole hour after the first cue", next, clockText((reel + 1) * hour))
  return reel > 0 && earliest - at < hour / 2
    ? counted("the whole hour before the first cue", at, clockText(reel * hour))
    : { at: 0, why: undefined }
}
