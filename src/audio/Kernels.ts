/** The inner loops of kernels.wat, for arrays of any length: samples are copied into its memory and back some thousands at a time. */
import { kernelCode } from "./KernelCode.ts"

interface Kernels {
  readonly memory: WebAssembly.Memory
  readonly loudest: (samples: number, count: number) => number
  readonly levels: (samples: number, out: number, count: number) => void
  readonly doubled: (line: number, out: number, count: number, weights: number, pairs: number) => void
  readonly added: (to: number, samples: number, count: number) => void
  readonly floated: (integers: number, out: number, count: number, factor: number) => void
  readonly dithered: (samples: number, out: number, count: number, noise: number) => void
  readonly crests: (line: number, out: number, count: number, weights: number) => void
  readonly weighted: (samples: number, count: number, filters: number) => void
}

const kernels = new WebAssembly.Instance<Kernels>(
  new WebAssembly.Module(Uint8Array.from(atob(kernelCode), (letter) => letter.charCodeAt(0))),
  {}
).exports

/** Samples that go through a loop at once: they and what comes of them stay in the processor's nearest memory. */
const atOnce = 8_192

/** Samples that may be read before and behind those. */
const around = 256

// Where things stand in the memory, in bytes.
const weightsAt = 0
const filtersAt = 1_024
const inAt = 4_096 + 4 * around
const outAt = 65_536
const noiseAt = 262_144

const { buffer } = kernels.memory
const weightsIn = new Float32Array(buffer, weightsAt, 256)
const filtersIn = new Float64Array(buffer, filtersAt, 12)
const samplesIn = new Float32Array(buffer, inAt - 4 * around, atOnce + 2 * around)
const integersIn = new Int16Array(buffer, inAt, atOnce)
const samplesOut = new Float32Array(buffer, outAt, 2 * atOnce)
const integersOut = new Int16Array(buffer, outAt, atOnce)

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

/** Values of noise that are at hand, and stretches of a programme that take theirs from one place among them. */
const noises = 65_536
const stretch = 4_096

/** Numbers well scrambled from other numbers, 32 bit. */
const scrambled = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const noise = new Float32Array(buffer, noiseAt, noises + stretch + 8)
for (let i = 0; i < noise.length; i++) {
  const bits = scrambled((i % noises) + 1)
  noise[i] = ((bits & 0xffff) - (bits >>> 16)) / 65_536
}

/** Where in the noise a stretch of a programme begins, by its number. */
const noiseOf = (number: number): number => scrambled(number + 1) % noises

/**
 * The dither of a programme's sample, in steps of the integers written: between -1 and 1, the nearer to 0 the more often. It depends on
 * the sample's place alone, so that the same sound gives the same file.
 */
export const ditherAt = (place: number): number =>
  noise[noiseOf(Math.floor(place / stretch)) + (place % stretch)]!

/**
 * Writes samples as 16-bit integers to the beginning of `into`, dithered, clamped to full scale; the first is the programme's at `place`.
 * Digital silence stays what it is; NaN becomes 0.
 */
export const ditheredOf = (samples: Float32Array, place: number, into: Int16Array): void => {
  for (let done = 0; done < samples.length;) {
    const within = (place + done) % stretch
    const count = Math.min(stretch - within, samples.length - done)
    samplesIn.set(samples.subarray(done, done + count), around)
    const from = noiseOf(Math.floor((place + done) / stretch)) + within
    kernels.dithered(inAt, outAt, count, noiseAt + 4 * from)
    into.set(integersOut.subarray(0, count), done)
    done += count
  }
}
