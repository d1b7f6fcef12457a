/** SMPTE timecode: numbers video frames as hours, minutes, seconds and frames (SMPTE ST 12-1). */
import { Either, Schema } from "effect"
import type { FrameRate } from "../../domain/time/FrameRate.ts"

/** Text that is not a timecode, or a timecode that does not exist at this frame rate. */
class TimecodeRefused extends Schema.TaggedError<TimecodeRefused>()("TimecodeRefused", {
  found: Schema.String,
  expected: Schema.NonEmptyString
}) {
  override get message(): string {
    return `"${this.found}": expected ${this.expected}`
  }
}

/**
 * Formats the timecode of a video frame, counted from 0: `HH:MM:SS:FF`, or `HH:MM:SS;FF` for drop-frame. It wraps after
 * 24 hours.
 */
export const timecode = (picture: number, frameRate: FrameRate): string => {
  const number = numberOf(((picture % perDay(frameRate)) + perDay(frameRate)) % perDay(frameRate), frameRate)
  const { nominal, drop } = frameRate
  const seconds = Math.floor(number / nominal)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two)
  return `${parts.join(":")}${drop ? ";" : ":"}${two(number % nominal)}`
}

/** Parses a timecode into a video frame, counted from 0; accepts `:` and `;` before the frames. */
export const pictureOf = (text: string, frameRate: FrameRate): Either.Either<number, TimecodeRefused> => {
  const refused = (expected: string) => Either.left(new TimecodeRefused({ found: text, expected }))
  const fields = /^(\d{2}):(\d{2}):(\d{2})[:;](\d{2,3})$/u.exec(text.trim())
  if (fields === null) return refused("a timecode in the form HH:MM:SS:FF, such as 01:00:00:00")
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = fields.slice(1).map(Number)
  const { nominal } = frameRate
  if (hours > 23 || minutes > 59 || seconds > 59 || frames >= nominal)
    return refused(`hours up to 23, minutes and seconds up to 59, frames up to ${nominal - 1}`)
  const dropped = droppedAMinute(frameRate)
  if (dropped > 0 && seconds === 0 && frames < dropped && minutes % 10 !== 0)
    return refused(
      `a timecode that exists: drop-frame timecode skips frames 0 to ${dropped - 1} of every minute except each tenth`
    )
  const passed = hours * 60 + minutes
  return Either.right(
    (passed * 60 + seconds) * nominal + frames - dropped * (passed - Math.floor(passed / 10))
  )
}

/** Frame numbers skipped at the start of a minute: 2 at 29.97 fps, 4 at 59.94 fps. */
const droppedAMinute = ({ drop, nominal }: FrameRate): number => (drop ? nominal / 15 : 0)

/** Converts a video frame to its timecode number, which counts the skipped numbers, too. */
const numberOf = (picture: number, frameRate: FrameRate): number => {
  const dropped = droppedAMinute(frameRate)
  if (dropped === 0) return picture
  const perMinute = frameRate.nominal * 60 - dropped
  const perTenMinutes = perMinute * 10 + dropped
  const tens = Math.floor(picture / perTenMinutes)
  const rest = picture % perTenMinutes
  // The first minute of ten skips nothing, so it is longer.
  const minutes = rest < dropped ? 0 : Math.floor((rest - dropped) / perMinute)
  return picture + dropped * (tens * 9 + minutes)
}

const perDay = (frameRate: FrameRate): number => {
  const { nominal } = frameRate
  return 24 * 3600 * nominal - droppedAMinute(frameRate) * 9 * 6 * 24
}

const two = (value: number): string => `${value}`.padStart(2, "0")
