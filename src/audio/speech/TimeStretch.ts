/**
 * Time stretching: makes speech faster or slower at the same pitch. It removes or repeats whole pitch periods and
 * bridges each gap by a crossfade between two similar stretches. Everything between the bridges stays as recorded,
 * sample by sample. Bridges go where they are least audible: first into pauses, then into steady vowels. They never
 * cross an onset, because nothing there is similar.
 *
 * Alternatives rework every sample: overlap-add methods such as WSOLA (https://doi.org/10.1109/ICASSP.1993.319366), and
 * Sonic (https://github.com/waywardgeek/sonic) at small changes.
 */
import type { Frames } from "../../domain/time/Units.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { newBuffer, BufferPool, doublesIn, type Buffer32 } from "../kernels/BufferPool.ts"
import { readAt, writeAt, writeThrough } from "../kernels/KernelArrays.ts"
import { atOnce, buffer, kernels, periodsAt } from "../kernels/KernelMemory.ts"

/**
 * Shortens a clip to exactly `target` frames; deterministic. Returns the clip itself if it has that length. A longer
 * target is padded with silence. If the removed periods do not add up, at most the last 2.5 ms are faded out.
 * `allocate` provides the result.
 */
export const speedUp = (pcm: Pcm, target: Frames, allocate: Buffer32 = newBuffer): Pcm => {
  const { rate } = pcm
  let { samples } = pcm
  if (samples.length === target) return pcm
  const shortest = shortestPeriodAt(rate)
  const buffers = new BufferPool()
  let result: Float32Array | undefined
  while (result === undefined && samples.length - target >= shortest) {
    // A bridge uses two periods to remove one, so one round cannot quite double the speed.
    const next = Math.max(target, Math.ceil(samples.length / steepest))
    const bridges = bridgesOf(samples, rate, next - samples.length, buffers.take)
    if (bridges.length === 0) break
    const length = samples.length - lengthOf(bridges)
    if (length - target < shortest) result = allocate(length)
    const shorter = result ?? buffers.take(length)
    writeStretched(samples, bridges, -1, shorter)
    samples = shorter
  }
  if (result === undefined) {
    result = allocate(target)
    result.set(samples.subarray(0, target))
    result.fill(0, Math.min(samples.length, target))
  }
  buffers.freeAll()
  result = result.subarray(0, target)
  if (samples.length > target) fadeOut(result, Math.round(rate * 0.003))
  return { rate, samples: result }
}

/**
 * Lengthens a clip to exactly `target` frames, at most by half; deterministic. Returns the clip itself if it is not
 * shorter. What the repeated periods lack, less than 2.5 ms of most clips, is silence at the end.
 */
export const slowDown = (pcm: Pcm, target: Frames, allocate: Buffer32 = newBuffer): Pcm => {
  const { rate, samples } = pcm
  if (samples.length >= target) return pcm
  const buffers = new BufferPool()
  const bridges = bridgesOf(samples, rate, target - samples.length, buffers.take)
  buffers.freeAll()
  const result = allocate(target)
  writeStretched(samples, bridges, 1, result)
  result.fill(0, samples.length + lengthOf(bridges))
  return { rate, samples: result }
}

/** Maximum speed-up per round. */
const steepest = 1.7
/** How far the result may run ahead of or behind an even pace, in seconds. */
const tolerance = 0.025

/**
 * Returns the bridges that lengthen a clip by about `change` frames, or shorten it if `change` is negative. The rest is
 * shorter than the shortest period, unless the clip is too short for a bridge.
 */
const bridgesOf = (
  samples: Float32Array,
  rate: number,
  change: number,
  allocate: Buffer32
): ReadonlyArray<Bridge> => {
  const likeness = new SelfSimilarity(samples, rate, allocate)
  const total = Math.abs(change)
  const pace = total / samples.length
  const slack = tolerance * rate
  const bridges: Array<Bridge> = []
  let done = 0
  let read = 0
  while (total - done >= shortestPeriodAt(rate)) {
    const first = Math.max(read, (done - slack) / pace)
    const last = Math.max(first, (done + slack) / pace)
    const bridge = likeness.best(first, last, total - done)
    if (bridge === undefined) break
    bridges.push(bridge)
    // A bridge leads from the first period to the second, or back to the first, which then is heard again.
    read = bridge.at + (change < 0 ? 2 : 1) * bridge.period
    done += bridge.period
  }
  return bridges
}

/** Returns the total length of the periods that bridges remove or repeat, in frames. */
const lengthOf = (bridges: ReadonlyArray<Bridge>): number =>
  bridges.reduce((sum, { period }) => sum + period, 0)

/** Writes a clip to `result`, with the bridges' periods repeated, or removed if `direction` is -1. */
const writeStretched = (
  samples: Float32Array,
  bridges: ReadonlyArray<Bridge>,
  direction: 1 | -1,
  result: Float32Array
): void => {
  let read = 0
  let written = 0
  const copy = (to: number) => {
    result.set(samples.subarray(read, to), written)
    written += to - read
    read = to
  }
  for (const { at, period } of bridges) {
    const [from, to] = direction < 0 ? [at, at + period] : [at + period, at]
    copy(from)
    crossfade(samples, from, period, direction > 0, result, written)
    written += period
    read = to + period
  }
  copy(samples.length)
}

const fadeOut = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length)
  for (let i = 0; i < count; i++)
    samples[samples.length - 1 - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
}

