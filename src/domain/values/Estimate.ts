/** A quantity that is learned from what was seen: its usual value and how far it strays. */
import { Schema } from "effect"
import { skipValidation } from "./SkipValidation.ts"

/** A running estimate. Units are those of the values given to `learn`. */
export class Estimate extends Schema.Class<Estimate>("Estimate")({
  /** How many values it was learned from. */
  count: Schema.NonNegativeInt,
  mean: Schema.Number,
  /** The usual distance from the mean, never negative. */
  spread: Schema.NonNegative
}) {}

/** What is known after the first value. */
const first = (value: number): Estimate =>
  Estimate.make({ count: 1, mean: value, spread: Math.abs(value) / 4 })

/**
 * The weight of a new value once enough were seen: the estimate follows a service that gets slower within some ten
 * tasks.
 */
const weight = 1 / 8

/**
 * An estimate with one more value. Early values weigh as in a plain mean, later ones 1/8, so that old times are
 * forgotten.
 */
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
