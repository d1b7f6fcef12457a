/** The rates at which editors count pictures. */
import { Schema } from "effect"
import { ratio, Ratio } from "./Ratio.ts"
import type { Millis } from "./Units.ts"

/** Whether numbers can be dropped at a rate. */
const canDrop = ({ numerator, denominator }: Ratio): boolean =>
  denominator === 1001 && (numerator === 30_000 || numerator === 60_000)

/** The names of the rates that timelines are made in; `df` counts in drop-frame timecode. */
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

/** The same as people write them: YAML reads those without letters as numbers. */
export const FrameRateWritten = Schema.Union(
  FrameRateName,
  Schema.Literal(23.976, 24, 25, 29.97, 30, 50, 59.94, 60)
)
export type FrameRateWritten = typeof FrameRateWritten.Type

/** A rate of pictures, and how they are numbered. */
export class FrameRate extends Schema.Class<FrameRate>("FrameRate")(
  Schema.Struct({
    /** Pictures a second, exact: 30000/1001 for 29.97. */
    rate: Ratio,
    /** Whether numbers are dropped to keep up with the clock: only at 30000/1001 and 60000/1001. */
    drop: Schema.Boolean
  }).pipe(
    Schema.filter(
      ({ rate, drop }) =>
        !drop || canDrop(rate) || "drop-frame timecode exists at 29.97 and 59.94 frames a second only"
    )
  )
) {
  /** The whole number of pictures that timecode counts in a second: 30 at 29.97. */
  get nominal(): number {
    return Math.round(this.rate.value)
  }
}

/** The frame rate of a name. */
export const frameRateNamed = (written: FrameRateWritten): FrameRate => {
  const name: FrameRateName = `${written}`
  return FrameRate.make({ rate: named[name], drop: name.endsWith("df") })
}

/** A frame rate by its exact ratio; numbers are dropped where that is asked for and can be. */
export const frameRateOf = (rate: Ratio, drop: boolean): FrameRate =>
  FrameRate.make({ rate, drop: drop && canDrop(rate) })

/** The picture that holds a position. */
export const pictureHolding = (position: Millis, { rate }: FrameRate): number =>
  Math.floor((position * rate.numerator) / (rate.denominator * 1000))

/** How many pictures hold a length, the last one perhaps not filled. */
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
