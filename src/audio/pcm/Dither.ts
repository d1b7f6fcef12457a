/** Samples as integers of 16 bit, with noise that keeps what is softer than a step. */
import { readAt, writeAt, writeThrough } from "../kernels/KernelArrays.ts"
import { buffer, kernels, noiseAt } from "../kernels/KernelMemory.ts"

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
 * The dither of a programme's sample, in steps of the integers written: between -1 and 1, the nearer to 0 the more
 * often. It depends on the sample's place alone, so that the same sound gives the same file.
 */
export const ditherAt = (place: number): number =>
  noise[noiseOf(Math.floor(place / stretch)) + (place % stretch)]!

/**
 * Writes samples as 16-bit integers to the beginning of `into`, dithered, clamped to full scale; the first is the
 * programme's at `place`. Digital silence stays what it is; NaN becomes 0. Behind them up to 8 integers may be changed.
 */
export const ditheredOf = (samples: Float32Array, place: number, into: Int16Array): void => {
  for (let done = 0; done < samples.length;) {
    const within = (place + done) % stretch
    const count = Math.min(stretch - within, samples.length - done)
    const from = noiseOf(Math.floor((place + done) / stretch)) + within
    const out = writeAt(into, done)
    kernels.dithered(readAt(samples, done, count), out, count, noiseAt + 4 * from)
    writeThrough(out, count, into, done)
    done += count
  }
}
