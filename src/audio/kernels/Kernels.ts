/**
 * The inner loops for arrays of any length. What they write may leave up to 32 samples of anything behind it, where
 * nothing else is said.
 */
import { along, changeAt, integersAt, readAt, writeAt, writeThrough } from "./KernelArrays.ts"
import {
  atOnce,
  filtersAt,
  filtersIn,
  kernels,
  phasesAt,
  phasesIn,
  weightsAt,
  weightsIn
} from "./KernelMemory.ts"

/** The highest absolute value of the samples from `from` up to `to`; 0 for none. */
export const loudestOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let loudest = 0
  along(to - from, (some, done) => {
    loudest = Math.max(loudest, kernels.loudest(readAt(samples, from + done, some), some))
  })
  return loudest
}

/**
 * Raises what is highest in stretches of `stretch` samples, in `highest` from `at` on, to the highest absolute values
 * of 8,192 samples at most: the first `left` of them belong to the first stretch. Nothing else is changed.
 */
export const raiseTo = (
  highest: Float32Array,
  at: number,
  samples: Float32Array,
  left: number,
  stretch: number
): void => {
  const { length } = samples
  const count = 1 + Math.ceil(Math.max(0, length - left) / stretch)
  const place = changeAt(highest, at, count)
  kernels.raised(readAt(samples, 0, length), length, left, stretch, place)
  writeThrough(place, count, highest, at)
}

/**
 * Adds `count` samples from `from` on to those of `to` from `at` on, each sum rounded to 32 bit; nothing else is
 * changed.
 */
export const addTo = (
  to: Float32Array,
  at: number,
  samples: Float32Array,
  from: number,
  count: number
): void =>
  along(count, (some, done) => {
    const place = changeAt(to, at + done, some)
    kernels.added(place, readAt(samples, from + done, some), some)
    writeThrough(place, some, to, at + done)
  })

/** Writes samples times others, one by one, to the beginning of `into`. */
export const productsOf = (samples: Float32Array, factors: Float32Array, into: Float32Array): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, done)
    const factorsAt = changeAt(factors, done, some)
    kernels.multiplied(readAt(samples, done, some), factorsAt, place, some)
    writeThrough(place, some, into, done)
  })

/** Writes samples times a factor to `into` from `to` on. */
export const scaledOf = (samples: Float32Array, factor: number, into: Float32Array, to: number): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, to + done)
    kernels.scaled(readAt(samples, done, some), place, some, factor)
    writeThrough(place, some, into, to + done)
  })

/** Writes the integers times `factor` to the beginning of `floats`. */
export const floatsOf = (integers: Int16Array, factor: number, floats: Float32Array): void =>
  along(integers.length, (some, done) => {
    const place = writeAt(floats, done)
    kernels.floated(integersAt(integers, done, some), place, some, factor)
    writeThrough(place, some, floats, done)
  })

/**
 * Writes twice `count` samples to `into` from `at` on: each of `line` from `first` on, and behind it the one halfway to
 * the next. The weights are those of the samples on one side of the middle, nearest first; the line must hold as many
 * before and behind.
 */
export const doubledOf = (
  line: Float32Array,
  first: number,
  count: number,
  weights: Float32Array,
  into: Float32Array,
  at: number
): void => {
  weightsIn.set(weights)
  along(count, (some, done) => {
    const place = writeAt(into, at + 2 * done)
    const from = readAt(line, first + done, some, weights.length, weights.length)
    kernels.doubled(from, place, some, weightsAt, weights.length)
    writeThrough(place, 2 * some, into, at + 2 * done)
  })
}

/** A filter in phases, for a rate that is `up` / `down` times another. */
export interface Polyphase {
  readonly up: number
  readonly down: number
  /** Taps of each of the `up` phases: a multiple of 8, 4,096 at most. */
  readonly taps: number
  /** Phase behind phase. */
  readonly filter: Float32Array
}

/**
 * Writes `count` samples at another rate to `into` from `at` on, the first with this phase and with its first tap at
 * `first` in the line: that must hold all their taps. The filter must not have changed since it was last given.
 */
export const sampledOf = (
  line: Float32Array,
  first: number,
  count: number,
  { up, down, taps, filter }: Polyphase,
  phase: number,
  into: Float32Array,
  at: number
): void => {
  const fits = filter.length <= phasesIn.length
  // Of a filter that has no room its phases come one by one.
  const most = fits ? Math.max(1, Math.min(atOnce, Math.floor(((atOnce - taps) * up) / down) - 1)) : 1
  if (fits && loaded !== filter) phasesIn.set(filter)
  loaded = fits ? filter : undefined
  for (let done = 0; done < count; done += most) {
    const some = Math.min(most, count - done)
    const position = phase + done * down
    const own = position % up
    const from = first + (position - own) / up
    const needed = Math.floor((own + (some - 1) * down) / up) + taps
    const place = writeAt(into, at + done)
    if (!fits) phasesIn.set(filter.subarray(own * taps, (own + 1) * taps))
    kernels.sampled(readAt(line, from, needed), place, some, phasesAt, taps, up, down, fits ? own : 0)
    writeThrough(place, some, into, at + done)
  }
}

/** The filter whose phases are in the memory. */
let loaded: Float32Array | undefined

/**
 * Looks between `count` samples of `line` from `first` on and the next, each, for the highest level there: that of
 * both, of what stands a quarter, a half and three quarters of the way, and of the crests of parabolas through these.
 * It is written to the beginning of `into` where it is above `least`; else 0. Returns the highest of those, each taken
 * for twice the louder of both samples at most; 0 for none. The weights stand by threes, nearest first: of the half, of
 * the quarters' even and of their odd part: 12 for a first sight, and those for where that finds three quarters of
 * `least`. The line must hold as many samples before and behind as there are of the latter.
 */
export const crestsOf = (
  line: Float32Array,
  first: number,
  count: number,
  weights: Float32Array,
  least: number,
  into: Float32Array
): number => {
  weightsIn.set(weights)
  const side = weights.length / 3 - 12
  let highest = 0
  along(count, (some, done) => {
    const place = writeAt(into, done)
    const from = readAt(line, first + done, some, side - 1, side)
    highest = Math.max(highest, kernels.crests(from, place, some, weightsAt, least))
    writeThrough(place, some, into, done)
  })
  return highest
}

/**
 * Adds up the squares of `count` samples, read from `from` on in steps of `stride`, behind two filters. `filters` holds
 * the weights of both, the memory of what they have seen and given, and the sum, as kernels.wat has them: the last two
 * are brought up to date.
 */
export const addPower = (
  samples: Float32Array,
  from: number,
  stride: number,
  count: number,
  filters: Float64Array
): void => {
  const inside = filters.buffer === filtersIn.buffer
  if (!inside) filtersIn.set(filters)
  const place = inside ? filters.byteOffset : filtersAt
  along(count * stride, (some, done) =>
    kernels.weighted(readAt(samples, from + done, some), some / stride, 4 * stride, place)
  )
  if (!inside) filters.set(filtersIn)
}
