/** Self-similarity of speech: finds where a pitch period repeats, so that one can be removed or repeated. */
import { doublesIn, type Buffer32 } from "../kernels/BufferPool.ts"
import { averageDown, candidateStep, nearestPeriod, scorePeriods } from "./PitchPeriods.ts"

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
  private readonly shortest: number
  private readonly factor: number
  /** The clip averaged down to about 3 kHz, which suffices to find periods, and the RMS of the removed part. */
  private readonly coarse: Float32Array
  private readonly fine: Float32Array
  /** Cumulative power of both before every second coarse sample. */
  private readonly power: Float64Array
  /** In coarse samples: shortest and longest period. */
  private readonly least: number
  private readonly most: number
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
    this.shortest = shortestPeriodAt(rate)
    this.factor = Math.max(1, Math.floor(rate / 3_000))
    const coarse = allocate(Math.floor(samples.length / this.factor))
    const fine = allocate(coarse.length)
    averageDown(samples, this.factor, coarse, fine)
    this.coarse = coarse
    this.fine = fine
    this.power = powerUpTo(coarse, fine, allocate)
    this.least = Math.ceil(this.shortest / this.factor)
    this.most = Math.floor((rate * longestPeriod) / this.factor)
    this.quiet = 1e-10 + (0.003 * (this.power.at(-1) ?? 0)) / Math.max(1, coarse.length)
    const candidates = Math.ceil(coarse.length / candidateStep)
    this.periods = allocate(candidates).fill(0)
    this.scores = allocate(candidates).fill(Infinity)
    const { power, least, most, quiet } = this
    const search = { least, most, quiet, bonus: longerBonus * most }
    scorePeriods({ low: coarse, high: fine, power }, search, this.periods, this.scores)
  }

  /**
   * Returns the best bridge that begins at a frame from `first` to `last` and removes at most `room` frames, if any.
   */
  best(first: number, last: number, room: number): Bridge | undefined {
    const { factor, periods, scores } = this
    const step = factor * candidateStep
    const from = Math.ceil(first / step)
    const to = Math.min(scores.length - 1, Math.max(from, Math.floor(last / step)))
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
    return best === undefined ? undefined : this.refined(best * step, periods[best]! * factor, room)
  }

  /** Scores one candidate again, with periods up to `longest` only. */
  private narrow(candidate: number, longest: number): void {
    const { coarse, fine, scores, periods } = this
    const at = candidate * candidateStep
    scores[candidate] = Infinity
    for (let period = this.least; period <= longest && at + 2 * period <= coarse.length; period++) {
      let apart = 0
      for (let i = at; i < at + period; i++) {
        const [low, high] = [coarse[i]! - coarse[i + period]!, fine[i]! - fine[i + period]!]
        apart += low * low + high * high
      }
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
    const power = this.power[at / 2 + period]! - this.power[at / 2]!
    return apart / (power / 2 + this.quiet * period) + (longerBonus * this.most) / period
  }

  /** Refines a period found at the coarse rate to single frames. */
  private refined(at: number, near: number, room: number): Bridge {
    const longest = Math.min(near + this.factor, room, Math.floor((this.samples.length - at) / 2))
    const shortest = Math.max(this.shortest, near - this.factor)
    const period =
      longest < shortest ? Math.min(near, room) : nearestPeriod(this.samples, at, shortest, longest)
    return { at, period }
  }
}

/** The shortest period ever removed or repeated, in frames. */
export const shortestPeriodAt = (rate: number): number => Math.round(rate * shortestPeriod)

/** Range of removed pitch periods, or multiples of them: 2.5 to 18 ms, in seconds. */
const shortestPeriod = 0.0025
const longestPeriod = 0.018
/** What the score of the longest period is lowered by, relative to one of half its length. */
const longerBonus = 0.002

const powerUpTo = (coarse: Float32Array, fine: Float32Array, allocate: Buffer32): Float64Array => {
  const sums = doublesIn(allocate, (coarse.length >> 1) + 1)
  let sum = 0
  for (let i = 0; i + 1 < coarse.length; i += 2) {
    sums[i >> 1] = sum
    sum += coarse[i]! * coarse[i]! + fine[i]! * fine[i]!
    sum += coarse[i + 1]! * coarse[i + 1]! + fine[i + 1]! * fine[i + 1]!
  }
  sums[coarse.length >> 1] = sum
  return sums
}
