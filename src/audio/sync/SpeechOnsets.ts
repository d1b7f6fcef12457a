/** Finds where speech begins near each cue, for all cues jointly, so that they keep their order. */
import type { TimedSpan } from "./CueEvidence.ts"
import { inputCount, onsetInputs, onsetScores, trainedOnsets } from "./OnsetNetwork.ts"
import { stepsPerSecond } from "./SoundBands.ts"
import type { SpeechTrack } from "./SpeechTrack.ts"

/** How far from its cue speech may begin, in seconds. */
export const followTolerance = 0.35

/** Minimum distance between the starts of two consecutive cues, as a share of their distance in the subtitle. */
const leastDistance = 0.4

/** If the chance that nobody begins to speak near a cue reaches this, the cue has no onset. */
const surelyNobody = 0.5

/** An onset counts as found if it is within this many steps: 60 ms. */
const near = 6

const reach = Math.round(followTolerance * stepsPerSecond)
const moments = 2 * reach + 1

/**
 * Returns where speech begins for each cue, in seconds; undefined where the sound does not show it. Cues must be in
 * order of start.
 */
export const speechOnsets = (
  { above }: SpeechTrack,
  cues: ReadonlyArray<TimedSpan>
): ReadonlyArray<number | undefined> => {
  const network = trainedOnsets()
  const places = cues.map(({ start }) => Math.round(start * stepsPerSecond))
  const inputs = new Float32Array(moments * inputCount)
  const chances = places.map((place) => {
    const scores = new Float64Array(moments)
    onsetScores(network, onsetInputs(above, place - reach, moments, inputs), scores)
    return chancesOf(scores, network.nobody)
  })
  const chosen = inOrder(
    chances.map(({ onsets }) => nearby(onsets)),
    places
  )
  return chosen.map((at, cue) =>
    chances[cue]!.nobody < surelyNobody ? Math.max(0, at) / stepsPerSecond : undefined
  )
}

/** The chances that somebody begins to speak at each moment, or that nobody does. */
const chancesOf = (scores: Float64Array, nobody: number) => {
  const highest = scores.reduce((one, other) => Math.max(one, other), nobody)
  const odds = scores.map((score) => Math.exp(score - highest))
  const none = Math.exp(nobody - highest)
  const sum = odds.reduce((one, other) => one + other, none)
  return { onsets: odds.map((value) => value / sum), nobody: none / sum }
}

/** The chances that an onset is near each moment. */
const nearby = (chances: Float64Array): Float64Array => {
  const sums = new Float64Array(chances.length + 1)
  for (let k = 0; k < chances.length; k++) sums[k + 1] = sums[k]! + chances[k]!
  return chances.map((_, k) => sums[Math.min(chances.length, k + near + 1)]! - sums[Math.max(0, k - near)]!)
}

/**
 * Returns a moment near each place, in the places' order, such that the sum of their chances is highest. Uses dynamic
 * programming.
 */
const inOrder = (
  chances: ReadonlyArray<Float64Array>,
  places: ReadonlyArray<number>
): ReadonlyArray<number> => {
  /** For each cue and shift, the best shift of the cue before. */
  const before: Array<Int16Array> = []
  let totals = new Float64Array(moments)
  places.forEach((place, cue) => {
    const distance = place - (places[cue - 1] ?? place)
    const slack = Math.floor(distance * (1 - leastDistance))
    const next = new Float64Array(moments)
    const from = new Int16Array(moments)
    let [top, seen] = [0, 0]
    for (let k = 0; k < moments; k++) {
      const last = Math.min(moments - 1, k + slack)
      for (; seen <= last; seen++) if (totals[seen]! > totals[top]!) top = seen
      from[k] = top
      next[k] = totals[top]! + chances[cue]![k]!
    }
    before.push(from)
    totals = next
  })
  let shift = 0
  for (let k = 1; k < moments; k++) if (totals[k]! > totals[shift]!) shift = k
  const chosen = new Array<number>(places.length)
  for (let cue = places.length - 1; cue >= 0; cue--) {
    chosen[cue] = places[cue]! + shift - reach
    shift = before[cue]![shift]!
  }
  return chosen
}
