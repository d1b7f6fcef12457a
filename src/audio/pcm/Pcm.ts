/** Mono PCM in memory, and the way between 16-bit and floating-point samples. */
import { Frames, type SampleRate } from "../../domain/time/Units.ts"
import { floatsOf, loudestOf } from "../kernels/Kernels.ts"

/** Mono PCM. Samples are ±1 at full scale; values beyond are kept until they are written as integers. */
export interface Pcm {
  readonly rate: SampleRate
  readonly samples: Float32Array
}

/** The length in frames. */
export const framesOf = (pcm: Pcm): Frames => Frames.make(pcm.samples.length)

/** The length in milliseconds, not rounded. */
export const lengthOf = (pcm: Pcm): number => (pcm.samples.length * 1000) / pcm.rate

/** A view (no copy) of the frames from `from` up to, not including, `to`; both are clamped to the clip. */
export const sliceOf = (pcm: Pcm, from: number, to: number): Pcm => ({
  rate: pcm.rate,
  samples: pcm.samples.subarray(Math.max(0, from), Math.max(0, from, to))
})

/** The highest absolute sample, 1 at full scale; 0 for no samples. */
export const peakOf = (samples: Float32Array): number => loudestOf(samples)

/** Floats, ±1 at full scale, from 16-bit samples: -32,768 becomes -1. `toInt16` gives the same integers back. */
export const fromInt16 = (samples: Int16Array): Float32Array => {
  const floats = new Float32Array(samples.length)
  floatsOf(samples, 1 / 32_768, floats)
  return floats
}

/**
 * The nearest 16-bit samples, clamped to full scale; NaN becomes 0. Without dither. Written into an array of that
 * length.
 */
export const toInt16 = (
  samples: Float32Array,
  integers: Int16Array<ArrayBuffer> = new Int16Array(samples.length)
): Int16Array<ArrayBuffer> => {
  for (let i = 0; i < samples.length; i++) integers[i] = nearest(samples[i]! * 32_768)
  return integers
}

/** Samples times a factor, as a copy. */
export const scaled = (samples: Float32Array, gain: number): Float32Array => {
  const result = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) result[i] = samples[i]! * gain
  return result
}

/** An amplitude factor from decibels. */
export const gainOf = (decibels: number): number => 10 ** (decibels / 20)

/** Decibels from an amplitude factor; -Infinity for 0. */
export const decibelsOf = (gain: number): number => 20 * Math.log10(gain)

/** The nearest 16-bit integer (halves up); 0 for NaN. The shift into positive numbers makes truncation a floor. */
const nearest = (value: number): number => {
  if (value >= 32_767) return 32_767
  if (value > -32_768) return ((value + 32_768.5) | 0) - 32_768
  return Number.isNaN(value) ? 0 : -32_768
}
