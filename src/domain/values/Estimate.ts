/** A running estimate of a quantity: its mean and its spread. */
import { Schema } from "effect"
import { skipValidation } from "./SkipValidation.ts"

/** A running estimate, in the units of the values given to `learn`. */
export class Estimate extends Schema.Class<Estimate>("Estimate")({
  /** How many values were observed. */
  count: Schema.NonNegativeInt,
  mean: Schema.Number,
  /** Mean absolute deviation, never negative. */
  spread: Schema.NonNegative
}) {}

/** The estimate after the first value. */
const first = (value: number): Estimate =>
  Estimate.make({ count: 1, mean: value, spread: Math.abs(value) / 4 })

/** The minimum weight of a new value. The estimate follows a slower service within about ten tasks. */
const weight = 1 / 8

/** Adds a value to an estimate. Early values count as in a plain mean; later ones weigh 1/8, so old values fade. */
export const learn = (known: Estimate | undefined, value: number): Estimate => {
  if (known === undefined || known.count === 0) return first(value)
  const share = Math.max(weight, 1 / (known.count + 1))
  const error = value - known.mean
  return Estimate.make(
    {
      count: known.count + 1,
      mean: known.mean + share * error,
      spread: known.spread + share * (Math.abs(error) - known.spread)
    },
    skipValidation
  )
}
