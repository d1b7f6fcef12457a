/** True peak: the highest level of the continuous signal that the samples stand for, by four times oversampling. */
import type { Pcm } from "./Pcm.ts"
import { kaiser } from "./Window.ts"

/** The true peak of a clip, 1 at full scale; at least its highest sample. */
export const truePeakOf = (pcm: Pcm): number => {
  const meter = new TruePeakMeter(1)
  meter.push(pcm.samples)
  return meter.peak()
}

/** Taps of each phase of the interpolator; what it computes belongs between the two in the middle. */
export const interpolatorTaps = 24

/** No interpolated value exceeds its neighbourhood's highest sample by more than this factor. */
export const interpolatorGain = (): number => worstGain

/**
 * The highest absolute value of the signal a quarter, a half and three quarters of the way between samples `at` and `at + 1`
 * of `samples`, which must hold 11 samples before `at` and 12 behind it.
 */
export const peakBetween = (samples: Float32Array, at: number): number => {
  let highest = 0
  const from = at - interpolatorTaps / 2 + 1
  for (let phase = 0; phase < 3; phase++) {
    let sum = 0
    const base = phase * interpolatorTaps
    for (let tap = 0; tap < interpolatorTaps; tap++) sum += samples[from + tap]! * interpolator[base + tap]!
    const level = Math.abs(sum)
    if (level > highest) highest = level
  }
  return highest
}

/**
 * Measures a stream block by block. Stretches that cannot raise the peak found so far are passed over, which makes it cheap on
 * real programmes. Channels are interleaved; the highest of them counts.
 */
export class TruePeakMeter {
  private readonly lines: ReadonlyArray<Line>

  constructor(private readonly channels: number) {
    this.lines = Array.from({ length: channels }, () => new Line())
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    for (let channel = 0; channel < this.channels; channel++)
      this.lines[channel]!.push(block, channel, this.channels)
  }

  /** The true peak of what was taken so far, as if silence followed. */
  peak(): number {
    return this.lines.reduce((highest, line) => Math.max(highest, line.finished()), 0)
  }
}

/** Samples looked at together when deciding whether a closer look is needed. */
const stretch = 64

/** One channel: a buffer that keeps enough of the past for the interpolator. */
class Line {
  private readonly buffer = new Float32Array(interpolatorTaps + stretch)
  private filled = interpolatorTaps
  private highest = 0

  push(block: Float32Array, from: number, stride: number): void {
    for (let at = from; at < block.length; at += stride) {
      this.buffer[this.filled++] = block[at]!
      if (this.filled === this.buffer.length) {
        this.measure()
        this.buffer.copyWithin(0, stretch)
        this.filled = interpolatorTaps
      }
    }
  }

  finished(): number {
    const rest = new Line()
    rest.buffer.set(this.buffer)
    rest.buffer.fill(0, this.filled)
    rest.highest = this.highest
    rest.measure()
    rest.buffer.copyWithin(0, stretch)
    rest.buffer.fill(0, interpolatorTaps)
    rest.measure()
    return rest.highest
  }

  private measure(): void {
    let sample = 0
    for (let i = 0; i < this.buffer.length; i++) {
      const level = Math.abs(this.buffer[i]!)
      if (level > sample) sample = level
    }
    if (sample > this.highest) this.highest = sample
    if (sample * worstGain <= this.highest) return
    const before = interpolatorTaps / 2 - 1
    for (let i = 0; i < stretch; i++) {
      const level = peakBetween(this.buffer, before + i)
      if (level > this.highest) this.highest = level
    }
  }
}

/** Sinc interpolation at 1/4, 1/2 and 3/4, under a Kaiser window; each phase passes a constant unchanged. */
const interpolator = (() => {
  const taps = new Float64Array(3 * interpolatorTaps)
  for (let phase = 0; phase < 3; phase++) {
    let sum = 0
    for (let tap = 0; tap < interpolatorTaps; tap++) {
      const distance = tap - (interpolatorTaps / 2 - 1) - (phase + 1) / 4
      const window = kaiser(distance / (interpolatorTaps / 2), 6)
      taps[phase * interpolatorTaps + tap] = (Math.sin(Math.PI * distance) / (Math.PI * distance)) * window
      sum += taps[phase * interpolatorTaps + tap]!
    }
    for (let tap = 0; tap < interpolatorTaps; tap++) taps[phase * interpolatorTaps + tap]! /= sum
  }
  return taps
})()

const worstGain = Math.max(
  ...[0, 1, 2].map((phase) =>
    interpolator
      .subarray(phase * interpolatorTaps, (phase + 1) * interpolatorTaps)
      .reduce((sum, tap) => sum + Math.abs(tap), 0)
  )
)
