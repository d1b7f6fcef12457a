/** Finds where speech begins near each cue, for all cues jointly. Where the sound is unclear, the cues' gaps decide. */
import { jointChances } from "./CueGaps.ts"
import type { TimedSpan } from "./CueEvidence.ts"
import { inputCount, onsetInputs, onsetScores, trainedOnsets } from "./OnsetNetwork.ts"
import { stepsPerSecond } from "./SoundBands.ts"
import type { SpeechTrack } from "./SpeechTrack.ts"

/** How far from its cue speech may begin, in seconds. */
export const followTolerance = 0.35

/**
 * A cue has no onset if the chance that nobody begins to speak near it reaches `surelyNobody`, unless the cues around
 * it show where it belongs: then the chance of its place is at least `surePlace`.
 */
const surelyNobody = 0.5
const surePlace = 0.4

/** An onset counts as found if it is within this many steps: 60 ms. */
const nearEnough = 6

const reach = Math.round(followTolerance * stepsPerSecond)
const moments = 2 * reach + 1

/**
 * Returns where speech begins for each cue, in seconds; undefined where the sound does not show it. Cues must be in
 * order of start, and have the ends of the subtitle.
 */
export const speechOnsets = (
  { above }: SpeechTrack,
  cues: ReadonlyArray<TimedSpan>
): ReadonlyArray<number | undefined> => {
  const network = trainedOnsets()
  const places = cues.map(({ start }) => Math.round(start * stepsPerSecond))
  const inputs = new Float32Array(moments * inputCount)
  const heard = places.map((place) => {
    const scores = new Float64Array(moments)
    onsetScores(network, onsetInputs(above, place - reach, moments, inputs), scores)
    return chancesOf(scores, network.nobody)
  })
  const joint = jointChances(
    cues.map(({ start, end }, cue) => ({
      start: places[cue]!,
      end: places[cue]! + (end - start) * stepsPerSecond
    })),
    // A cue that nobody speaks may belong anywhere.
    heard.map(({ onsets, nobody }) => onsets.map((chance) => chance + nobody / moments))
  )
  let latest = 0
  return joint.map((chances, cue) => {
    const { onsets, nobody } = heard[cue]!
    const anywhere = nobody / moments
    const silent = chances.reduce((sum, chance, k) => sum + (chance * anywhere) / (onsets[k]! + anywhere), 0)
    const near = nearby(chances)
    const best = near.reduce((top, chance, k) => (chance > near[top]! ? k : top), 0)
    if (silent >= surelyNobody && near[best]! < surePlace) return undefined
    // Each cue gets its own likeliest place; cues that are near each other might swap theirs.
    latest = Math.max(latest, places[cue]! + best - reach)
    return latest / stepsPerSecond
  })
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
  return chances.map(
    (_, k) => sums[Math.min(chances.length, k + nearEnough + 1)]! - sums[Math.max(0, k - nearEnough)]!
  )
}
