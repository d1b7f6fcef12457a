/**
 * Typed wrappers of the kernels for arrays of any length. Unless stated otherwise, up to 32 samples after the output
 * may be overwritten.
 */
import { along, changeAt, readAt, readBytesAt, writeAt, writeThrough } from "./KernelArrays.ts"
import {
  atOnce,
  filtersAt,
  filtersIn,
  kernels,
  noiseAt,
  outAt,
  phasesAt,
  phasesIn,
  samplesOut,
  weightsAt,
  weightsIn
} from "./KernelMemory.ts"

/** Returns the highest absolute value of the samples in [from, to); 0 for none. */
export const loudestOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let loudest = 0
  along(to - from, (some, done) => {
    loudest = Math.max(loudest, kernels.loudest(readAt(samples, from + done, some), some))
  })
  return loudest
}

/**
 * Writes the highest absolute value of each channel to `into`. The samples from `from` to `to` are whole frames of
 * `channels` interleaved samples: 1, 2, 3, 4, 6 or 12.
 */
export const loudestEachOf = (
  samples: Float32Array,
  from: number,
  to: number,
  channels: number,
  into: Float32Array
): void => {
  into.fill(0, 0, channels)
  for (let done = from; done < to; done += wholeGroups) {
    const some = Math.min(wholeGroups, to - done)
    kernels.loudestEach(readAt(samples, done, some), some, outAt)
    for (let i = 0; i < group; i++) into[i % channels] = Math.max(into[i % channels]!, samplesOut[i]!)
  }
}

/** Samples of a group, in which each position belongs to one channel, and of as many groups as fit in one call. */
const group = 12
const wholeGroups = atOnce - (atOnce % group)

/** Adds `count` samples from `from` on to every `stride`-th sample of `into` from `at` on. */
export const addedTo = (
  samples: Float32Array,
  from: number,
  count: number,
  into: Float32Array,
  at: number,
  stride: number
): void => {
  const most = Math.floor(atOnce / stride)
  for (let done = 0; done < count; done += most) {
    const some = Math.min(most, count - done)
    const first = at + done * stride
    const span = (some - 1) * stride + 1
    const place = changeAt(into, first, span)
    kernels.added(readAt(samples, from + done, some), place, some, 4 * stride)
    writeThrough(place, span, into, first)
  }
}

/**
 * Adds `count` samples from `from` on, multiplied by each channel's factor, to as many stereo frames of `into` from
 * sample `at` on.
 */
export const pannedTo = (
  samples: Float32Array,
  from: number,
  count: number,
  into: Float32Array,
  at: number,
  left: number,
  right: number
): void => {
  for (let done = 0; done < count; done += atOnce / 2) {
    const some = Math.min(atOnce / 2, count - done)
    const place = changeAt(into, at + 2 * done, 2 * some)
    kernels.panned(readAt(samples, from + done, some), place, some, left, right)
    writeThrough(place, 2 * some, into, at + 2 * done)
  }
}

/** Multiplies samples by factors, one by one, and writes the products to the beginning of `into`. */
export const productsOf = (samples: Float32Array, factors: Float32Array, into: Float32Array): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, done)
    const factorsAt = changeAt(factors, done, some)
    kernels.multiplied(readAt(samples, done, some), factorsAt, place, some)
    writeThrough(place, some, into, done)
  })

/** Multiplies samples by one factor and writes them to `into` from `to` on. */
export const scaledOf = (samples: Float32Array, factor: number, into: Float32Array, to: number): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, to + done)
    kernels.scaled(readAt(samples, done, some), place, some, factor)
    writeThrough(place, some, into, to + done)
  })

/**
 * Upsamples by two. Writes 2 · `count` samples to `into` from `at` on: each sample of `line` from `first` on, followed
 * by the interpolated one halfway to the next. `weights` are those of one side of the midpoint, nearest first. The line
 * must hold that many samples before and after.
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

/** A polyphase filter that changes the rate by `up` / `down`. */
export interface Polyphase {
  readonly up: number
  readonly down: number
  /** Taps of each of the `up` phases: a multiple of 8, at most 4,096. */
  readonly taps: number
  /** Coefficients, phase after phase. */
  readonly filter: Float32Array
}

