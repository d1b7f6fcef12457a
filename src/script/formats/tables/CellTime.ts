/** Reads a time in a cell of a dialogue list. */
import { clockIn, type FrameClock, millisOfTimecode } from "../timed/FrameClock.ts"

const frames = /^(\d{1,2})[:;](\d{1,2})[:;](\d{1,2})[:;](\d{1,3})$/u
const clockTime = /^(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,6}))?$/u
const seconds = /^(\d{1,9}(?:[.,]\d{1,6})?)\s*s?$/u

/** What a plain number counts, instead of seconds. */
export type TimeUnit = "milliseconds" | "frames"

/** Returns milliseconds: of a timecode with frames, a time with a fraction, or a number of seconds or another unit. */
export const cellTime = (cell: string, clock: FrameClock, unit?: TimeUnit): number | undefined => {
  const text = cell.trim()
  const counted = frames.exec(text)
  if (counted !== null) {
    const [hours = 0, minutes = 0, whole = 0, count = 0] = counted.slice(1).map(Number)
    return millisOfTimecode({ hours, minutes, seconds: whole, frames: count }, clockIn(text, clock))
  }
  const timed = clockTime.exec(text)
  if (timed !== null)
    return (
      ((Number(timed[1] ?? 0) * 60 + Number(timed[2])) * 60 + Number(`${timed[3]}.${timed[4] ?? 0}`)) * 1000
    )
  const plain = seconds.exec(text)
  if (plain?.[1] === undefined) return undefined
  return (
    Number(plain[1].replace(",", ".")) *
    (unit === "milliseconds" ? 1 : 1000 / (unit === "frames" ? clock.rate : 1))
  )
}
