/** Reads a time in a cell of a dialogue list. */
import { clockIn, clockTime, type FrameClock, signedTime, timecodeTime } from "../timed/FrameClock.ts"

const frames = /^\d{1,2}[:;]\d{1,2}[:;]\d{1,2}[:;]\d{1,3}$/u
const seconds = /^(\d{1,9}(?:[.,]\d{1,6})?)\s*s?$/u

/** What a plain number counts, instead of seconds. */
export type TimeUnit = "milliseconds" | "frames"

/** Returns milliseconds: of a timecode with frames, a time with a fraction, or a number of seconds or another unit. */
export const cellTime = (cell: string, clock: FrameClock, unit?: TimeUnit): number | undefined =>
  signedTime(cell.trim(), (text) => unsignedTime(text, clock, unit))

const unsignedTime = (text: string, clock: FrameClock, unit?: TimeUnit): number | undefined => {
  if (frames.test(text)) return timecodeTime(text, clockIn(text, clock))
  const timed = clockTime(text)
  if (timed !== undefined) return timed
  const plain = seconds.exec(text)
  if (plain?.[1] === undefined) return undefined
  return (
    Number(plain[1].replace(",", ".")) *
    (unit === "milliseconds" ? 1 : 1000 / (unit === "frames" ? clock.rate : 1))
  )
}
