/**
 * Trains the network that finds where somebody begins to speak, and writes `src/audio/sync/OnsetWeights.ts` (format it
 * then). It learns from half of the benchmark's subtitles and from others, over backgrounds that the benchmark never
 * uses. Given a cue at a wrong time, the network must choose the moment at which the voice begins, or answer that
 * nobody speaks.
 */
import { writeFileSync } from "node:fs"
import { inputCount, onsetInputs, onsetScores, type OnsetWeights } from "../../src/audio/sync/SpeechOnsets.ts"
import { followTolerance } from "../../src/audio/sync/SpeechOnsets.ts"
import { bandCount, stepsPerSecond } from "../../src/audio/sync/SoundBands.ts"
import { speechTrackOf } from "../../src/audio/sync/SpeechTrack.ts"
import { backgroundNames } from "./backgrounds.ts"
import { bandsOf, isHeldOut, mixed, sources, spokenOf, trainingSources } from "./films.ts"
import { randomOf } from "./random.ts"

const units = 24
const rounds = 6
const learningRate = 3e-3
const batch = 48

/** Ratios of speech and background; 10 dB twice, since the benchmark has it. */
const ratios = [20, 10, 10, 5] as const

const reach = Math.round(followTolerance * stepsPerSecond)
const moments = 2 * reach + 1

/**
 * A cue for training: the sound near it, and the moment at which its voice begins. The moment is absent if nobody
 * speaks.
 */
interface Lesson {
  readonly above: Uint8Array
  readonly from: number
  readonly onset: number | undefined
}

const lessonsOf = async (random: () => number): Promise<Array<Lesson>> => {
  const lessons: Array<Lesson> = []
  for (const source of [...sources.filter((_, k) => !isHeldOut(k)), ...trainingSources]) {
    const spoken = await spokenOf(source)
    for (const ratio of ratios)
      for (const name of backgroundNames) {
        const seed = 1000 + Math.floor(1e6 * random())
        const { above } = speechTrackOf(bandsOf(mixed(spoken, name, ratio, seed)))
        const voices = spoken.cues.filter((cue) => cue.spoken).map(({ onset }) => onset * stepsPerSecond)
        for (const cue of spoken.cues) {
          const place = Math.round((cue.start + 0.6 * (random() - 0.5)) * stepsPerSecond)
          const from = place - reach
          if (cue.spoken) lessons.push({ above, from, onset: cue.onset * stepsPerSecond - from })
          // For some cues, adds a lesson from another place, where nobody begins to speak.
          if (random() > 0.15) continue
          const other = Math.round((random() * above.length) / bandCount)
          const isNear = voices.some((onset) => Math.abs(onset - other) <= reach)
          if (!isNear) lessons.push({ above, from: other - reach, onset: undefined })
        }
      }
  }
  return lessons
}

/** Adam's method: steps by the mean gradient over its spread. */
const adam = (values: Float32Array) => {
  const mean = new Float32Array(values.length)
  const square = new Float32Array(values.length)
  let time = 0
  return (gradient: Float32Array, rate: number) => {
    time++
    const [one, two] = [1 - 0.9 ** time, 1 - 0.999 ** time]
    for (let k = 0; k < values.length; k++) {
      const slope = gradient[k]! + 1e-4 * values[k]!
      mean[k] = mean[k]! + 0.1 * (slope - mean[k]!)
      square[k] = square[k]! + 0.001 * (slope * slope - square[k]!)
      values[k] = values[k]! - (rate * (mean[k]! / one)) / (Math.sqrt(square[k]! / two) + 1e-8)
    }
    gradient.fill(0)
  }
}

/** The probability of each moment, then that of silence. Moments form a bell of 20 ms around the onset. */
const targetOf = (onset: number | undefined): Float64Array => {
  const target = new Float64Array(moments + 1)
  if (onset === undefined) target[moments] = 1
  else for (let k = 0; k < moments; k++) target[k] = Math.exp(-0.5 * ((k - onset) / 2) ** 2)
  const sum = target.reduce((a, b) => a + b, 0)
  return target.map((value) => value / sum)
}

