/** A clip at another sample rate: exact rational ratios, linear phase, nothing shifted in time. */
import type { SampleRate } from "../domain/Units.ts"
import type { Pcm } from "./Pcm.ts"
import { kaiser } from "./Window.ts"

/**
 * The clip at another rate; the clip itself where it has that rate already. Frame i of the result stands at the same time as before, i / rate,
 * and the length is the nearest number of frames. Up to 90 % of the lower Nyquist frequency passes, images and aliases
 * are about 80 dB down.
 */
export const resampled = (pcm: Pcm, rate: SampleRate): Pcm => {
  if (pcm.rate === rate) return pcm
  if (pcm.rate * 2 === rate) return doubled(pcm, rate)
  const { up, down, taps, filter } = filterOf(pcm.rate, rate)
  const { samples } = pcm
  const length = Math.round((samples.length * rate) / pcm.rate)
  const result = new Float32Array(length)
  const half = taps / 2
  for (let i = 0; i < length; i++) {
    const position = i * down
    const phase = position % up
    const first = (position - phase) / up - half + 1
    const base = phase * taps
    const from = Math.max(0, -first)
    const to = Math.min(taps, samples.length - first)
    let sum = 0
    for (let tap = from; tap < to; tap++) sum += samples[first + tap]! * filter[base + tap]!
    result[i] = sum
  }
  return { rate, samples: result }
}

/**
 * Twice the rate, which is what most clips need, at a quarter of the work: every second frame is one of the clip's own, and those
 * between are computed from as many frames on either side, pair by pair.
 */
const doubled = ({ samples }: Pcm, rate: SampleRate): Pcm => {
  const pairs = halfway.length
  const line = new Float32Array(samples.length + 2 * pairs)
  line.set(samples, pairs)
  const result = new Float32Array(2 * samples.length)
  for (let i = 0; i < samples.length; i++) {
    const left = pairs + i
    let sum = 0
    for (let pair = 0; pair < pairs; pair++)
      sum += (line[left - pair]! + line[left + 1 + pair]!) * halfway[pair]!
    result[2 * i] = samples[i]!
    result[2 * i + 1] = sum
  }
  return { rate, samples: result }
}

interface Polyphase {
  readonly up: number
  readonly down: number
  /** Taps of each of the `up` phases. */
  readonly taps: number
  readonly filter: Float32Array
}

/** Filters that were built, by their ratio: a run has few, and each takes milliseconds to build. */
const filters = new Map<string, Polyphase>()

const filterOf = (from: number, to: number): Polyphase => {
  const shared = greatestCommonDivisor(from, to)
  const up = to / shared
  const down = from / shared
  const name = `${up}/${down}`
  const known = filters.get(name)
  if (known !== undefined) return known
  const built = build(up, down)
  filters.set(name, built)
  return built
}

/** A sinc under a Kaiser window, cut off at 95 % of the lower Nyquist frequency; each phase passes a constant unchanged. */
const build = (up: number, down: number): Polyphase => {
  const narrowing = Math.max(1, down / up)
  const half = Math.ceil(48 * narrowing)
  const taps = 2 * half
  const cutoff = 0.95 / narrowing
  const filter = new Float32Array(up * taps)
  for (let phase = 0; phase < up; phase++) {
    const values = new Float64Array(taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - half + 1 - phase / up
      const value = sinc(cutoff * distance) * kaiser(distance / half, 8)
      values[tap] = value
      sum += value
    }
    for (let tap = 0; tap < taps; tap++) filter[phase * taps + tap] = values[tap]! / sum
  }
  return { up, down, taps, filter }
}

/** The weights of the frames on one side of the middle between two, nearest first: together a half, so that a constant passes. */
const halfway = (() => {
  const weights = Float64Array.from({ length: 48 }, (_, pair) => {
    const distance = pair + 0.5
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * kaiser(distance / 48, 8)
  })
  const sum = 2 * weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
})()

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
