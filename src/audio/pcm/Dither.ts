/** Converts samples to 16-bit integers with dither: noise that preserves detail below one integer step. */
import { noiseIn } from "../kernels/KernelMemory.ts"
import { ditheredWith } from "../kernels/Kernels.ts"

/** Number of precomputed noise values, and the length of the stretches that read them from one starting point each. */
const noises = 65_536
const stretch = 4_096

/** Hashes a 32-bit integer. */
const scrambled = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

for (let i = 0; i < noises + stretch + 8; i++) {
  const bits = scrambled((i % noises) + 1)
  noiseIn[i] = ((bits & 0xffff) - (bits >>> 16)) / 65_536
}

/** Returns the offset in the noise for a stretch of a programme. */
const noiseOf = (number: number): number => scrambled(number + 1) % noises

/**
 * Returns the dither of a programme's sample, in integer steps: between -1 and 1, triangular distribution (TPDF). It
 * depends on the sample's position only, so the same sound always gives the same file.
 */
export const ditherAt = (place: number): number =>
  noiseIn[noiseOf(Math.floor(place / stretch)) + (place % stretch)]!

/**
 * Writes samples as dithered 16-bit integers to the beginning of `into`, clamped to full scale. The first one is the
 * programme's sample `place`. Digital silence stays zero; NaN becomes 0. With `keepsIntegers`, samples that are whole
 * integers get no dither, so that those of a file with 16 bits stay exact. Up to 8 integers after the last one may be
 * overwritten.
 */
export const ditheredOf = (
  samples: Float32Array,
  place: number,
  into: Int16Array,
  keepsIntegers = false
): void => {
  for (let done = 0; done < samples.length;) {
    const within = (place + done) % stretch
    const count = Math.min(stretch - within, samples.length - done)
    const from = noiseOf(Math.floor((place + done) / stretch)) + within
    ditheredWith(from, samples, into, done, count, keepsIntegers)
    done += count
  }
}
