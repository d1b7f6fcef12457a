/** Manifest settings that say how a subtitle's times fit its film: `sync` and `rate`. */
import { Schema } from "effect"

/** The reaction of a run to a subtitle that does not fit its film. */
export const SyncMode = Schema.Literal("check", "auto", "off")

/** Frame rates are written as people write them: 23.976 and 29.97 are exactly 24000/1001 and 30000/1001. */
const frameRateWritten = /^\d{1,3}(?:\.\d{1,6})?\/\d{1,3}(?:\.\d{1,6})?$/u

const exactly = (written: string): number => {
  const rate = Number(written)
  const ntsc = Math.round(rate * 1.001) / 1.001
  return Math.abs(ntsc - rate) < 0.002 ? ntsc : rate
}

const quotient = (written: string): number => {
  const [made = "", film = ""] = written.split("/")
  return exactly(made) / exactly(film)
}

const isFactor = (factor: number): boolean => factor >= 0.5 && factor <= 2

/** A factor for cue times: a number, or the frame rates of the subtitle and the film. */
export const RateWritten = Schema.Union(
  Schema.Number.pipe(Schema.between(0.5, 2)),
  Schema.String.pipe(
    Schema.pattern(frameRateWritten),
    Schema.filter((written) => isFactor(quotient(written)))
  )
).annotations({
  message: (issue) => ({
    message: `expected a factor from 0.5 to 2, or two frame rates such as 25/23.976, found ${JSON.stringify(issue.actual)}`,
    override: true
  })
})
export type RateWritten = typeof RateWritten.Type

/** Returns the factor. */
export const factorOf = (written: RateWritten): number =>
  typeof written === "number" ? written : quotient(written)
