/** Finds where speech begins near each cue, for all cues jointly. Where the sound is unclear, the cues' gaps decide. */
import type { TimedSpan } from "./CueEvidence.ts"
import { stepsPerSecond, bandCount } from "./SoundBands.ts"
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

/**
 * A small network that finds where somebody begins to speak. Its inputs are the mean levels of eight bands in stretches
 * of time around a moment: narrow near it, wide far from it. It has one hidden layer. `bench/sync/training.ts` trains
 * it on speech of the embedded engines over music, noise, applause and room tone.
 */

/** The edges of the stretches, in steps from the moment. */
const edges = [-50, -35, -25, -18, -12, -8, -5, -3, -2, -1, 0, 1, 2, 3, 5, 8, 12, 18, 25, 35, 50] as const
const widest = 50

/** Inputs of the network: the bands of each stretch. */
export const inputCount = (edges.length - 1) * bandCount

/** The network's weights. */
export interface OnsetWeights {
  /** `weights[input * hidden + unit]`, where `hidden` is the number of units. */
  readonly weights: Float32Array
  readonly biases: Float32Array
  readonly outputs: Float32Array
  /** The score of "nobody begins to speak here". */
  readonly nobody: number
}

/** Inputs are half decibels above the noise floor, divided by this. */
const inputScale = 20

/**
 * Computes the network's inputs for `count` moments from step `from` on: `inputs[moment * inputCount + k]`. Before and
 * after the sound, its first and last levels count.
 */
export const onsetInputs = (
  above: Uint8Array,
  from: number,
  count: number,
  inputs: Float32Array
): Float32Array => {
  const steps = above.length / bandCount
  const length = count + 2 * widest
  const sums = new Uint32Array((length + 1) * bandCount)
  for (let k = 0; k < length; k++) {
    const step = Math.min(steps - 1, Math.max(0, from - widest + k))
    for (let band = 0; band < bandCount; band++)
      sums[(k + 1) * bandCount + band] = sums[k * bandCount + band]! + (above[step * bandCount + band] ?? 0)
  }
  let at = 0
  for (let moment = 0; moment < count; moment++)
    for (let k = 0; k + 1 < edges.length; k++) {
      const [first, until] = [edges[k]!, edges[k + 1]!]
      const low = (moment + widest + first) * bandCount
      const high = (moment + widest + until) * bandCount
      const scale = 1 / ((until - first) * inputScale)
      for (let band = 0; band < bandCount; band++)
        inputs[at++] = (sums[high + band]! - sums[low + band]!) * scale
    }
  return inputs
}

/** Writes the scores of moments with these inputs into `scores`. A score is the logarithm of the odds. */
export const onsetScores = (
  { weights, biases, outputs }: OnsetWeights,
  inputs: Float32Array,
  scores: Float64Array
): void => {
  const units = biases.length
  const sums = new Float32Array(units)
  for (let moment = 0; moment < scores.length; moment++) {
    sums.set(biases)
    for (let k = 0; k < inputCount; k++) {
      const input = inputs[moment * inputCount + k]!
      if (input === 0) continue
      for (let unit = 0, at = k * units; unit < units; unit++, at++)
        sums[unit] = sums[unit]! + input * weights[at]!
    }
    let score = 0
    for (let unit = 0; unit < units; unit++) score += outputs[unit]! * Math.tanh(sums[unit]!)
    scores[moment] = score
  }
}

/** The trained weights: bytes, with a scale for each unit. */
const trainedOnsets = (): OnsetWeights => {
  const { scales, biases, outputs, nobody, bytes } = onsetWeights
  const units = scales.length
  const values = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))
  return {
    weights: Float32Array.from(values, (value, k) => (value - 128) * scales[k % units]!),
    biases: Float32Array.from(biases),
    outputs: Float32Array.from(outputs),
    nobody
  }
}

