/** Exact fractions, for rates such as 30000/1001 that have no exact decimal. */
import { Schema } from "effect"

/** A positive fraction of integers, in lowest terms if `ratio` made it. */
export class Ratio extends Schema.Class<Ratio>("Ratio")({
  numerator: Schema.Positive.pipe(Schema.int()),
  denominator: Schema.Positive.pipe(Schema.int())
}) {
  /** The nearest floating-point number. */
  get value(): number {
    return this.numerator / this.denominator
  }
}

/** Returns the fraction of two positive integers, in lowest terms. */
export const ratio = (numerator: number, denominator = 1): Ratio => {
  const divisor = commonDivisor(numerator, denominator)
  return Ratio.make({ numerator: numerator / divisor, denominator: denominator / divisor })
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))
