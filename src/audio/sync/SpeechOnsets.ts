/** Finds where speech begins near each cue, for all cues jointly. Where the sound is unclear, the cues' gaps decide. */
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

/**
 * Decides jointly where the cues of a subtitle belong in its film. Sound alone hardly shows where a voice begins right
 * after another. But then, the cue often starts where the cue before it ends: many subtitles have few gaps, or always
 * the same short one. Cues keep their lengths while they move, so each gap tells how far two cues move from each other.
 *
 * The cues are a hidden Markov model: a state is a cue's shift, and a transition is as likely as the gap it leads to.
 * How often each gap occurs is estimated from the subtitle itself (Baum-Welch: L. Rabiner, "A Tutorial on Hidden Markov
 * Models", 1989).
 */

/** Where a cue is in the subtitle; steps. */
interface CuePlace {
  readonly start: number
  readonly end: number
}

/** Shorter gaps count like the first, longer ones like the last; steps. A negative gap is an overlap. */
const shortestGap = -100
const maxGap = 200

/** Expected gaps, before those of the subtitle are known: overlaps are rare, and long gaps rarer than short ones. */
const expected = normalized(
  Float64Array.from({ length: maxGap - shortestGap + 1 }, (_, k) => {
    const gap = k + shortestGap
    return Math.exp(gap < 0 ? gap / 25 : -gap / 400)
  })
)

/** The expectation counts like this many pairs of cues. */
const expectedPairs = 30

/** How often the gaps are estimated. More rounds change hardly anything. */
const rounds = 2

/** Estimated gaps are blurred by a bell of this many steps. */
const blur = 2

/**
 * Returns how likely each shift of each cue is, given the chances that the cue's sound alone gives them:
 * `chances[cue][shift]`, from the earliest shift to the latest. Cues must be in order of start.
 */
export const jointChances = (
  cues: ReadonlyArray<CuePlace>,
  chances: ReadonlyArray<Float64Array>
): ReadonlyArray<Float64Array> => {
  let gaps = expected
  for (let round = 0; ; round++) {
    const weights = cues.slice(1).map((cue, k) => weightsOf(cues[k]!, cue, chances[k]!.length, gaps))
    const before = forward(chances, weights)
    const after = backward(chances, weights)
    if (round === rounds)
      return before.map((values, cue) => normalized(values.map((value, k) => value * after[cue]![k]!)))
    gaps = gapsOf(cues, chances, weights, before, after)
  }
}

function normalized(values: Float64Array): Float64Array {
  const sum = values.reduce((one, other) => one + other, 0)
  return sum > 0 ? values.map((value) => value / sum) : values.fill(1 / values.length)
}

/** The index of the gap between two cues whose shifts are equal. It is out of range for very long gaps and overlaps. */
const gapIndex = (cue: CuePlace, next: CuePlace): number => Math.round(next.start - cue.end) - shortestGap

/** The weights of transitions by the difference of the shifts: `weights[next shift - shift + shifts - 1]`. */
const weightsOf = (cue: CuePlace, next: CuePlace, shifts: number, gaps: Float64Array): Float64Array => {
  const first = gapIndex(cue, next) - (shifts - 1)
  const distance = Math.round(next.start - cue.start) - (shifts - 1)
  return Float64Array.from({ length: 2 * shifts - 1 }, (_, k) =>
    distance + k < 0 ? 0 : gaps[Math.min(gaps.length - 1, Math.max(0, first + k))]!
  )
}

/** The chances of shifts given the sound up to and with each cue. */
const forward = (chances: ReadonlyArray<Float64Array>, weights: ReadonlyArray<Float64Array>) => {
  const all: Array<Float64Array> = []
  for (const [cue, own] of chances.entries()) {
    const last = all[cue - 1]
    const by = weights[cue - 1]
    all.push(
      normalized(
        last === undefined || by === undefined
          ? own.slice()
          : own.map((chance, to) => {
              let sum = 0
              for (let k = 0; k < last.length; k++) sum += last[k]! * by[to - k + last.length - 1]!
              return chance * sum
            })
      )
    )
  }
  return all
}

/** The likelihood of the sound of all later cues, by each cue's shift. */
const backward = (chances: ReadonlyArray<Float64Array>, weights: ReadonlyArray<Float64Array>) => {
  const all: Array<Float64Array> = chances.map((own) => own.slice().fill(1))
  for (let cue = chances.length - 2; cue >= 0; cue--) {
    const later = all[cue + 1]!.map((value, k) => value * chances[cue + 1]![k]!)
    const by = weights[cue]!
    all[cue] = normalized(
      all[cue]!.map((_, from) => {
        let sum = 0
        for (let k = 0; k < later.length; k++) sum += later[k]! * by[k - from + later.length - 1]!
        return sum
      })
    )
  }
  return all
}

/** Estimates how often each gap occurs. */
const gapsOf = (
  cues: ReadonlyArray<CuePlace>,
  chances: ReadonlyArray<Float64Array>,
  weights: ReadonlyArray<Float64Array>,
  before: ReadonlyArray<Float64Array>,
  after: ReadonlyArray<Float64Array>
): Float64Array => {
  const counts = new Float64Array(expected.length)
  for (const [cue, by] of weights.entries()) {
    const shifts = before[cue]!.length
    const later = after[cue + 1]!.map((value, k) => value * chances[cue + 1]![k]!)
    const joint = new Float64Array(by.length)
    for (let from = 0; from < shifts; from++)
      for (let to = 0; to < shifts; to++) {
        const k = to - from + shifts - 1
        joint[k] = joint[k]! + before[cue]![from]! * by[k]! * later[to]!
      }
    const first = gapIndex(cues[cue]!, cues[cue + 1]!) - (shifts - 1)
    for (const [k, share] of normalized(joint).entries())
      if (first + k >= 0 && first + k < counts.length) counts[first + k] = counts[first + k]! + share
  }
  return normalized(blurred(counts).map((count, k) => count + expectedPairs * expected[k]!))
}

const blurred = (values: Float64Array): Float64Array => {
  const bell = normalized(
    Float64Array.from({ length: 8 * blur + 1 }, (_, k) => Math.exp(-0.5 * (k / blur - 4) ** 2))
  )
  return values.map((_, at) =>
    bell.reduce((sum, weight, k) => sum + weight * (values[at + k - 4 * blur] ?? 0), 0)
  )
}
