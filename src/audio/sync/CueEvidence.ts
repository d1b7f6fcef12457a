/**
 * Evidence that a cue belongs at a place in a film. It is high if speech is within the cue and not around it, and if a
 * voice begins with the cue. Summed over all cues, it is the cross-correlation of a subtitle with its film.
 */
import { averaged, type SpeechTrack } from "./SpeechTrack.ts"
import { stepsPerSecond } from "./SoundBands.ts"

/** A stretch of a subtitle in which somebody should speak. Times are seconds. */
export interface TimedSpan {
  readonly start: number
  readonly end: number
}

/**
 * Evidence along a film, in steps of `perSecond`. Speech and onsets have mean 0 and spread 1 over the film. Both arrays
 * have `margin` steps without evidence before and after the film, so that a cue may be anywhere.
 */
export interface FilmEvidence {
  readonly perSecond: number
  /** `sums[margin + k]` is the sum of speech, relative to its surroundings, over the film's steps before k. */
  readonly sums: Float64Array
  /** `onsets[margin + k]` is how clearly a voice begins at step k. */
  readonly onsets: Float32Array
  readonly margin: number
}

/** Evidence at the resolution of the track, and at a coarse one. */
export interface EvidenceLevels {
  readonly fine: FilmEvidence
  readonly coarse: FilmEvidence
}

/** Fine steps in a coarse one: 40 ms. */
export const coarseness = 4

/**
 * Speech is measured relative to the 20 s before and after it, so that a loud scene counts no more than a quiet one.
 */
const surroundings = 20 * stepsPerSecond

/**
 * Weight of an onset of usual clarity, in seconds of usual speech. Dense speech has few pauses, so the onsets of its
 * cues are better evidence than their lengths.
 */
const onsetWeight = 3

/** Prepares the evidence of a speech track. */
export const evidenceOf = ({ speech, presence }: SpeechTrack): EvidenceLevels => {
  const levels = new Float32Array(speech)
  const mean = averaged(levels, surroundings)
  for (let t = 0; t < levels.length; t++) levels[t] = levels[t]! - mean[t]!
  const voiced = standardized(levels)
  const sums = sumsOf(presence)
  const wide = onsetsOf(sums, 50, 30, 6)
  const middle = onsetsOf(sums, 30, 20, 12)
  const sharp = onsetsOf(sums, 20, 12, 2)
  for (let t = 0; t < sharp.length; t++) sharp[t] = sharp[t]! + middle[t]!
  return {
    fine: evidence(stepsPerSecond, voiced, standardized(sharp)),
    coarse: evidence(stepsPerSecond / coarseness, thinned(averaged(voiced, 2)), thinned(wide))
  }
}

/** Seconds before and after the film in which a cue may be. */
const marginSeconds = 300

const evidence = (perSecond: number, speech: Float32Array, onsets: Float32Array): FilmEvidence => {
  const margin = marginSeconds * perSecond
  const sums = new Float64Array(speech.length + 2 * margin + 1)
  for (let k = 0; k < speech.length; k++) sums[margin + k + 1] = sums[margin + k]! + speech[k]!
  sums.fill(sums[margin + speech.length]!, margin + speech.length)
  const spread = new Float32Array(speech.length + 2 * margin)
  const weight = onsetWeight * perSecond
  for (let k = 0; k < onsets.length; k++) spread[margin + k] = weight * onsets[k]!
  return { perSecond, sums, onsets: spread, margin }
}

/** The sum of all values before each step. */
const sumsOf = (values: Uint8Array): Float64Array => {
  const sums = new Float64Array(values.length + 1)
  for (let t = 0; t < values.length; t++) sums[t + 1] = sums[t]! + values[t]!
  return sums
}

/**
 * Returns the rise of the sound at each step, from the sums of its presence. It is the mean of the next `after` steps
 * minus the mean of the last `before` steps, and at least 0. It is averaged over `blur` and standardized. Pauses
 * between sentences are long, so long windows distinguish a sentence from a syllable; short windows locate it.
 */
const onsetsOf = (sums: Float64Array, before: number, after: number, blur: number): Float32Array => {
  const onsets = new Float32Array(sums.length - 1)
  for (let t = 0; t < onsets.length; t++) {
    const from = Math.max(0, t - before)
    const to = Math.min(onsets.length, t + after)
    const rise = (sums[to]! - sums[t]!) / after - (sums[t]! - sums[from]!) / before
    onsets[t] = Math.max(0, rise)
  }
  return standardized(averaged(onsets, blur))
}

/** Gives values mean 0 and spread 1, in place. */
const standardized = (values: Float32Array): Float32Array => {
  let sum = 0
  let squares = 0
  for (let t = 0; t < values.length; t++) {
    const value = values[t]!
    sum += value
    squares += value * value
  }
  const mean = sum / Math.max(1, values.length)
  const spread = Math.sqrt(Math.max(1e-9, squares / Math.max(1, values.length) - mean * mean))
  for (let t = 0; t < values.length; t++) values[t] = (values[t]! - mean) / spread
  return values
}

const thinned = (values: Float32Array): Float32Array => {
  const result = new Float32Array(Math.floor(values.length / coarseness))
  for (let k = 0; k < result.length; k++) result[k] = values[k * coarseness]!
  return result
}

/**
 * Writes the evidence for a cue at each shift into `row`: `row[k]` for a shift of `from + k` steps. Far outside the
 * film there is none.
 */
export const evidenceRow = (
  { sums, onsets, perSecond, margin }: FilmEvidence,
  { start, end }: TimedSpan,
  from: number,
  row: Float64Array
): void => {
  const first = Math.round(start * perSecond) + from + margin
  const length = Math.max(1, Math.round((end - start) * perSecond))
  if (first < 0 || first + row.length + length > onsets.length) {
    for (let k = 0; k < row.length; k++) {
      const at = Math.min(onsets.length, Math.max(0, first + k))
      const until = Math.min(onsets.length, Math.max(0, first + k + length))
      row[k] = sums[until]! - sums[at]! + (onsets[at] ?? 0)
    }
    return
  }
  for (let k = 0; k < row.length; k++) {
    const at = first + k
    row[k] = sums[at + length]! - sums[at]! + onsets[at]!
  }
}
