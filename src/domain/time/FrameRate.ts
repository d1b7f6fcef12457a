/** Video frame rates as exact ratios such as 30000/1001, with drop-frame timecode. */
import { Schema } from "effect"
import { ratio, Ratio } from "./Ratio.ts"
import type { Millis } from "./Units.ts"

/** Returns whether drop-frame timecode exists for a rate. */
const canDrop = ({ numerator, denominator }: Ratio): boolean =>
  denominator === 1001 && (numerator === 30_000 || numerator === 60_000)

/** Names of the supported timeline rates; `df` means drop-frame timecode. */
export const FrameRateName = Schema.Literal(
  "23.976",
  "24",
  "25",
  "29.97",
  "29.97df",
  "30",
  "50",
  "59.94",
  "59.94df",
  "60"
)
export type FrameRateName = typeof FrameRateName.Type

/** Frame rates as written in a manifest. YAML parses names without letters as numbers. */
export const FrameRateWritten = Schema.Union(
  FrameRateName,
  Schema.Literal(23.976, 24, 25, 29.97, 30, 50, 59.94, 60)
)
export type FrameRateWritten = typeof FrameRateWritten.Type

/** A frame rate, and how its frames are numbered. */
export class FrameRate extends Schema.Class<FrameRate>("FrameRate")(
  Schema.Struct({
    /** Frames per second, exact: 30000/1001 for 29.97. */
    rate: Ratio,
    /** Whether timecode is drop-frame, to follow the clock: only at 30000/1001 and 60000/1001. */
    drop: Schema.Boolean
  }).pipe(
    Schema.filter(
      ({ rate, drop }) =>
        !drop || canDrop(rate) || "drop-frame timecode exists only at 29.97 and 59.94 frames per second"
    )
  )
) {
  /** Frames that timecode counts per second: 30 at 29.97. */
  get nominal(): number {
    return Math.round(this.rate.value)
  }
}

/** Returns the frame rate of a name. */
export const frameRateNamed = (written: FrameRateWritten): FrameRate => {
  const name: FrameRateName = `${written}`
  return FrameRate.make({ rate: named[name], drop: name.endsWith("df") })
}

/** Returns the frame rate of an exact ratio. `drop` is ignored if drop-frame timecode does not exist for it. */
export const frameRateOf = (rate: Ratio, drop: boolean): FrameRate =>
  FrameRate.make({ rate, drop: drop && canDrop(rate) })

/** Returns the number of the frame that contains a position. */
export const pictureHolding = (position: Millis, { rate }: FrameRate): number =>
  Math.floor((position * rate.numerator) / (rate.denominator * 1000))

/** Returns how many frames contain a length; the last one may be partly filled. */
export const picturesHolding = (length: Millis, { rate }: FrameRate): number =>
  Math.ceil((length * rate.numerator) / (rate.denominator * 1000))

const named: Readonly<Record<FrameRateName, Ratio>> = {
  "23.976": ratio(24_000, 1001),
  "24": ratio(24),
  "25": ratio(25),
  "29.97": ratio(30_000, 1001),
  "29.97df": ratio(30_000, 1001),
  "30": ratio(30),
  "50": ratio(50),
  "59.94": ratio(60_000, 1001),
  "59.94df": ratio(60_000, 1001),
  "60": ratio(60)
}
