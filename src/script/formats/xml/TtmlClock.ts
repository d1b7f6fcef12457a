/** Reads TTML time expressions by a document's timing parameters (https://www.w3.org/TR/ttml2/#timing). */
import {
  clockTime,
  type FrameClock,
  millisOfTimecode,
  signedTime,
  timecodeFields
} from "../timed/FrameClock.ts"
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

const framedTime = /^(\d+:\d{1,2}:\d{1,2})(?:[:;](\d{1,3})(?:\.(\d+))?)?$/u
const offsetTime = /^(\d+(?:[.,]\d+)?)\s*(h|m|s|ms|f|t)?$/u

/** Returns the milliseconds of a time expression; undefined for any other text. A bare number means seconds. */
export const ttmlTime = (expression: string, clock: TtmlClock): number | undefined =>
  signedTime(expression.trim(), (text) => unsignedTime(text, clock))

const unsignedTime = (text: string, clock: TtmlClock): number | undefined => {
  const [, whole = "", count = 0, part = 0] = framedTime.exec(text) ?? []
  const frames = Number(count) + Number(part) / clock.subFrames
  const fields = clock.isSmpte ? timecodeFields(whole) : undefined
  if (fields !== undefined) return millisOfTimecode({ ...fields, frames }, clock)
  const timed = clockTime(whole === "" ? text : whole)
  if (timed !== undefined) return timed + (frames * 1000) / clock.rate
  const [, value, unit = "s"] = offsetTime.exec(text) ?? []
  const perSecond: Readonly<Record<string, number>> = { ms: 1000, f: clock.rate, t: clock.ticks }
  const seconds: Readonly<Record<string, number>> = { h: 3600, m: 60 }
  return value === undefined
    ? undefined
    : (Number(value.replace(",", ".")) * 1000 * (seconds[unit] ?? 1)) / (perSecond[unit] ?? 1)
}
