/**
 * Finds peaks of the continuous signal between samples (ITU-R BS.1770-4 annex 2). Separates interleaved channels only
 * where they are loud enough for one.
 */
import { type Buffer32, bufferFor } from "../kernels/BufferPool.ts"
import { crestsOf, loudestEachOf, loudestOf } from "../kernels/Kernels.ts"
import { kaiser } from "../pcm/KaiserWindow.ts"

/** Samples from which the level between the two middle ones is interpolated. */
export const interpolatorTaps = 48

/**
 * Taps of a second, shorter filter on the middle samples; the higher result of both counts. The two differ only just
 * below the Nyquist frequency, where meters differ, too. In noise that reaches up to there, one filter misses crests
 * that meters see, by up to 0.5 dB.
 */
const firstTaps = 24

/** Intervals examined at once. */
const atOnce = 2_048

/** Samples around an interval that decide whether it can have a peak. */
const around = 8

/** Finds the peaks of one stream of interleaved samples. */
export class InterSamplePeaks {
  private line: Float32Array | undefined
  private found: Float32Array | undefined
  /** The highest level of each channel around the intervals. */
  private readonly loudest: Float32Array

  constructor(
    private readonly channels: number,
    private readonly allocate: Buffer32
  ) {
    this.loudest = new Float32Array(channels)
  }

  /**
   * Looks at the interval after each of `count` frames of `held` from frame `first` on. Returns the highest level above
   * `ceiling`, over all channels; 0 if there is none. Writes each interval's level to `into`, 0 if it is not above
   * `ceiling`. If there is no `into`, the ceiling rises to the highest level found. `held` must have 23 frames before
   * `first` and 24 after the last one.
   */
  above(held: Float32Array, first: number, count: number, ceiling: number, into?: Float32Array): number {
    const { channels, loudest } = this
    let highest = 0
    for (let done = 0; done < count; done += atOnce) {
      const some = Math.min(atOnce, count - done)
      const from = first + done
      into?.fill(0, done, done + some)
      const least = into === undefined ? Math.max(ceiling, highest) : ceiling
      this.examine(held, (from - around + 1) * channels, (from + some + around) * channels)
      if (loudest.every((level) => level <= Math.fround(least) / 2)) continue
      highest = Math.max(highest, this.crestsIn(held, from, some, least, into?.subarray(done, done + some)))
    }
    return highest
  }

  /** Finds the highest level of each channel; if there are 5, 7 or 8, that of all channels. */
  private examine(held: Float32Array, from: number, to: number): void {
    const { channels, loudest } = this
    if (channels > 1 && 12 % channels === 0) loudestEachOf(held, from, to, channels, loudest)
    else loudest.fill(loudestOf(held, from, to))
  }

  private crestsIn(
    held: Float32Array,
    from: number,
    count: number,
    ceiling: number,
    into: Float32Array | undefined
  ): number {
    const { channels, allocate } = this
    this.found = bufferFor(atOnce, this.found, allocate)
    if (channels === 1) return crestsAbove(held, from, count, ceiling, into ?? this.found)
    const before = interpolatorTaps / 2 - 1
    const length = count + interpolatorTaps - 1
    this.line = bufferFor(atOnce + interpolatorTaps, this.line, allocate)
    const { found, line, loudest } = this
    let highest = 0
    for (let channel = 0; channel < channels; channel++) {
      // Above twice the loudest sample, the kernel finds nothing.
      if (loudest[channel]! <= Math.fround(ceiling) / 2) continue
      for (let i = 0, at = (from - before) * channels + channel; i < length; i++, at += channels)
        line[i] = held[at]!
      const level = crestsAbove(line, before, count, ceiling, found)
      highest = Math.max(highest, level)
      if (into === undefined || level === 0) continue
      for (let i = 0; i < count; i++) if (found[i]! > into[i]!) into[i] = found[i]!
    }
    return highest
  }
}

/**
 * Finds inter-sample peaks above `ceiling`. For each of `count` samples of `line` from `first` on, looks at the
 * interval up to the next sample. Writes its highest level to `into`, or 0 if that does not exceed `ceiling`. Returns
 * the highest of them; if that is 0, `into` may be left unchanged. The line must hold 23 samples before `first` and 24
 * after the last.
 */
const crestsAbove = (
  line: Float32Array,
  first: number,
  count: number,
  ceiling: number,
  into: Float32Array
): number => crestsOf(line, first, count, places, ceiling, into)

/**
 * Returns the weights of the samples left of an interval, nearest first, for a position within it: a Kaiser-windowed
 * sinc.
 */
const weights = (count: number, place: number): Float64Array => {
  const taps = Float64Array.from({ length: count }, (_, tap) => {
    const distance = tap - (count / 2 - 1) - place
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * kaiser(distance / (count / 2), 6)
  })
  // Normalized, so that a constant passes unchanged.
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps
    .map((tap) => tap / sum)
    .subarray(0, count / 2)
    .reverse()
}

/**
 * Returns the weights of `count` samples in the kernel's layout: for the half, and for the quarters as even and odd
 * part. The phases for 1/4 and 3/4 mirror each other, so pairs of samples share products.
 */
const placesOf = (count: number): ReadonlyArray<number> => {
  const halves = weights(count, 1 / 2)
  const quarters = weights(count, 1 / 4)
  const threeQuarters = weights(count, 3 / 4)
  return [...quarters].flatMap((near, tap) => [
    halves[tap]!,
    (near + threeQuarters[tap]!) / 2,
    (near - threeQuarters[tap]!) / 2
  ])
}

const places = Float32Array.from([...placesOf(firstTaps), ...placesOf(interpolatorTaps)])
