/** Reads TTML time expressions by a document's timing parameters (https://www.w3.org/TR/ttml2/#timing). */
import { type FrameClock, millisOfTimecode } from "../timed/FrameClock.ts"
import type { XmlElement } from "./XmlTree.ts"

/** The timing parameters of a document. */
export interface TtmlClock extends FrameClock {
  readonly ticks: number
  readonly subFrames: number
  /** Whether times are SMPTE timecodes, which count frames from the tape's start. */
  readonly isSmpte: boolean
}

const positive = (text: string | undefined): number | undefined => {
  const value = Number(text)
  return text !== undefined && value > 0 && Number.isFinite(value) ? value : undefined
}

/** Returns the timing parameters of a root element: 30 frames per second and media time unless it says otherwise. */
export const clockOf = ({ attributes }: XmlElement): TtmlClock => {
  const stated = positive(attributes.get("frameRate"))
  const nominal = Math.min(1000, stated ?? 30)
  const [over, under] = (attributes.get("frameRateMultiplier") ?? "1 1").trim().split(/[\s:/]+/u)
  const isNtsc = attributes.get("dropMode") === "dropNTSC" && nominal % 30 === 0
  // Drop-frame timecode exists for 29.97 only. Some files leave the multiplier out.
  const factor =
    isNtsc && !attributes.has("frameRateMultiplier")
      ? 1000 / 1001
      : (positive(over) ?? 1) / (positive(under) ?? 1)
  const subFrames = positive(attributes.get("subFrameRate")) ?? 1
  const dropMode = attributes.get("dropMode")
  const drop = dropMode === "dropNTSC" ? "ntsc" : dropMode === "dropPAL" ? "pal" : undefined
  const rate = nominal * factor
  return {
    rate,
    nominal,
    drop,
    subFrames,
    ticks: positive(attributes.get("tickRate")) ?? (stated === undefined ? 1 : nominal * subFrames),
    isSmpte: attributes.get("timeBase") === "smpte"
  }
}

const clockTime = /^(\d+):(\d{1,2}):(\d{1,2})(?:[.,](\d+)|[:;](\d{1,3})(?:\.(\d+))?)?$/u
const shortTime = /^(\d+):(\d{1,2})(?:[.,](\d+))?$/u
const offsetTime = /^(\d+(?:[.,]\d+)?)\s*(h|m|s|ms|f|t)?$/u

/** Returns the milliseconds of a time expression; undefined for any other text. A bare number means seconds. */
export const ttmlTime = (expression: string, clock: TtmlClock): number | undefined => {
  const text = expression.trim()
  const full = clockTime.exec(text)
  if (full !== null) {
    const [hours = 0, minutes = 0, seconds = 0] = full.slice(1, 4).map(Number)
    const fraction = full[4] === undefined ? 0 : Number(`0.${full[4]}`)
    const frames = Number(full[5] ?? 0) + Number(full[6] ?? 0) / clock.subFrames
    if (clock.isSmpte && full[4] === undefined)
      return millisOfTimecode({ hours, minutes, seconds, frames }, clock)
    return ((hours * 60 + minutes) * 60 + seconds + fraction) * 1000 + (frames * 1000) / clock.rate
  }
  const short = shortTime.exec(text)
  if (short !== null) return (Number(short[1]) * 60 + Number(`${short[2]}.${short[3] ?? 0}`)) * 1000
  const offset = offsetTime.exec(text)
  if (offset === null) return undefined
  const value = Number((offset[1] ?? "").replace(",", "."))
  const unit = offset[2] ?? "s"
  if (unit === "f") return (value * 1000) / clock.rate
  if (unit === "t") return (value * 1000) / clock.ticks
  return (
    value *
    { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }[unit === "h" || unit === "m" || unit === "ms" ? unit : "s"]
  )
}
