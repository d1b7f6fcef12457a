/** Finds where speech begins near each cue, for all cues jointly, so that they keep their order. */
import type { TimedSpan } from "./CueEvidence.ts"
import { stepsPerSecond } from "./SoundBands.ts"
import { averaged, type SpeechTrack } from "./SpeechTrack.ts"

/** How far from its cue speech may begin, in seconds. */
export const followTolerance = 0.32

/** Minimum distance between the starts of two consecutive cues, as a share of their distance in the subtitle. */
const leastDistance = 0.4

/** A rise of less than this share of the usual one does not count as a beginning: perhaps nobody speaks there. */
const leastRise = 0.35

/**
 * Returns where speech begins for each cue, in seconds; undefined where the sound does not show it. Cues must be in
 * order of start.
 */
export const speechOnsets = (
  { level }: SpeechTrack,
  cues: ReadonlyArray<TimedSpan>
): ReadonlyArray<number | undefined> => {
  const rises = risesOf(level)
  const places = cues.map(({ start }) => Math.round(start * stepsPerSecond))
  const chosen = inOrder(rises, places)
  const strengths = chosen.map((at) => rises[at] ?? 0)
  const usual = [...strengths].sort((a, b) => a - b)[strengths.length >> 1] ?? 0
  return chosen.map((at, cue) =>
    strengths[cue]! > leastRise * usual ? Math.max(0, at) / stepsPerSecond : undefined
  )
}

/** A rise is seen this many steps late: the windows of two steps overlap. */
const lag = 1

/**
 * How much the sound rises at each step. Long windows tell the beginning of a sentence from one of a syllable; short
 * ones tell when it is.
 */
const risesOf = (level: Uint8Array): Float32Array => {
  const sums = new Float64Array(level.length + 1)
  for (let t = 0; t < level.length; t++) sums[t + 1] = sums[t]! + level[t]!
  const mean = (from: number, to: number) => {
    const [first, until] = [Math.max(0, from), Math.min(level.length, to)]
    return until > first ? (sums[until]! - sums[first]!) / (until - first) : 0
  }
  const rises = new Float32Array(level.length)
  for (let t = lag; t < level.length; t++)
    rises[t - lag] = mean(t, t + 30) - mean(t - 25, t) + 0.5 * (mean(t, t + 12) - mean(t - 12, t))
  return averaged(rises, 1)
}

/** The steps with the highest sum of rises, near the places and in their order, by dynamic programming. */
const inOrder = (rises: Float32Array, places: ReadonlyArray<number>): ReadonlyArray<number> => {
  const reach = Math.round(followTolerance * stepsPerSecond)
  const width = 2 * reach + 1
  /** For each cue and shift, the best shift of the cue before. */
  const before: Array<Int16Array> = []
  let totals = new Float64Array(width)
  places.forEach((place, cue) => {
    const distance = place - (places[cue - 1] ?? place)
    const slack = Math.floor(distance * (1 - leastDistance))
    const next = new Float64Array(width)
    const from = new Int16Array(width)
    let [top, seen] = [0, 0]
    for (let k = 0; k < width; k++) {
      const last = Math.min(width - 1, k + slack)
      for (; seen <= last; seen++) if (totals[seen]! > totals[top]!) top = seen
      from[k] = top
      next[k] = totals[top]! + (rises[place + k - reach] ?? 0)
    }
    before.push(from)
    totals = next
  })
  let shift = 0
  for (let k = 1; k < width; k++) if (totals[k]! > totals[shift]!) shift = k
  const chosen = new Array<number>(places.length)
  for (let cue = places.length - 1; cue >= 0; cue--) {
    chosen[cue] = places[cue]! + shift - reach
    shift = before[cue]![shift]!
  }
  return chosen
}
