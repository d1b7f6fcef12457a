/** True peak: the highest level of the continuous signal that the samples stand for, by four times oversampling. */
import { continued, exceeds } from "./Channel.ts"
import type { Pcm } from "./Pcm.ts"
import { kaiser } from "./Window.ts"

/** The true peak of a clip, 1 at full scale; at least its highest sample. */
export const truePeakOf = (pcm: Pcm): number => {
  const meter = new TruePeakMeter(1)
  meter.push(pcm.samples)
  return meter.peak()
}

/**
 * A crest between two samples is taken to be less than this many times the higher of them. It can be more right below the Nyquist
 * frequency only, where other samples of the same sound come close to the crest themselves.
 */
export const crestFactor = 2

/** Taps of each phase of the interpolator; what it computes belongs between the two in the middle. */
export const interpolatorTaps = 24

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
  /** For each channel the last samples, which the next intervals need. */
  private past: ReadonlyArray<Float32Array>
  private highest = 0

  constructor(private readonly channels: number) {
    this.past = Array.from({ length: channels }, () => new Float32Array(interpolatorTaps - 1))
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    this.past = this.past.map((past, channel) => {
      const line = continued(past, block, channel, this.channels)
      this.highest = highestIn(line, this.highest)
      return line.slice(line.length - past.length)
    })
  }

  /** The true peak of what was taken so far, as if silence followed. */
  peak(): number {
    const end = new Float32Array(interpolatorTaps)
    return this.past.reduce((highest, past) => highestIn(continued(past, end, 0, 1), highest), this.highest)
  }
}

/** Samples passed over together. */
const stretch = 64

/** The highest level in the intervals of a line that have all their neighbours, if it is above `least`; else `least`. */
const highestIn = (line: Float32Array, least: number): number => {
  const before = interpolatorTaps / 2 - 1
  const end = line.length - interpolatorTaps / 2
  let highest = least
  for (let from = before; from < end; from += stretch) {
    const to = Math.min(end, from + stretch)
    if (!exceeds(line, from, to + 1, highest / crestFactor)) continue
    for (let i = from; i < to; i++) {
      const level = Math.max(Math.abs(line[i]!), Math.abs(line[i + 1]!))
      if (level * crestFactor > highest) highest = Math.max(highest, level, peakBetween(line, i))
    }
  }
  return highest
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
