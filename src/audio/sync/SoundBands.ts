/**
 * Band levels of a film's sound, every 10 ms: all that the search for speech needs of it. They take 8 bytes per step,
 * 6 MB for two hours.
 */
import { FourierTransform } from "../pcm/FourierTransform.ts"

/** Samples of a window: at 8 kHz, 16 ms are short enough to find the start of a word. */
const window = 128

/** Samples between the beginnings of two windows. */
const hop = 80

/** The sample rate of the sound, in hertz: just enough for the bands below. */
export const soundRate = 8_000

/** Steps per second. */
export const stepsPerSecond = 100

/** The bands' edges, in hertz: from a voice's pitch to its consonants. */
const edges = [125, 312, 500, 750, 1000, 1500, 2000, 2750, 4000] as const

/** The number of bands. */
export const bandCount = edges.length - 1

/** The edges' places in a transform. */
const bins = edges.map((edge) => Math.round((edge * window) / soundRate))

/** The level stored as 0, in dBFS; each unit above is half a decibel. */
const lowest = -110

/** Levels of a sound: `bands[step * bandCount + band]`, in half decibels. */
export interface BandLevels {
  readonly bands: Uint8Array
  readonly steps: number
}

/** Computes band levels from a stream of samples. Memory does not depend on the size of its blocks. */
export class SoundBands {
  private levels = new Uint8Array(60 * stepsPerSecond * bandCount)
  private steps = 0
  /** Samples of the windows that are not measured yet: a second. */
  private readonly held = new Float32Array(soundRate + window - hop)
  private count = 0
  private readonly re = new Float32Array(window)
  private readonly im = new Float32Array(window)

  /** Takes the next mono samples at 8 kHz. */
  push(samples: Float32Array): void {
    let at = 0
    while (at < samples.length) {
      const some = Math.min(samples.length - at, this.held.length - this.count)
      this.held.set(samples.subarray(at, at + some), this.count)
      this.count += some
      at += some
      if (this.count === this.held.length) this.measure()
    }
  }

  /** Returns the levels of all samples so far. */
  result(): BandLevels {
    this.measure()
    return this.measured()
  }

  /** Returns the levels that are measured so far: up to a second of samples may lack. */
  measured(): BandLevels {
    return { bands: this.levels.subarray(0, this.steps * bandCount), steps: this.steps }
  }

  /** Measures the held windows, an even number of them. */
  private measure(): void {
    const { held } = this
    const windows = 2 * Math.max(0, Math.floor((this.count - (window - hop)) / (2 * hop)))
    if ((this.steps + windows) * bandCount > this.levels.length) {
      const larger = new Uint8Array(this.levels.length * 2)
      larger.set(this.levels)
      this.levels = larger
    }
    for (let k = 0; k < windows; k += 2) this.measureTwo(k)
    this.steps += windows
    held.copyWithin(0, windows * hop, this.count)
    this.count -= windows * hop
  }

  /** Measures a window and the next one, the real and imaginary parts of one transform. */
  private measureTwo(first: number): void {
    const { held, levels, re, im } = this
    for (let k = 0; k < window; k++) {
      re[k] = shape[k]! * held[first * hop + k]!
      im[k] = shape[k]! * held[(first + 1) * hop + k]!
    }
    transform.transform(re, im)
    const at = (this.steps + first) * bandCount
    for (let band = 0; band < bandCount; band++) {
      let one = 0
      let other = 0
      for (let k = bins[band]!; k < bins[band + 1]!; k++) {
        const mirror = window - k
        one += (re[k]! + re[mirror]!) ** 2 + (im[k]! - im[mirror]!) ** 2
        other += (im[k]! + im[mirror]!) ** 2 + (re[mirror]! - re[k]!) ** 2
      }
      levels[at + band] = stored(one)
      levels[at + bandCount + band] = stored(other)
    }
  }
}

const transform = new FourierTransform(window)

/** A Hann window. */
const shape = Float32Array.from(
  { length: window },
  (_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 0.5)) / window)
)

/** The power of a full-scale sine in a band, in the units of the transform. */
const fullScale = (window / 2) ** 2

const stored = (power: number): number => {
  const units = (10 * Math.log10(power / fullScale + 1e-11) - lowest) * 2
  return units <= 0 ? 0 : units >= 255 ? 255 : units
}
