/** Mono PCM in memory, and conversion between 16-bit and floating-point samples. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { loudestOf, rounded16Of } from "../kernels/Kernels.ts"

/** Channels of a result: mono, stereo, or 5.1 in the order L, R, C, LFE, Ls, Rs. */
export type ChannelCount = 1 | 2 | 6

/** Mono PCM. Samples are ±1 at full scale; values beyond that are kept until converted to integers. */
export interface Pcm {
  readonly rate: SampleRate
  readonly samples: Float32Array
}

/** Returns the length in milliseconds, not rounded. */
export const lengthOf = (pcm: Pcm): number => (pcm.samples.length * 1000) / pcm.rate

/** Returns a view (no copy) of the frames in [from, to), clamped to the clip. */
export const sliceOf = (pcm: Pcm, from: number, to: number): Pcm => ({
  rate: pcm.rate,
  samples: pcm.samples.subarray(Math.max(0, from), Math.max(0, from, to))
})

/** Returns the highest absolute sample, 1 at full scale; 0 for no samples. */
export const peakOf = (samples: Float32Array): number => loudestOf(samples)

/** Converts 16-bit samples to floats, ±1 at full scale: -32,768 becomes -1. `toInt16` reverses it exactly. */
export const fromInt16 = (samples: Int16Array): Float32Array =>
  floatsOf(samples, 1 / 32_768, new Float32Array(samples.length))

/** Writes integers, times `factor`, to the beginning of `floats`; returns `floats`. */
export const floatsOf = <A extends Float32Array>(integers: Int16Array, factor: number, floats: A): A => {
  for (let i = 0; i < integers.length; i++) floats[i] = integers[i]! * factor
  return floats
}

/**
 * Converts samples to the nearest 16-bit integers (halves up), clamped to full scale, without dither; NaN becomes 0.
 * `integers` must have the same length.
 */
export const toInt16 = (
  samples: Float32Array,
  integers: Int16Array<ArrayBuffer> = new Int16Array(samples.length)
): Int16Array<ArrayBuffer> => {
  rounded16Of(samples, integers)
  return integers
}

/** Returns a copy, multiplied by `gain`. */
export const scaled = (samples: Float32Array, gain: number): Float32Array => {
  const result = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) result[i] = samples[i]! * gain
  return result
}

/** Converts decibels to an amplitude factor. */
export const gainOf = (decibels: number): number => 10 ** (decibels / 20)

/** Converts an amplitude factor to decibels; -Infinity for 0. */
export const decibelsOf = (gain: number): number => 20 * Math.log10(gain)

/** Describes a sound that is too long for its text. */
export const tooLong = (seconds: number): string =>
  `more than ${Math.round(seconds)} seconds of sound, which is too long for its text`
