/**
 * Computes loudness from the K-weighted power of all 100 ms steps of a stream. It returns integrated loudness (ITU-R
 * BS.1770-4), that of the spoken lines, and loudness range (EBU Tech 3342: https://tech.ebu.ch/docs/tech/tech3342.pdf).
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { endOfStep, stepsASecond } from "./LoudnessSteps.ts"

/** Powers of consecutive steps. */
export type StepPowers = ArrayLike<number>

/** A stretch of time, in seconds. */
export interface SpokenStretch {
  readonly start: number
  readonly end: number
}

/** Returns the integrated loudness in LUFS: at least -70, and -70 below 400 ms. */
export const programmeLoudness = (powers: StepPowers, rate: SampleRate): number =>
  gatedLoudness(blocksOf(powers, rate, 4))

/**
 * Returns the loudness of these stretches, in LUFS: the gate of BS.1770-4 over blocks that lie within one of them. -70
 * if none is as long as a block (400 ms).
 */
export const spokenLoudness = (
  powers: StepPowers,
  rate: SampleRate,
  stretches: ReadonlyArray<SpokenStretch>
): number => gatedLoudness(blocksOf(powers, rate, 4, withinOne(stretches)))

/** Returns whether the steps in [from, to) lie within one of these stretches. */
export const withinOne = (
  stretches: ReadonlyArray<SpokenStretch>
): ((from: number, to: number) => boolean) => {
  const endOf = ({ end }: SpokenStretch) => Math.floor(end * stepsASecond + 1e-6)
  // For each step, the end of the first stretch that contains it.
  const ends = new Uint32Array(stretches.reduce((most, stretch) => Math.max(most, endOf(stretch)), 0))
  for (const stretch of stretches) {
    const last = endOf(stretch)
    for (let step = Math.max(0, Math.ceil(stretch.start * stepsASecond - 1e-6)); step < last; step++)
      if (ends[step] === 0) ends[step] = last
  }
  return (from, to) => to <= (ends[from] ?? 0)
}

/** Returns the loudness range in LU; 0 below 3 seconds. */
export const loudnessRange = (powers: StepPowers, rate: SampleRate): number => {
  const blocks = blocksOf(powers, rate, 30)
  const gate = Math.max(silentPower, meanAbove(blocks, silentPower) / 100)
  const sorted = above(blocks, gate).sort()
  const at = (share: number) => loudnessOf(sorted[Math.round((sorted.length - 1) * share)] ?? 0)
  return sorted.length === 0 ? 0 : at(0.95) - at(0.1)
}

/** Returns the longest silence in seconds: consecutive steps at -70 LUFS or less. */
export const longestSilence = (powers: StepPowers, rate: SampleRate): number => {
  let longest = 0
  let current = 0
  for (let step = 0; step < powers.length; step++) {
    current = (powers[step]! * stepsASecond) / rate > silentPower ? 0 : current + 1
    longest = Math.max(longest, current)
  }
  return longest / stepsASecond
}

/** Returns the loudness of gating blocks, given their mean powers: at least -70 LUFS. */
export const gatedLoudness = (blocks: StepPowers): number => {
  const gate = Math.max(silentPower, meanAbove(blocks, silentPower) / 10)
  return Math.max(silence, loudnessOf(meanAbove(blocks, gate)))
}

/**
 * Returns the mean powers of the wanted gating blocks of voices over a background: the voices' powers times `factor`,
 * plus the background's. Their first step has the number `step`.
 */
export const blocksOfBoth = (
  voices: StepPowers,
  factor: number,
  under: StepPowers | undefined,
  rate: SampleRate,
  step: number,
  isWanted: (from: number, to: number) => boolean
): ReadonlyArray<number> => {
  const blocks: Array<number> = []
  for (let to = 4; to <= voices.length; to++) {
    if (!isWanted(step + to - 4, step + to)) continue
    let sum = 0
    for (let i = to - 4; i < to; i++) sum += voices[i]! * factor + (under?.[i] ?? 0)
    blocks.push(sum / ((4 * rate) / stepsASecond))
  }
  return blocks
}

/** Returns the mean power of each wanted block of `length` steps. Blocks start one step apart. */
const blocksOf = (
  powers: StepPowers,
  rate: SampleRate,
  length: number,
  isWanted?: (from: number, to: number) => boolean
): Float64Array => {
  const all = new Float64Array(Math.max(0, powers.length - length + 1))
  // A block takes one subtraction: of the sum up to its first step from the sum up to its end. Rounding is 100 dB below
  // the mean loudness of a day.
  const sums = new Float64Array(length)
  let sum = 0
  let count = 0
  for (let to = 1; to <= powers.length; to++) {
    sum += powers[to - 1]!
    const from = to - length
    const before = sums[to % length]!
    sums[to % length] = sum
    if (from < 0 || isWanted?.(from, to) === false) continue
    const frames = endOfStep(to - 1, rate) - (from === 0 ? 0 : endOfStep(from - 1, rate))
    all[count++] = (sum - before) / frames
  }
  return all.subarray(0, count)
}

/** Returns the mean of the powers above a limit; 0 if there are none. */
const meanAbove = (powers: StepPowers, limit: number): number => {
  let sum = 0
  let count = 0
  for (let at = 0; at < powers.length; at++) {
    const power = powers[at]!
    if (power <= limit) continue
    sum += power
    count++
  }
  return count === 0 ? 0 : sum / count
}

/** Moves the powers above a limit to the front, and returns them. */
const above = (powers: Float64Array, limit: number): Float64Array => {
  let count = 0
  for (let at = 0; at < powers.length; at++) if (powers[at]! > limit) powers[count++] = powers[at]!
  return powers.subarray(0, count)
}

const silence = -70

const loudnessOf = (power: number): number => (power > 0 ? -0.691 + 10 * Math.log10(power) : -Infinity)

/** The power whose loudness is `silence`. */
const silentPower = 10 ** ((silence + 0.691) / 10)
