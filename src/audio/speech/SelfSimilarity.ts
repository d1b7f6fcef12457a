/** Self-similarity of speech: finds where a pitch period repeats, so that one can be removed or repeated. */
import { doublesIn, type Buffer32 } from "../kernels/BufferPool.ts"

/** The `period` frames from `at` on resemble the next `period` frames: one of the two can be removed, or repeated. */
export interface Bridge {
  readonly at: number
  readonly period: number
}

/**
 * Finds where a stretch of a clip resembles the next one, and how long that stretch is. `allocate` provides working
 * memory.
 */
export class SelfSimilarity {
  /** The shortest period ever removed, in frames. */
  readonly shortest: number
  private readonly factor: number
  /** The clip averaged down to about 3 kHz, which suffices to find periods, and the RMS of the removed part. */
  private readonly coarse: Float32Array
  private readonly fine: Float32Array
  /** Cumulative power of both, up to each coarse sample. */
  private readonly power: Float64Array
  /** In coarse samples: shortest and longest period, and the distance between candidates. */
  private readonly least: number
  private readonly most: number
  private readonly step: number
  /** For each candidate, the most similar period and its dissimilarity score. */
  private readonly periods: Float32Array
  private readonly scores: Float32Array
  /** Power per sample below which differences are hardly audible: 25 dB below the clip's average. */
  private readonly quiet: number

  constructor(
    private readonly samples: Float32Array,
    rate: number,
    allocate: Buffer32
  ) {
    this.shortest = Math.round(rate * shortestPeriod)
    this.factor = Math.max(1, Math.floor(rate / 3_000))
    const { coarse, fine } = averaged(samples, this.factor, allocate)
    this.coarse = coarse
    this.fine = fine
    this.power = powerUpTo(coarse, fine, allocate)
    this.least = Math.ceil(this.shortest / this.factor)
    this.most = Math.floor((rate * longestPeriod) / this.factor)
    this.step = Math.max(1, Math.round((rate * spacing) / this.factor))
    this.quiet = 1e-10 + (0.003 * (this.power.at(-1) ?? 0)) / Math.max(1, coarse.length)
    const candidates = Math.ceil(this.coarse.length / this.step)
    this.periods = allocate(candidates).fill(0)
    this.scores = allocate(candidates).fill(Infinity)
    const apart = doublesIn(allocate, this.coarse.length + 1).fill(0)
    for (let period = this.least; period <= this.most; period++) this.compare(period, apart)
  }

  /**
   * Returns the best bridge that begins at a frame from `first` to `last` and removes at most `room` frames, if any.
   */
  best(first: number, last: number, room: number): Bridge | undefined {
    const { factor, step, periods, scores } = this
    const from = Math.ceil(first / factor / step)
    const to = Math.min(scores.length - 1, Math.max(from, Math.floor(last / factor / step)))
    const longest = Math.floor(room / factor)
    const sparse = Math.ceil((to - from + 1) / 32)
    let best: number | undefined
    let lowest = Infinity
    for (let candidate = from; candidate <= to; candidate++) {
      if (periods[candidate]! > longest && (candidate - from) % sparse === 0) this.narrow(candidate, longest)
      if (periods[candidate]! > longest || scores[candidate]! >= lowest) continue
      lowest = scores[candidate]!
      best = candidate
    }
    return best === undefined ? undefined : this.refined(best * step * factor, periods[best]! * factor, room)
  }

  /** Scores each candidate with this period; keeps the period where it has the lowest score so far. */
  private compare(period: number, apart: Float64Array): void {
    const { coarse, fine, step, periods, scores } = this
    const end = coarse.length - period
    differences(coarse, fine, period, apart)
    for (let at = 0, candidate = 0; at + period <= end; at += step, candidate++) {
      const score = this.unlike(at, period, apart[at + period]! - apart[at]!)
      if (score >= scores[candidate]!) continue
      scores[candidate] = score
      periods[candidate] = period
    }
  }

  /** Scores one candidate again, with periods up to `longest` only. */
  private narrow(candidate: number, longest: number): void {
    const { coarse, fine, scores, periods } = this
    const at = candidate * this.step
    scores[candidate] = Infinity
    for (let period = this.least; period <= longest && at + 2 * period <= coarse.length; period++) {
      let apart = 0
      for (let i = at; i < at + period; i++)
        apart += (coarse[i]! - coarse[i + period]!) ** 2 + (fine[i]! - fine[i + period]!) ** 2
      const score = this.unlike(at, period, apart)
      if (score >= scores[candidate]!) continue
      scores[candidate] = score
      periods[candidate] = period
    }
  }

  /**
   * Returns a dissimilarity score: lower for stretches that have more in common. Among equals, longer periods score
   * lower.
   */
  private unlike(at: number, period: number, apart: number): number {
    const power = this.power[at + 2 * period]! - this.power[at]!
    return apart / (power / 2 + this.quiet * period) + (0.002 * this.most) / period
  }

  /** Refines a period found at the coarse rate to single frames. */
  private refined(at: number, near: number, room: number): Bridge {
    const { samples } = this
    let best = Math.min(near, room)
    let lowest = Infinity
    const longest = Math.min(near + this.factor, room, Math.floor((samples.length - at) / 2))
    for (let period = Math.max(1, near - this.factor); period <= longest; period++) {
      let apart = 0
      for (let i = at; i < at + period; i++) apart += (samples[i]! - samples[i + period]!) ** 2
      if (apart / period < lowest) {
        lowest = apart / period
        best = period
      }
    }
    return { at, period: best }
  }
}

/** Range of removed pitch periods, or multiples of them: 2.5 to 18 ms, in seconds. */
const shortestPeriod = 0.0025
const longestPeriod = 0.018
/** Distance between candidates, in seconds. */
const spacing = 0.0015

/** Returns the mean of every `factor` samples, and the RMS deviation from it. A burst shows only in the latter. */
const averaged = (
  samples: Float32Array,
  factor: number,
  allocate: Buffer32
): { readonly coarse: Float32Array; readonly fine: Float32Array } => {
  const coarse = allocate(Math.floor(samples.length / factor))
  const fine = allocate(coarse.length)
  for (let i = 0; i < coarse.length; i++) {
    let sum = 0
    let squares = 0
    for (let j = i * factor; j < (i + 1) * factor; j++) {
      sum += samples[j]!
      squares += samples[j]! * samples[j]!
    }
    const mean = sum / factor
    coarse[i] = mean
    fine[i] = Math.sqrt(Math.max(0, squares / factor - mean * mean))
  }
  return { coarse, fine }
}

/** Writes to `sums` the cumulative squared difference between samples and those `period` later. */
const differences = (coarse: Float32Array, fine: Float32Array, period: number, sums: Float64Array): void => {
  let sum = 0
  for (let at = 0; at < coarse.length - period; at++) {
    const low = coarse[at]! - coarse[at + period]!
    const high = fine[at]! - fine[at + period]!
    sum += low * low + high * high
    sums[at + 1] = sum
  }
}

const powerUpTo = (coarse: Float32Array, fine: Float32Array, allocate: Buffer32): Float64Array => {
  const sums = doublesIn(allocate, coarse.length + 1)
  sums[0] = 0
  for (let i = 0; i < coarse.length; i++) sums[i + 1] = sums[i]! + coarse[i]! ** 2 + fine[i]! ** 2
  return sums
}