/**
 * Resamples. Writes `count` samples to `into` from `at` on. The first one uses `phase`, and its first tap is at `first`
 * in the line, which must hold all taps. The filter must not have changed since the last call with it.
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
  // A filter too large for the kernels' memory is copied in one phase at a time.
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

/** The filter that is currently in the kernels' memory. */
let loaded: Float32Array | undefined

/**
 * Finds inter-sample peaks. For each of `count` samples of `line` from `first` on, looks at the interval up to the next
 * sample. The interval's level is the highest of both samples, the points at 1/4, 1/2 and 3/4, and the crests of
 * parabolas through these five. Writes it to the beginning of `into` if above `least`, else 0.
 *
 * Returns the highest level of all, 0 for none. Each is capped at 4/3 of the short filter's level. Where the long
 * filter ran, it is also capped at twice the loudest of the 16 samples around it.
 *
 * `weights` are triples, nearest first: for the point at 1/2, and for the even and odd part of those at 1/4 and 3/4.
 * The first 12 triples are the short filter. The rest are the long one, used where the short one finds three quarters
 * of `least`.
 * The line must hold as many samples before and after as the long filter has triples.
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

/** Converts `count` little-endian integers of 2, 3 or 4 bytes to samples at the beginning of `into`. */
export const decodedOf = (bytes: Uint8Array, width: 2 | 3 | 4, into: Float32Array, count: number): void =>
  along(count, (some, done) => {
    const place = writeAt(into, done)
    kernels.decoded(readBytesAt(bytes, done * width, some * width), place, some, width)
    writeThrough(place, some, into, done)
  })

/**
 * Rounds samples to 24-bit integers, halves up, clamped to full scale, and writes them to the beginning of `into` as
 * little-endian bytes. NaN becomes 0. Up to 16 bytes after them may be overwritten.
 */
export const rounded24Of = (samples: Float32Array, into: Uint8Array): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, 3 * done)
    kernels.rounded(readAt(samples, done, some), place, some)
    writeThrough(place, 3 * some, into, 3 * done)
  })

/**
 * Rounds samples to 16-bit integers, halves up, clamped to full scale, and writes them to the beginning of `into`. NaN
 * becomes 0. In the kernels' memory, up to 14 bytes after them may be overwritten.
 */
export const rounded16Of = (samples: Float32Array, into: Int16Array): void =>
  along(samples.length, (some, done) => {
    const place = writeAt(into, done)
    kernels.rounded16(readAt(samples, done, some), place, some)
    writeThrough(place, some, into, done)
  })

/**
 * Converts `count` samples from `at` on to 16-bit integers, clamped to full scale, and writes them to `into` from `at`
 * on. Adds the dither in `noiseIn` from `noise` on, in integer steps; with `keepsIntegers`, only to samples that are
 * not whole integers. Zero stays zero; NaN becomes 0. `count` is at most 8,192.
 */
export const ditheredWith = (
  noise: number,
  samples: Float32Array,
  into: Int16Array,
  at: number,
  count: number,
  keepsIntegers = false
): void => {
  const place = writeAt(into, at)
  const from = readAt(samples, at, count)
  kernels.dithered(from, place, count, noiseAt + 4 * noise, keepsIntegers ? -1 : 0)
  writeThrough(place, count, into, at)
}

/**
 * K-weights two adjacent channels: `count` frames of `stride` samples, from sample `from` on. With a stride of 1, or at
 * the end of the samples, the second channel's results are meaningless.
 *
 * `filters` has 32 values: 9 coefficients, 6 values of the state, and the sum of the squared results, for each channel
 * in turn. Its state and sums are updated.
 */
export const weightedOf = (
  samples: Float32Array,
  from: number,
  stride: number,
  count: number,
  filters: Float64Array
): void => {
  filtersIn.set(filters)
  const most = Math.floor(atOnce / stride)
  for (let done = 0; done < count; done += most) {
    const some = Math.min(most, count - done)
    kernels.weighted(readAt(samples, from + done * stride, some * stride), 4 * stride, some, filtersAt)
  }
  filters.set(filtersIn)
}
