/** A clip at another sample rate: exact rational ratios, linear phase, nothing shifted in time. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { ChannelHistory } from "./ChannelHistory.ts"
import { doubledOf, type Polyphase, sampledOf } from "../kernels/Kernels.ts"
import type { Pcm } from "./Pcm.ts"
import { newBuffer, type Buffer32, bufferFor } from "../kernels/BufferPool.ts"
import { kaiser } from "./KaiserWindow.ts"

/**
 * The clip at another rate; the clip itself where it has that rate already. Frame i of the result stands at the same
 * time as before, i / rate, and the length is the nearest number of frames. Up to 90 % of the lower Nyquist frequency
 * passes, images and aliases are about 80 dB down. Its work is done in rooms.
 */
export const resample = (pcm: Pcm, rate: SampleRate, room: Buffer32 = newBuffer): Pcm => {
  if (pcm.rate === rate) return pcm
  if (pcm.rate * 2 === rate) return doubled(pcm, rate, room)
  const polyphase = filterOf(pcm.rate, rate)
  const { samples } = pcm
  const half = polyphase.taps / 2
  const line = silenceAround(samples, half - 1, half + 1, room)
  const length = Math.round((samples.length * rate) / pcm.rate)
  const result = room(length)
  sampledOf(line, 0, length, polyphase, 0, result, 0)
  return { rate, samples: result }
}

/**
 * Twice the rate, which is what most clips need, at a quarter of the work: every second frame is one of the clip's own,
 * and those between are computed from as many frames on either side, pair by pair.
 */
const doubled = ({ samples }: Pcm, rate: SampleRate, room: Buffer32): Pcm => {
  const pairs = halfway.length
  const line = silenceAround(samples, pairs, pairs, room)
  const result = room(2 * samples.length)
  doubledOf(line, pairs, samples.length, halfway, result, 0)
  return { rate, samples: result }
}

/** Samples with so many of silence before and behind them. */
const silenceAround = (
  samples: Float32Array,
  before: number,
  behind: number,
  room: Buffer32
): Float32Array => {
  const line = room(before + samples.length + behind).fill(0, 0, before)
  line.set(samples, before)
  return line.fill(0, before + samples.length)
}

/**
 * One channel's stream at another rate, block by block: the samples are those that `resampled` gives for the whole,
 * whatever the blocks. What comes out lags behind by half the filter; silence behind the last block brings it out.
 */
export class Resampler {
  private readonly line: ChannelHistory
  private readonly filter: Polyphase | undefined
  /** Frames before and behind one that its neighbours are computed from. */
  private readonly around: number
  /** Frames given out, and the number of the frame that stands first in the line. */
  private given = 0
  private first: number
  private result: Float32Array | undefined

  /** The rates must differ. */
  constructor(
    from: SampleRate,
    to: SampleRate,
    private readonly room: Buffer32 = newBuffer
  ) {
    this.filter = 2 * from === to ? undefined : filterOf(from, to)
    this.around = this.filter === undefined ? halfway.length : this.filter.taps / 2
    this.line = new ChannelHistory(this.around, room)
    this.first = -this.around
  }

  /** Takes the next samples of a channel of an interleaved block; what is given out is valid until the next call. */
  push(block: Float32Array, channel: number, channels: number): Float32Array {
    const line = this.line.take(block, channel, channels, 1)
    return this.filter === undefined ? this.twice(line) : this.between(line, this.filter)
  }

  private twice(line: Float32Array): Float32Array {
    const { around } = this
    const count = Math.max(0, line.length - 2 * around)
    const result = this.roomOf(2 * count)
    doubledOf(line, around, count, halfway, result, 0)
    this.line.release(count)
    return result
  }

  private between(line: Float32Array, filter: Polyphase): Float32Array {
    const { up, down, taps } = filter
    const position = this.given * down
    const phase = position % up
    /** Where the next one's first tap stands in the line. */
    const start = (position - phase) / up - taps / 2 + 1 - this.first
    // Those of which all taps are there.
    const count = Math.max(0, Math.ceil(((line.length - taps - start + 1) * up - phase) / down))
    const result = this.roomOf(count)
    sampledOf(line, start, count, filter, phase, result, 0)
    this.given += count
    const next = start + Math.floor((phase + count * down) / up)
    const done = Math.max(0, Math.min(line.length, next))
    this.line.release(done)
    this.first += done
    return result
  }

  private roomOf(length: number): Float32Array {
    this.result = bufferFor(length, this.result, this.room)
    return this.result.subarray(0, length)
  }
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

/**
 * A sinc under a Kaiser window, cut off at 95 % of the lower Nyquist frequency; each phase passes a constant unchanged.
 */
const build = (up: number, down: number): Polyphase => {
  const narrowing = Math.max(1, down / up)
  // So many that the taps come in eights.
  const half = 4 * Math.ceil(12 * narrowing)
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

/**
 * The weights of the frames on one side of the middle between two, nearest first: together a half, so that a constant
 * passes.
 */
const halfway = (() => {
  const weights = Float32Array.from({ length: 26 }, (_, pair) => {
    const distance = pair + 0.5
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * kaiser(distance / 26, 8)
  })
  const sum = 2 * weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
})()

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
