/** Converts timecodes that count frames to milliseconds (SMPTE ST 12-1). */
import { noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import { type FrameRate, type FrameRateWritten, frameRateNamed } from "../../../domain/time/FrameRate.ts"

/** How a file counts frames. */
export interface FrameClock {
  /** Frames per second, exact: 30000/1001 for 29.97. */
  readonly rate: number
  /** Frames that the timecode counts per second: 30 at 29.97. */
  readonly nominal: number
  /** Whether timecode skips frame numbers to follow the clock. `ntsc` skips 2 in 30, `pal` (M/PAL) 4 in 30. */
  readonly drop?: "ntsc" | "pal" | undefined
}

/** Frame rates for a file that does not state its own. */
export interface KnownRates {
  /** The job's setting. */
  readonly frameRate?: FrameRateWritten | undefined
  /** The rate of the film that the job dubs. */
  readonly filmRate?: FrameRate | undefined
}

/** Returns the clock of a file that does not state its rate: the job's, else the film's, else 25. */
export const knownClock = (known: KnownRates): FrameClock => {
  const { rate, nominal, drop } = knownRate(known) ?? frameRateNamed("25")
  return { rate: rate.value, nominal, drop: drop ? "ntsc" : undefined }
}

/** The clock of a text's timecodes: drop-frame if the first has a semicolon and the rate can drop frames. */
export const clockIn = (text: string, clock: FrameClock): FrameClock => {
  const [first = ""] = /\d{1,2}[:;]\d{1,2}[:;]\d{1,2}[:;.]\d{1,3}/u.exec(text) ?? []
  const drop = clock.drop ?? (first.includes(";") && clock.nominal % 30 === 0 ? "ntsc" : undefined)
  return { ...clock, drop }
}

/** Returns the job's rate, else the film's. */
export const knownRate = ({ frameRate, filmRate }: KnownRates): FrameRate | undefined =>
  frameRate === undefined ? filmRate : frameRateNamed(frameRate)

/** Returns a notice if the rate of `knownClock` is a guess. */
export const guessedClock = (known: KnownRates): ReadonlyArray<Notice> =>
  knownRate(known) === undefined
    ? [
        noticeAt(
          1,
          "timecodes are counted at 25 frames per second; set frameRate if the film has another rate"
        )
      ]
    : []

/** The fields of a timecode. Frames may have a fraction. */
export interface TimecodeFields {
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly frames: number
}

/** Returns the time of a timecode in milliseconds, not rounded. Counts frames from 00:00:00:00. */
export const millisOfTimecode = (
  { hours, minutes, seconds, frames }: TimecodeFields,
  { rate, nominal, drop }: FrameClock
): number => {
  const passed = hours * 60 + minutes
  const counted = (passed * 60 + seconds) * nominal + frames
  return ((counted - dropped(passed, nominal, drop)) * 1000) / rate
}

/** Frame numbers skipped so far: NTSC skips in nine minutes of ten, M/PAL in every second minute but each 20th. */
const dropped = (minutes: number, nominal: number, drop: FrameClock["drop"]): number => {
  const each = Math.round(nominal / 15)
  if (drop === "ntsc") return each * (minutes - Math.floor(minutes / 10))
  if (drop === "pal") return each * 2 * (Math.floor(minutes / 2) - Math.floor(minutes / 20))
  return 0
}

const written = /^\s*(\d{1,2})[:;](\d{1,2})[:;](\d{1,2})(?:[:;.,](\d{1,3}))?\s*$/u

/** Parses a timecode such as `10:00:00:00` or `10;00;00;00`. Undefined if the text is not a timecode. */
export const timecodeFields = (text: string): TimecodeFields | undefined => {
  const fields = written.exec(text)
  if (fields === null) return undefined
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = fields.slice(1).map((field) => Number(field ?? 0))
  return { hours, minutes, seconds, frames }
}

/** Returns the time of a timecode in milliseconds, not rounded; undefined if the text is not a timecode. */
export const timecodeTime = (text: string, clock: FrameClock): number | undefined => {
  const fields = timecodeFields(text)
  return fields === undefined ? undefined : millisOfTimecode(fields, clock)
}

/** Returns the milliseconds of a time such as `1:02:03.5`, `2:03` or `62:03,5`; undefined for any other text. */
export const clockTime = (text: string): number | undefined => {
  const [, hours = 0, minutes, seconds = ""] =
    /^(?:(\d+):)?(\d+):(\d{1,2}(?:[.,]\d+)?)$/u.exec(text.trim()) ?? []
  return minutes === undefined
    ? undefined
    : ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds.replace(",", "."))) * 1000
}

/** Reads a time that may have a minus sign, by a function that reads times without one. */
export const signedTime = (text: string, read: (text: string) => number | undefined): number | undefined => {
  const [, minus = "", rest = ""] = /^\s*([-\u2010-\u2015\u2212]?)\s*(.*)$/su.exec(text) ?? []
  const time = read(rest)
  return time === undefined || minus === "" ? time : -time
}
