/** Pitch periods by kernels: where one resembles the next, its exact length, and crossfades between two of them. */
import { readAt, writeAt, writeThrough } from "../kernels/KernelArrays.ts"
import { atOnce, buffer, kernels, periodsAt } from "../kernels/KernelMemory.ts"

/** Two measures of a sound at a low rate, and their cumulative power before every second value, also after the last. */
export interface CoarseSound {
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
export interface PeriodSearch {
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