const onsetWeights = {
  scales: [
    0.005226, 0.0023551, 0.0029338, 0.012399, 0.0071621, 0.0036494, 0.0047192, 0.0044176, 0.0027734,
    0.0098018, 0.0031541, 0.0056792, 0.0067837, 0.0023968, 0.0033835, 0.0031973, 0.0031729, 0.0034031,
    0.0032758, 0.0048558, 0.0027441, 0.0025582, 0.0030297, 0.0051071
  ],
  biases: [
    -0.58646, 0.5838, -0.53844, 0.15848, 0.24163, 0.45854, 0.42633, -0.83785, -0.83841, -0.4398, -0.41401,
    0.45372, 0.044097, -0.33453, -0.2357, -0.15064, 0.38713, 0.36598, -0.51448, 0.77942, -0.40516, -0.36029,
    -0.76409, 0.70128
  ],
  outputs: [
    0.45418, -0.44004, 0.41872, -0.53198, -0.62586, -0.6035, -0.87072, 0.58806, 0.3576, 0.8873, 0.83582,
    -0.59134, -0.76808, 0.65371, 0.48948, -0.69874, -0.50216, -0.34409, 0.8075, -0.54577, 0.4925, 0.5966,
    0.55367, -0.46454
  ],
  nobody: 0.36506,
  bytes: [
    "c4mQhHqtoMAXco98jZ85e3Pl9+8QzFK7b8uGamaeh6kzg4KPbJJosm3/weAgjYTPocaBb3mMfcFmg3VtcHSPbX6N3JlAV46klm2L",
    "g4ScjZdsfnttfYluo3XZd7Nzi5OchVJZlarIoUfAcmaWk3dVtGh2qFuWv7VlerNXhJCPfnpxdWx6ip6Lo5F2VYZ8hod5c5dagIB6",
    "dHFtaXhwjGFpTpOCbYWEbH51nMipjZZsbXZDb2pjj1p6Zo6Sg4M3hVCLjaeFg2FTdKM+fn2DcWt5Yo7jnuY0f2m4abmIeGBDdaY1",
    "fqOBZ1lbYbjeVLQXTwGyn5x3copcdcVVa59qmGeAiW+3hp4tclq0lKBFhXxTmH91iaRqfIJvnIK2p4plgYiOjHxih6KVcF/dlKGC",
    "h6ytTlxZ0kGvw8Rjj4ZTh5R9h4mMdV55hV6gk4ttlmGecX2DiEheh4GWmGRaVoGVnYSL1W9go5kgh3egeKF4lZuogGsxYad/qdWt",
    "fVdmm5IWfmS3RrlIdm5Wg59ldMN3nlhrbJe/XNAkhEm2Me9sfW8+grQldraFiatfctzmT8NBUU3Uc9l9iGxtibJlabSKscpMc5e+",
    "kn84iE+zaM2wgXJkb5KXgYOAbm0UcJGte7Jpk0qYjp6mh5OYkmj/fnCMhmiaflZ6XGOSvadQiYd8iZdxh5aSdqxYpspLbnGBg4W+",
    "h7OHe5GciXaliaxnfYtukKe5eYKNjpNooJWOb7Fvh4iHo4BFbW6ZinaYoaWbb60vYlXKIdRnfntib6tFdparnF40bofJi/A1QQrR",
    "Ae55imuZfswUeaizoyw3anfnU9NwWx//McOdfGx5Wr+HetKhsYB4Yl+7YIRRM1WtV/GufZKnjoWhhpWibm1pSmSnDaSAfIeRejd2",
    "jYyziomzdbKQlGaXrEFwI2di3d5aZsqBdpecZYB8eo55kotiXHZ7hnqkkZCZcad+gG+LdJiKa3eJlUZrcmWSWYxFkIl/bLNdk3oy",
    "cqSFX4N5rJU9jHa8WnafV3SnKdxpiWB+fIhUgDH/lwgq03nUq/0sQ3G9G/+OiWhmbahNiDT2mygpzJLSga58P2PEWoOthXhWYqN8",
    "g1zTj29zyzOhjI9fj4mVbH6Ue3yLb6bCk3G0dIZTlVaJT5KedsN1ikagjJV1dImidlCjipGDhTaMO3p4tdZeg5twg45sbzOfe2qe",
    "hH2KUKtrVoCNYItqfppbmHF7eIJhU0yZtTJqdIaAiG1+rY52dH5tuoYieJ+LNlaEp0RbZo2saX03OHOjTtGPf3CHxmVhaQe8gjEa",
    "3J/bnf8sJDufhqyThW15uIVtUgHQoa0gzsDbjKYBXXamiJiThnZyjpC4ainBiLpVxG+dcn9Oc8yKmVCedneKbrenZwuYcnWWhX2N",
    "eauOwu18iimSf3SUgYq8Qx6ErZp3l0SbEpERhd9ZkFpkgI57h1d/TWqNo3i1o3WGVn5ZboiCo7Btoo2DlIF+HmZozEZUYo2wdJRk",
    "enB7l7k90KM4aXhnAVZ15z0Bbb+jLmEzN32DddK9g3VH/2tLlC+jiTM+6//JbsuMH06Un9vCpoZ12o1jhmSCvnSGiMZubJSVbHyA",
    "kpOrlXt3zIyqhDpvqJB1nIptn3Voh6hyrEdpgoG5paS/dzR7n5KjU0lsgp7Cw7GImkOWk42ZopqQcEdhpKdhhUecRKxwjpV/dWSc",
    "kqiIemathEhSs3mDcomVop5sX6NxhaV7xLtqbGx1kX6QzElWY8uXfoOwa3uEhdJf/99TiDw4hnxt/1AHate5gIFIJ3aOjL2biYNS",
    "pntmjU+VaYw8tOyuc6GGSGOWqLCwpbNeoW1Aja1vgGyshaNLbIGijYCEqINtmJluxYRyeZp4gKeWfJg8e2uEgZuXgIlfipyUmpGX",
    "fYhxdXiMUGCVr4GWnI1/fnxGj56ntZ6mfWt2d4d4j2KAdIpTn5Rxfl1Ff6aXfXWUgmF+gIduV3GKdoyPi2t0cmxhrMV+cmSFkHWE",
    "iEhnZodunpDFgVx1e6E44v9/aSpinHd6h3BCmKe5ioKdJo14fcd/e41Yrndaj1t+hn5lrruAeZ+yYWaJm25lkMhph2NOkLF5fYai",
    "UIFke33CcoWAsW9rh6dyu36MgoN3dWt/V5pkb3lQeJWDi3h5d5d6kZt7i3dpi2SNfkxfgXd4mH5phKhdeoednp2zkWdrgW1rlY6l",
    "g34rinyCa2xXboODdo1zfJCAhY6NnXJ9WHNyiHeCZERrdbxxhXODhIt4eJFpXJR9f4Gtc3mCgpREmdaGZUyIl3CVdG1Tfo+ckIun",
    "Vn59dpMbhHxOkmN5iHmAeGBzp6OPhZyqcniDi5AYe5R3eU17lLFbinukVpJdZnGZe4p7gpBkh4V1mmVxf7iDfUJdMnt2gHF9gox9",
    "jJBognmJrHyDeKdqfI+EcW2Sl3hvkZFwboVqgWuQmaqCh413j45+plePcX9kgHGJj4CBd3GHc6KMfIqCi3N0f3Vwg4h4b3OBf4px",
    "fXmGaIR/e4qEc3xupnqLi3uegW92boFKg56DgXSOjGyKb6d7cZN1fnenNop4g2sxho1AjG2Oh2Z+fWKleG2HaoOQkHt5fY8UfHVM",
    "b1eUg5hmd5N2VJNvfnR2mnt4g49uhYVvaWeUgo9vemx+Y5d4YYaqU4OIlZyzhnxSa3WBfnJXdHxre2KHtXRcc2RykYWVfHpQka6I",
    "gZ2ThH5yoaBth4ODgmGJeZ+afn9qg4mFf4qKgIGIkmWCbYhui3l6bnbPe4CAeFmIdn16jYWflnt9eJGJlaSKiIxIe3+Wgp6ahmJ5",
    "f3p9e5p+i2yYU5F4kFwmgYlQdYLEdI5WhDiZjJBijoyofqOGhp1geW5ZZmiEiZVWe3yhUrx3aY2Dfa+SiG93g4SYa3F/h7R/e0d7",
    "m46ShnR9V5SJdom/fHlTXHp9e31wgI6HfHFoiINog2+Appx4h4iLlYV4iJxybUuLo2WHZHxmfmuMi76+f4KCfWpqhJ+WjYlwin94",
    "j3Z8gYZ3hJvDiX+IknNybqt6fFSPuWturHZ+mXl2kppddoBXdKCPfmWFgXWiZqRwe3uUpZOHmn9NfJBQhIemeIZnjX6xNohraYuW",
    "qJB8j49Xd2tQb2iHdIRybrWXMcaDYIqGfpuLiX9xgYF6alechGuUemt/dKKXnHd1XnZ0hX/GfHxtbXRyhGJniJJ5iop6fXiFqm14",
    "kI91gXp4doVviXx9gkxqmp6EjpKNtW2bg2OEgYp0iXFpgYCNeX90eIqQeIt2i4mAl6zOhYNakGeafpd/iXWelXmMWHB3m3qJhmSP",
    "fXdmjqWSf5x9elOZKLBGfVp1aJZ5m2Wef4QBWY27c7pUhXGVHc9TZn5kXstUhY13cm8oUU2EjsVNf2Z0AYhwVpGia5V4ilF2eY9r",
    "Xx+lg4B4djp8ZLCUmYu0YmqDfXWmhniBfXuCeaZ2hI+WgoZwbV2Qj2dubXOTgYqKiYx7f52Od2JsiKuMooJ8hoSDiV5shoCKioZx",
    "fZWCgWRWgnt+m3Zqs2t+iYq5f45mdWlvhKt3j4d/d4SEbYSBg29zhopme3Euir6Cg8RibnqzBrJRU2CFe4eImkv/fogqTXKUaLhg",
    "lZSjWoB1mIBQZnNMkoe9gHceRTqHkrNDbJp7Kmd2V3lgNHxsfohsenRwbgGGgKOEe2VWW2igjoOlQKBud02Tgo16YkKsf4VwhXKE",
    "hHx/lny2hoNtgp1idX2Bf5qBg4GHgUyVfZdzfZaEdICEfn9yf4BzZ390gJVzfnaDfoWPnYdjioRqgMYsi4x9a2iegqFkfdeCkIlZ",
    "VGJ4PHB7kYBCdHtqepl/hZBvhUyNMGhLh3u1Pb98jnKThpR+PnpTbNJUnbaJiVyIvH9ofG53noaSdnZDKn2Ue8hcXcQ2QYSDdoGa",
    "PqJonXZlcnBXU4I0hqd8i152VW97mYiINYd2f11xg4t3fG2ok5pzc3qEtXuNfHilbaZyfnB8fH12i7ZUf5uKgT2NWZ2JY5GIXlts",
    "f4JGgYZsgb2YfJCQg1uWkod3cY6Tda1vh4SKgYeYe0uUb6RifXS0lW2XkG6EVW+Ai3Bfg3aQZW2nf6xlgoaEL24zsW2LdJKGhzNf",
    "lKh6UKKvbO1UkLWzXUZHy5N5fHZedYC5cXdYS5CGhnBMYMBgeJJ1EYHMfn9xiKV7dWlhg6lojJVmeb+Yg49lfJiQQpZ1YbRcg4ae",
    "X3bHeod5calprouQW5hniKBpgSgyenduk8lZgY6Mgp2gfWWLnr44r3qHh200h3h0joeJh2tyhVmQkHWcg4KRi32FcoaagpB1c0aV",
    "coKFfo+LunVvaXGWhmSAiUCXg5BwXyyfdpeVpZutSj5O2FCdg3prjDp2iZB+aImxbaeLgdeYgUGM2YhYpYlmgCtWa3F4YT5diJRv",
    "c26JcYWcf4mFb397hzKSfG5scXRKjpObd3xrZHJxgJxavZ1+fjFbjH2KbGyKgYt8fu+dhYeJW4heWJpygTN4eICpibKKfGWQi3KR",
    "wl6Bk5Ehu3JleYx5e4ePcEeQgJB7fH6AcoWEo4R5nU56bTqOfn5yckx0ekeMhNt7uH6BaW1lsZmJiAWBjZObfH13ZpeCosOhZytT",
    "3mB5t4l1lwiYho1+cqZpZpBomMGQt0e9741k5Y1pi0mEentXeFCBinx4bv98jU1fdohyxY9ne0a6enpzc4uNjpdse/STkImAnXF4",
    "iHB+oj1xgYKFdYdVdFqQjbeZhl+vg5iBu29texuZf4SnkpKLblaNjbeiz0yqkp47zYheg32PinmIl4FtfYSOeIeNqpCreHtQqWKI",
    "f4Vtfnamn1RjfGKRi9iLuliWnYeFl4xxXx4MipeqgWR/e6WMgoyndD1dtaRKnnOQmAqFhZarhJRYaX6gk6CVyyGQ/4RT/3Njdjl1",
    "eXJ+iYWWgHF8Xs6Ea09GyYZq0XFsdGOJdYKMfpVshHGFc4Rqm22ktHWLsUmCkjVtiX6Fe3N0e1V2i6OWkHCduIp1149gnkltj4G8",
    "pIhMdZCrmJKBx1TMqJM85olmemR6iIyOn26uiGyIdaiguXqXdYR4hnCKgVd4ioLQmHNpfW6IjKyvnnCIc41r12tyeBFPi36xpm1a",
    "bHiMouqvkhJRpnFRvG2I"
  ].join("")
} as const
