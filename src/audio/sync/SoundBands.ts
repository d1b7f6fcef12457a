/**
 * Band levels of a film's sound, every 10 ms: all that the search for speech needs of it. They take 8 bytes per step,
 * 6 MB for two hours.
 */
import { FourierTransform } from "../pcm/FourierTransform.ts"

/** The sample rate of the sound, in hertz: just enough for the bands below. */
export const soundRate = 8_000

/** Steps per second. */
export const stepsPerSecond = 100

/** Samples between two steps. */
const hop = soundRate / stepsPerSecond

/** Samples of a window: 16 ms, short enough to find the start of a word. */
const window = 128

/** The bands' edges, in hertz: from a voice's pitch to its consonants. */
const edges = [125, 312, 500, 750, 1000, 1500, 2000, 2750, 4000] as const

/** The number of bands. */
export const bandCount = edges.length - 1

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
  private readonly transform = new FourierTransform(window)
  private readonly shape = Float32Array.from(
    { length: window },
    (_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 0.5)) / window)
  )
  private readonly bins = edges.map((edge) => Math.round((edge * window) / soundRate))
  private readonly re = new Float32Array(window)
  private readonly im = new Float32Array(window)
  /** Two windows are transformed at once: one as real, one as imaginary parts. */
  private readonly held = new Float32Array(window + hop)
  private count = 0

  /** Takes the next mono samples at 8 kHz. */
  push(samples: Float32Array): void {
    let at = 0
    while (at < samples.length) {
      const some = Math.min(samples.length - at, this.held.length - this.count)
      this.held.set(samples.subarray(at, at + some), this.count)
      this.count += some
      at += some
      if (this.count === this.held.length) this.takePair()
    }
  }

  /** Returns the levels of all samples so far. */
  result(): BandLevels {
    return { bands: this.levels.subarray(0, this.steps * bandCount), steps: this.steps }
  }

  private takePair(): void {
    const { held, re, im, shape, bins } = this
    for (let k = 0; k < window; k++) {
      re[k] = held[k]! * shape[k]!
      im[k] = held[k + hop]! * shape[k]!
    }
    this.transform.transform(re, im)
    if ((this.steps + 2) * bandCount > this.levels.length) {
      const larger = new Uint8Array(this.levels.length * 2)
      larger.set(this.levels)
      this.levels = larger
    }
    let at = this.steps * bandCount
    for (let band = 0; band < bandCount; band++) {
      let first = 0
      let second = 0
      for (let k = bins[band]!; k < bins[band + 1]!; k++) {
        const mirror = window - k
        const even = re[k]! + re[mirror]!
        const odd = im[k]! - im[mirror]!
        first += even * even + odd * odd
        const other = im[k]! + im[mirror]!
        const another = re[mirror]! - re[k]!
        second += other * other + another * another
      }
      this.levels[at + band] = stored(first)
      this.levels[at + bandCount + band] = stored(second)
    }
    at += 2 * bandCount
    this.steps += 2
    held.copyWithin(0, 2 * hop)
    this.count = held.length - 2 * hop
  }
}

/** The power of a full-scale sine in a band, in the units of `takePair`. */
const fullScale = (window / 2) ** 2

const stored = (power: number): number => {
  const units = (10 * Math.log10(power / fullScale + 1e-11) - lowest) * 2
  return units <= 0 ? 0 : units >= 255 ? 255 : units
}
