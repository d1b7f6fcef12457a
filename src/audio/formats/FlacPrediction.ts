/**
 * The choices of the FLAC encoder for one channel of a frame: its linear predictor and the partitions of its residual.
 * Only uses basic arithmetic, so that every machine makes the same choices.
 */

/** The highest order of a predictor. */
export const mostOrder = 8

/** Bits of a predictor's weight, with its sign. */
export const weightBits = 15

/** A linear predictor with integer weights. */
export interface Predictor {
  /** How many samples before the present one it uses; 0 predicts silence. */
  readonly order: number
  /** The weights, for the nearest sample first, as multiples of 2^-`shift`. */
  readonly weights: ReadonlyArray<number>
  /** 0 to 15. */
  readonly shift: number
}

const silence: Predictor = { order: 0, weights: [], shift: 0 }

/**
 * Finds the predictor of `count` samples by the Levinson-Durbin recursion. `correlation` is their autocorrelation at
 * lags 0 to 8. An order's weights must save more bits than they take.
 */
export const predictorOf = (correlation: Float64Array, count: number): Predictor => {
  let error = correlation[0]!
  let weights: Array<number> = []
  let best: ReadonlyArray<number> = []
  let least = error
  // An order costs a weight. Halving the error's amplitude, a quarter of its energy, saves one bit per sample.
  const price = 1 + (2 * Math.LN2 * weightBits) / count
  let factor = 1
  for (let order = 1; order <= mostOrder && error > 0; order++) {
    let sum = correlation[order]!
    for (let j = 0; j < order - 1; j++) sum -= weights[j]! * correlation[order - 1 - j]!
    const next = sum / error
    const last = weights
    weights = last.map((weight, j) => weight - next * last[order - 2 - j]!)
    weights.push(next)
    error *= 1 - next * next
    factor *= price
    if (!(error * factor < least)) continue
    least = error * factor
    best = weights
  }
  return rounded(best)
}

/** Rounds weights to integers; each gets the rounding error of those before it. */
const rounded = (weights: ReadonlyArray<number>): Predictor => {
  const most = weights.reduce((highest, weight) => Math.max(highest, Math.abs(weight)), 0)
  const limit = 2 ** (weightBits - 1) - 1
  let shift = 15
  while (shift > 0 && most * 2 ** shift > limit) shift--
  if (most * 2 ** shift < 1 || most * 2 ** shift > limit) return silence
  let error = 0
  const integers = weights.map((weight) => {
    error += weight * 2 ** shift
    const integer = Math.max(-limit, Math.min(limit, Math.round(error)))
    error -= integer
    return integer
  })
  return { order: weights.length, weights: integers, shift }
}

/** How a residual is split into partitions of equal size, each with its Rice parameter. */
export interface Partitions {
  /** There are 2^`order` of them. */
  readonly order: number
  readonly parameters: ReadonlyArray<number>
  /** Estimated size of the residual in bits. */
  readonly bits: number
}

/** The highest order of partitions. */
const mostPartitions = 6

/** Returns the order of the smallest partitions of `count` values, the first `order` of which are not coded. */
export const smallestPartitions = (count: number, order: number): number => {
  let partitions = 0
  while (partitions < mostPartitions && (count >> partitions) % 2 === 0 && count >> (partitions + 1) > order)
    partitions++
  return partitions
}

/**
 * Chooses the partitions of `count` Rice-coded values, the first `order` of which are not coded. `sums` are those of
 * the smallest partitions; they are overwritten.
 */
export const partitionsOf = (
  sums: Float64Array,
  smallest: number,
  count: number,
  order: number
): Partitions => {
  let best: Partitions | undefined
  for (let at = smallest; at >= 0; at--) {
    const size = count >> at
    const parameters: Array<number> = []
    let bits = 0
    for (let part = 0; part < 1 << at; part++) {
      const coded = part === 0 ? size - order : size
      const sum = sums[part]!
      const parameter = parameterOf(sum, coded)
      parameters.push(parameter)
      bits += riceBits(sum, coded, parameter) + parameterBits
    }
    if (best === undefined || bits <= best.bits) best = { order: at, parameters, bits }
    for (let part = 0; 2 * part < 1 << at; part++) sums[part] = sums[2 * part]! + sums[2 * part + 1]!
  }
  return best ?? { order: 0, parameters: [0], bits: 0 }
}

/** Bits of a parameter that is at most 14. */
const parameterBits = 4

/** Returns the size in bits of `count` Rice-coded values with this sum, on average. */
export const riceBits = (sum: number, count: number, parameter: number): number =>
  count * (parameter + 1) + Math.max(0, sum - count / 2) / (1 << parameter)

/** Returns the parameter, 0 to 30, for values with this sum. */
export const parameterOf = (sum: number, count: number): number => {
  const mean = sum / count - 0.5
  return mean < 1 ? 0 : Math.min(30, 31 - Math.clz32(mean))
}
