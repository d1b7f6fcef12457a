/** The inner loops for arrays of any length: samples are copied into their memory and back some thousands at a time. */
import {
  around,
  atOnce,
  filtersAt,
  filtersIn,
  inAt,
  integersIn,
  kernels,
  outAt,
  samplesIn,
  samplesOut,
  weightsAt,
  weightsIn
} from "./KernelMemory.ts"

/** The highest absolute value of the samples from `from` up to `to`; 0 for none. */
export const loudestOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let loudest = 0
  for (let at = from; at < to; at += atOnce) {
    const count = Math.min(atOnce, to - at)
    samplesIn.set(samples.subarray(at, at + count), around)
    samplesIn.fill(0, around + count, around + count + 8)
    loudest = Math.max(loudest, kernels.loudest(inAt, count))
  }
  return loudest
}

/** Samples that `levelsOf` takes together. */
export const levelStretch = 64

/** Writes the highest absolute value of every 64 of `count` samples from `from` on to the beginning of `into`. */
export const levelsOf = (samples: Float32Array, from: number, count: number, into: Float32Array): void => {
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done)
    samplesIn.set(samples.subarray(from + done, from + done + some), around)
    samplesIn.fill(0, around + some, around + some + levelStretch)
    kernels.levels(inAt, outAt, some)
    into.set(samplesOut.subarray(0, Math.ceil(some / levelStretch)), done / levelStretch)
  }
}

/** Adds `count` samples from `from` on to those of `to` from `at` on, each sum rounded to 32 bit. */
export const addTo = (
  to: Float32Array,
  at: number,
  samples: Float32Array,
  from: number,
  count: number
): void => {
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done)
    samplesIn.set(samples.subarray(from + done, from + done + some), around)
    samplesOut.set(to.subarray(at + done, at + done + some))
    kernels.added(outAt, inAt, some)
    to.set(samplesOut.subarray(0, some), at + done)
  }
}

/** Writes samples times others, one by one, to the beginning of `into`. */
export const productsOf = (samples: Float32Array, factors: Float32Array, into: Float32Array): void => {
  for (let at = 0; at < samples.length; at += atOnce) {
    const count = Math.min(atOnce, samples.length - at)
    samplesIn.set(samples.subarray(at, at + count), around)
    samplesOut.set(factors.subarray(at, at + count))
    kernels.multiplied(inAt, outAt, count)
    into.set(samplesIn.subarray(around, around + count), at)
  }
}

/** Writes samples times a factor to `into` from `to` on. */
export const scaledOf = (samples: Float32Array, factor: number, into: Float32Array, to: number): void => {
  for (let at = 0; at < samples.length; at += atOnce) {
    const count = Math.min(atOnce, samples.length - at)
    samplesIn.set(samples.subarray(at, at + count), around)
    kernels.scaled(inAt, count, factor)
    into.set(samplesIn.subarray(around, around + count), to + at)
  }
}

/** Writes the integers times `factor` to the beginning of `floats`. */
export const floatsOf = (integers: Int16Array, factor: number, floats: Float32Array): void => {
  for (let at = 0; at < integers.length; at += atOnce) {
    const count = Math.min(atOnce, integers.length - at)
    integersIn.set(integers.subarray(at, at + count))
    kernels.floated(inAt, outAt, count, factor)
    floats.set(samplesOut.subarray(0, count), at)
  }
}

/**
 * Copies `count` samples of `line` from `first` on into the memory, some thousands at a time, each time with `before` samples before
 * and `behind` behind them, and calls `each` with how many there are and how many came earlier.
 */
const along = (
  line: Float32Array,
  first: number,
  count: number,
  before: number,
  behind: number,
  each: (some: number, done: number) => void
): void => {
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done)
    const from = first + done
    samplesIn.set(line.subarray(from - before, from + some + behind), around - before)
    each(some, done)
  }
}

/**
 * Writes twice `count` samples to `into` from `at` on: each of `line` from `first` on, and behind it the one halfway to the next. The
 * weights are those of the samples on one side of the middle, nearest first; the line must hold as many before and behind.
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
  along(line, first, count, weights.length, weights.length, (some, done) => {
    kernels.doubled(inAt, outAt, some, weightsAt, weights.length)
    into.set(samplesOut.subarray(0, 2 * some), at + 2 * done)
  })
}

/**
 * Writes for each of `count` samples of `line` from `first` on the highest level from it to the next to the beginning of `into`: that of
 * both, and a quarter, a half and three quarters of the way between them. The weights are 12 each, nearest first: of the half, of the
 * quarters' even and of their odd part; the line must hold 11 samples before and 12 behind.
 */
export const crestsOf = (
  line: Float32Array,
  first: number,
  count: number,
  weights: Float32Array,
  into: Float32Array
): void => {
  weightsIn.set(weights)
  const side = weights.length / 3
  along(line, first, count, side - 1, side + 1, (some, done) => {
    kernels.crests(inAt, outAt, some, weightsAt)
    into.set(samplesOut.subarray(0, some), done)
  })
}

/**
 * Adds up the squares of `count` samples, read from `from` on in steps of `stride`, behind two filters. `filters` holds the shelf's
 * b0 b1 b2 a1 a2, the high pass's a1 a2 (its b are 1 -2 1), the memory of both, which is four values, and the sum: these five are
 * brought up to date.
 */
export const addPower = (
  samples: Float32Array,
  from: number,
  stride: number,
  count: number,
  filters: Float64Array
): void => {
  filtersIn.set(filters)
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done)
    const at = from + done * stride
    if (stride === 1) samplesIn.set(samples.subarray(at, at + some), around)
    else for (let i = 0, place = at; i < some; i++, place += stride) samplesIn[around + i] = samples[place]!
    kernels.weighted(inAt, some, filtersAt)
  }
  filters.set(filtersIn)
}
