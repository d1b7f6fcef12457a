/** SMPTE timecode: pictures numbered as hours, minutes, seconds and frames. */
import { Either, Schema } from "effect"
import type { FrameRate } from "../domain/time/FrameRate.ts"

/** Words that are no timecode, or one that this frame rate has not. */
class TimecodeRefused extends Schema.TaggedError<TimecodeRefused>()("TimecodeRefused", {
  found: Schema.String,
  expected: Schema.NonEmptyString
}) {
  override get message(): string {
    return `"${this.found}": expected ${this.expected}`
  }
}

/**
 * The timecode of a picture by its number from 0, `HH:MM:SS:FF`, or `HH:MM:SS;FF` where numbers are dropped. It starts
 * again after 24 hours, as timecode does.
 */
export const timecode = (picture: number, frameRate: FrameRate): string => {
  const number = numberOf(((picture % perDay(frameRate)) + perDay(frameRate)) % perDay(frameRate), frameRate)
  const { nominal, drop } = frameRate
  const seconds = Math.floor(number / nominal)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two)
  return `${parts.join(":")}${drop ? ";" : ":"}${two(number % nominal)}`
}

/** The picture of a timecode, from 0; either separator is taken before the frames. */
export const pictureOf = (text: string, frameRate: FrameRate): Either.Either<number, TimecodeRefused> => {
  const refused = (expected: string) => Either.left(new TimecodeRefused({ found: text, expected }))
  const fields = /^(\d{2}):(\d{2}):(\d{2})[:;](\d{2,3})$/u.exec(text.trim())
  if (fields === null) return refused("a timecode as HH:MM:SS:FF, such as 01:00:00:00")
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = fields.slice(1).map(Number)
  const { nominal } = frameRate
  if (hours > 23 || minutes > 59 || seconds > 59 || frames >= nominal) {
    return refused(`hours to 23, minutes and seconds to 59, and frames to ${nominal - 1}`)
  }
  const dropped = droppedAMinute(frameRate)
  if (dropped > 0 && seconds === 0 && frames < dropped && minutes % 10 !== 0) {
    return refused(
      `a number that exists: drop-frame timecode leaves out frames 0 to ${dropped - 1} of every minute but each tenth`
    )
  }
  const passed = hours * 60 + minutes
  return Either.right(
    (passed * 60 + seconds) * nominal + frames - dropped * (passed - Math.floor(passed / 10))
  )
}

/** How many numbers are left out at the start of a minute: 2 at 29.97, 4 at 59.94. */
const droppedAMinute = ({ drop, nominal }: FrameRate): number => (drop ? nominal / 15 : 0)

/** A picture's number with the dropped ones counted. */
const numberOf = (picture: number, frameRate: FrameRate): number => {
  const dropped = droppedAMinute(frameRate)
  if (dropped === 0) return picture
  const perMinute = frameRate.nominal * 60 - dropped
  const perTenMinutes = perMinute * 10 + dropped
  const tens = Math.floor(picture / perTenMinutes)
  const rest = picture % perTenMinutes
  // The first minute of ten drops nothing: it is longer by what the others drop.
  const minutes = rest < dropped ? 0 : Math.floor((rest - dropped) / perMinute)
  return picture + dropped * (tens * 9 + minutes)
}

const perDay = (frameRate: FrameRate): number => {
  const { nominal } = frameRate
  return 24 * 3600 * nominal - droppedAMinute(frameRate) * 9 * 6 * 24
}

const two = (value: number): string => `${value}`.padStart(2, "0")
