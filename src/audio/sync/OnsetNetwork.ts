/**
 * A small network that finds where somebody begins to speak. Its inputs are the mean levels of eight bands in stretches
 * of time around a moment: narrow near it, wide far from it. It has one hidden layer. `bench/sync/training.ts` trains
 * it on speech of the embedded engines over music, noise, applause and room tone.
 */
import { onsetWeights } from "./OnsetWeights.ts"
import { bandCount } from "./SoundBands.ts"

/** The edges of the stretches, in steps from the moment. */
export const edges = [
  -50, -35, -25, -18, -12, -8, -5, -3, -2, -1, 0, 1, 2, 3, 5, 8, 12, 18, 25, 35, 50
] as const
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
export const trainedOnsets = (): OnsetWeights => {
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
