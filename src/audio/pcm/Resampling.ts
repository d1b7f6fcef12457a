/** Sample-rate conversion: exact rational ratios, linear phase, no time shift. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { ChannelHistory } from "./ChannelHistory.ts"
import { doubledOf, type Polyphase, sampledOf } from "../kernels/Kernels.ts"
import type { Pcm } from "./Pcm.ts"
import { newBuffer, type Buffer32, bufferFor } from "../kernels/BufferPool.ts"
import { kaiser } from "./KaiserWindow.ts"

/**
 * Resamples a clip; returns its own samples if it has that rate already. Frame i of the result is at time i / rate, and
 * the length is rounded to the nearest frame. The passband reaches 90 % of the lower Nyquist frequency; images and
 * aliases are about 80 dB down. `allocate` provides the result and working memory.
 */
export const resample = (
  { rate: from, samples }: Pick<Pcm, "samples"> & { readonly rate: number },
  rate: SampleRate,
  allocate: Buffer32 = newBuffer
): Pcm => {
  if (from === rate) return { rate, samples }
  if (from * 2 === rate) return doubled(samples, rate, allocate)
  const polyphase = filterOf(from, rate)
  const half = polyphase.taps / 2
  const line = silenceAround(samples, half - 1, half + 1, allocate)
  const length = Math.round((samples.length * rate) / from)
  const result = allocate(length)
  sampledOf(line, 0, length, polyphase, 0, result, 0)
  return { rate, samples: result }
}

/**
 * Doubles the rate, which most clips need, at a quarter of the work. Every second frame is one of the clip's own. Those
 * between are computed from as many frames on either side, in symmetric pairs.
 */
const doubled = (samples: Float32Array, rate: SampleRate, allocate: Buffer32): Pcm => {
  const pairs = halfway.length
  const line = silenceAround(samples, pairs, pairs, allocate)
  const result = allocate(2 * samples.length)
  doubledOf(line, pairs, samples.length, halfway, result, 0)
  return { rate, samples: result }
}

/** Pads samples with silence. */
const silenceAround = (
  samples: Float32Array,
  before: number,
  behind: number,
  allocate: Buffer32
): Float32Array => {
  const line = allocate(before + samples.length + behind).fill(0, 0, before)
  line.set(samples, before)
  return line.fill(0, before + samples.length)
}

/**
 * Resamples one channel's stream, block by block. The samples equal those of `resample` for the whole, whatever the
 * block size. The output lags by half the filter; push silence after the last block to flush it.
 */
export class Resampler {
  private readonly line: ChannelHistory
  private readonly filter: Polyphase | undefined
  /** Frames on each side of a position that affect its value. */
  private readonly around: number
  /** Frames returned so far, and the number of the first frame in the line. */
  private given = 0
  private first: number
  private result: Float32Array | undefined

  /** The two rates must differ. */
  constructor(
    from: SampleRate,
    to: SampleRate,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.filter = 2 * from === to ? undefined : filterOf(from, to)
    this.around = this.filter === undefined ? halfway.length : this.filter.taps / 2
    this.line = new ChannelHistory(this.around, allocate)
    this.first = -this.around
  }

  /** Takes one channel of an interleaved block; the result is valid until the next call. */
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
    /** Index in the line of the next frame's first tap. */
    const start = (position - phase) / up - taps / 2 + 1 - this.first
    // The number of frames whose taps are all in the line.
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
    this.result = bufferFor(length, this.result, this.allocate)
    return this.result.subarray(0, length)
  }
}

/** Filters by ratio: a run uses few, and each takes milliseconds to build. */
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
 * Builds a Kaiser-windowed sinc, cut off at 95 % of the lower Nyquist frequency. Each phase passes a constant
 * unchanged.
 */
const build = (up: number, down: number): Polyphase => {
  const narrowing = Math.max(1, down / up)
  // Makes the number of taps a multiple of 8.
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
 * Weights of the frames on one side of a midpoint, nearest first. They add up to 0.5, so a constant passes unchanged.
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

/** Returns the greatest common divisor of two positive integers. */
export const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