/** Trains the network and writes its weights. */
export const trainOnsets = async () => {
  const random = randomOf(1)
  const lessons = await lessonsOf(random)
  process.stdout.write(`${lessons.length} cues to learn from\n`)
  const spread = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const weights = Float32Array.from({ length: inputCount * units }, () => spread() / Math.sqrt(inputCount))
  const biases = new Float32Array(units)
  const outputs = Float32Array.from({ length: units }, () => spread() / Math.sqrt(units))
  const nobody = new Float32Array(1)
  const all = [weights, biases, outputs, nobody] as const
  const slopes = all.map((values) => new Float32Array(values.length))
  const steps = all.map(adam)
  const inputs = new Float32Array(moments * inputCount)
  const scores = new Float64Array(moments)
  const hidden = new Float32Array(units)
  const total = rounds * Math.floor(lessons.length / batch)
  let done = 0
  for (let round = 0; round < rounds; round++) {
    for (let k = lessons.length - 1; k > 0; k--) {
      const other = Math.floor(random() * (k + 1))
      ;[lessons[k], lessons[other]] = [lessons[other]!, lessons[k]!]
    }
    let [loss, count] = [0, 0]
    for (const [k, { above, from, onset }] of lessons.entries()) {
      onsetInputs(above, from, moments, inputs)
      onsetScores({ weights, biases, outputs, nobody: nobody[0]! }, inputs, scores)
      const target = targetOf(onset)
      const odds = Float64Array.from([...scores, nobody[0]!], Math.exp)
      const sum = odds.reduce((a, b) => a + b, 0)
      for (let moment = 0; moment <= moments; moment++) {
        const chance = odds[moment]! / sum
        loss -= target[moment]! * Math.log(chance + 1e-12)
        const slope = (chance - target[moment]!) / batch
        if (moment === moments) slopes[3]![0] = slopes[3]![0]! + slope
        else if (Math.abs(slope * batch) > 1e-4) learnMoment(moment, slope)
      }
      count++
      if ((k + 1) % batch > 0) continue
      const rate = learningRate * (1 - (0.95 * done++) / total)
      steps.forEach((step, which) => step(slopes[which]!, rate))
    }
    process.stdout.write(`round ${round + 1}: ${(loss / count).toFixed(4)}\n`)
  }
  write({ weights, biases, outputs, nobody: nobody[0]! })

  function learnMoment(moment: number, slope: number) {
    hidden.set(biases)
    const base = moment * inputCount
    for (let k = 0; k < inputCount; k++) {
      const input = inputs[base + k]!
      if (input === 0) continue
      for (let unit = 0, at = k * units; unit < units; unit++, at++)
        hidden[unit] = hidden[unit]! + input * weights[at]!
    }
    for (let unit = 0; unit < units; unit++) {
      const value = Math.tanh(hidden[unit]!)
      slopes[2]![unit] = slopes[2]![unit]! + slope * value
      hidden[unit] = slope * outputs[unit]! * (1 - value * value)
      slopes[1]![unit] = slopes[1]![unit]! + hidden[unit]!
    }
    const into = slopes[0]!
    for (let k = 0; k < inputCount; k++) {
      const input = inputs[base + k]!
      if (input === 0) continue
      for (let unit = 0, at = k * units; unit < units; unit++, at++)
        into[at] = into[at]! + input * hidden[unit]!
    }
  }
}

const write = ({ weights, biases, outputs, nobody }: OnsetWeights) => {
  const scales = Array.from(
    { length: units },
    (_, unit) =>
      weights.reduce((most, value, k) => (k % units === unit ? Math.max(most, Math.abs(value)) : most), 0) /
      127
  )
  const bytes = Uint8Array.from(weights, (value, k) => Math.round(value / scales[k % units]!) + 128)
  const letters =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,100}/gu) ?? []
  const numbers = (values: ArrayLike<number>) =>
    `[${Array.from(values, (value) => value.toPrecision(5)).join(", ")}]`
  const text = `/** Weights of the network that finds where somebody begins to speak; trained as in \`bench/sync/training.ts\`. */

export const onsetWeights = {
  scales: ${numbers(scales)},
  biases: ${numbers(biases)},
  outputs: ${numbers(outputs)},
  nobody: ${nobody.toPrecision(5)},
  bytes: [${letters.map((line) => `"${line}"`).join(",")}].join("")
} as const
`
  const path = "src/audio/sync/OnsetWeights.ts"
  writeFileSync(path, text)
}