/** The `period` frames from `at` on resemble the next `period` frames: one of the two can be removed, or repeated. */
interface Bridge {
  readonly at: number
  readonly period: number
}

/**
 * Finds where a stretch of a clip resembles the next one, and how long that stretch is. `allocate` provides working
 * memory.
 */
class SelfSimilarity {
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
    this.most = Math.floor((rate * maxPeriod) / this.factor)
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
const shortestPeriodAt = (rate: number): number => Math.round(rate * shortestPeriod)

/** Range of removed pitch periods, or multiples of them: 2.5 to 18 ms, in seconds. */
const shortestPeriod = 0.0025
const maxPeriod = 0.018
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

/** Two measures of a sound at a low rate, and their cumulative power before every second value, also after the last. */
interface CoarseSound {
  readonly low: Float32Array
  readonly high: Float32Array
  readonly power: Float64Array
}

/** Values from which candidates of one call begin: few enough that their sums stay in a fast cache. */
export const blockLength = 2_048
/** Values from one candidate to the next. */
export const candidateStep = 4

/** Values of an array in the kernels' memory: a block, and two of the longest periods after it. */
const room = blockLength + 512
const lowIn = new Float32Array(buffer, periodsAt, room)
const highIn = new Float32Array(buffer, periodsAt + 4 * room, room)
const powerIn = new Float32Array(buffer, periodsAt + 8 * room, room / 2)
const sumsAt = periodsAt + 12 * room
const bestAt = sumsAt + 16 * room
/** The scores of a block's candidates, then their periods. */
const perBlock = blockLength / candidateStep
const found = new Float32Array(buffer, sumsAt, 2 * perBlock)
/** Four scores and their four periods for each candidate. */
const best = new Float32Array(buffer, bestAt, 8 * perBlock)

/**
 * Writes the mean of every `factor` samples to `low`, and the RMS deviation from it to `high`; `factor` is at most 256.
 */
export const averageDown = (
  samples: Float32Array,
  factor: number,
  low: Float32Array,
  high: Float32Array
): void => {
  const most = Math.min(blockLength, Math.floor(atOnce / factor))
  for (let done = 0; done < low.length; done += most) {
    const some = Math.min(most, low.length - done)
    const from = readAt(samples, done * factor, some * factor)
    kernels.averaged(from, lowIn.byteOffset, highIn.byteOffset, some, factor)
    low.set(lowIn.subarray(0, some), done)
    high.set(highIn.subarray(0, some), done)
  }
}

/** How to score periods, which are in values of a `CoarseSound`. */
interface PeriodSearch {
  /** The shortest and the longest period; the longest is at most 120. */
  readonly least: number
  readonly most: number
  /** Power per value below which differences hardly count. */
  readonly quiet: number
  /** What is added to a score, divided by its period: among equals, longer periods score lower. */
  readonly bonus: number
}

/**
 * Finds, for each candidate, the period in which the sound resembles the next period most. Writes it to `periods`, and
 * how unlike they are to `scores`; 0 and Infinity if there is no room for a period. Sums begin anew in each block.
 */
export const scorePeriods = (
  sound: CoarseSound,
  search: PeriodSearch,
  periods: Float32Array,
  scores: Float32Array
): void => {
  const { least, most, quiet, bonus } = search
  for (let done = 0; done < scores.length; done += perBlock) {
    const some = Math.min(perBlock, scores.length - done)
    load(sound, done * candidateStep)
    best.fill(Infinity, 0, 8 * some)
    const [low, high, power] = [lowIn.byteOffset, highIn.byteOffset, powerIn.byteOffset]
    kernels.periodScores(low, high, power, some, least, most, quiet, bonus, sumsAt, bestAt)
    scores.set(found.subarray(0, some), done)
    periods.set(found.subarray(some, 2 * some), done)
  }
}

/** Copies the values from `from` on. Those after the end are not numbers, which excludes periods that reach there. */
const load = ({ low, high, power }: CoarseSound, from: number): void => {
  const some = Math.min(room, low.length - from)
  lowIn.set(low.subarray(from, from + some))
  lowIn.fill(NaN, some)
  highIn.set(high.subarray(from, from + some))
  highIn.fill(NaN, some)
  const first = from / 2
  const before = power[first]!
  const last = Math.min(power.length - first, powerIn.length)
  for (let i = 0; i < last; i++) powerIn[i] = power[first + i]! - before
  powerIn.fill(NaN, last)
}

/**
 * Returns the period from `least` to `most` frames in which the samples from `at` on resemble the next ones most;
 * `least` if it is above `most`. `most` is at most 4,096.
 */
export const nearestPeriod = (samples: Float32Array, at: number, least: number, most: number): number =>
  kernels.nearestPeriod(readAt(samples, at, 2 * most), least, most) || least

/**
 * Writes a crossfade of `period` frames, from those at `from` to those one period later, or earlier if `isBack`; at
 * most 4,096. Gains depend on their similarity: they add up to 1 for equal stretches, and preserve power for unrelated
 * ones. Up to 3 samples after the result may be overwritten.
 */
export const crossfade = (
  samples: Float32Array,
  from: number,
  period: number,
  isBack: boolean,
  result: Float32Array,
  into: number
): void => {
  const place = writeAt(result, into)
  const first = readAt(samples, isBack ? from - period : from, 2 * period)
  const second = first + 4 * period
  kernels.crossfaded(isBack ? second : first, isBack ? first : second, place, period)
  writeThrough(place, period, result, into)
}
