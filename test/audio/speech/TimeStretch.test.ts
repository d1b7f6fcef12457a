import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { frames, SampleRate } from "../../../src/domain/time/Units.ts"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { type Pcm, peakOf, sliceOf } from "../../../src/audio/pcm/Pcm.ts"
import { slowDown, speedUp } from "../../../src/audio/speech/TimeStretch.ts"
import { noise, speechLike, tone } from "../signals.ts"

const rate = SampleRate.make(24_000)

const faster = (pcm: Pcm, speed: number): Pcm => speedUp(pcm, frames(pcm.samples.length / speed))

/** Returns the largest difference between neighbouring samples. */
const steepest = (samples: Float32Array): number =>
  samples.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (samples[i - 1] ?? sample))), 0)

/** Returns the upward zero crossings per second: a tone's frequency. */
const frequencyOf = (pcm: Pcm): number => {
  const first = pcm.samples.subarray(0, -1)
  const crossings = first.reduce(
    (sum, sample, i) => sum + (sample < 0 && (pcm.samples[i + 1] ?? 0) >= 0 ? 1 : 0),
    0
  )
  return (crossings * rate) / pcm.samples.length
}

describe("speeding up", () => {
  it.prop(
    "returns exactly the requested number of frames for any clip",
    [
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 30_000 }),
      fc.double({ min: 0.8, max: 3.2, noNaN: true }),
      fc.constantFrom(8_000, 16_000, 22_050, 24_000, 48_000)
    ],
    ([seed, length, speed, hertz]) => {
      const pcm = speechLike(SampleRate.make(hertz), 30_000 / hertz, seed)
      const target = frames(length / speed)
      const result = speedUp({ rate: pcm.rate, samples: pcm.samples.subarray(0, length) }, target)
      expect(result.samples.length).toBe(target)
      expect(peakOf(result.samples)).toBeLessThanOrEqual(1.5 * peakOf(pcm.samples))
    },
    { fastCheck: { numRuns: 60 } }
  )

  it.each([1.05, 1.2, 1.5, 2.2])("keeps the pitch and level of a tone at %f", (speed) => {
    const result = faster(tone(rate, 180, 2, 0.5), speed)
    expect(frequencyOf(sliceOf(result, 480, result.samples.length - 480))).toBeCloseTo(180, -0.5)
    expect(peakOf(result.samples)).toBeLessThan(0.51)
    expect(loudnessOf(result)).toBeCloseTo(loudnessOf(tone(rate, 180, 2, 0.5)), 0)
  })

  it.each([1.1, 1.3, 1.6])("adds no discontinuity, at %f", (speed) => {
    for (const seed of [1, 2, 3, 4]) {
      const pcm = speechLike(rate, 3, seed)
      expect(steepest(faster(pcm, speed).samples)).toBeLessThanOrEqual(1.05 * steepest(pcm.samples))
    }
  })

  it.each([1.1, 1.3, 1.6])("keeps loudness within 1 LU, at %f", (speed) => {
    for (const seed of [5, 6, 7]) {
      const pcm = speechLike(rate, 4, seed)
      expect(Math.abs(loudnessOf(faster(pcm, speed)) - loudnessOf(pcm))).toBeLessThan(1)
    }
    const hiss = noise(rate, 2, 0.3, 8)
    expect(Math.abs(loudnessOf(faster(hiss, speed)) - loudnessOf(hiss))).toBeLessThan(1)
  })

  it("keeps bursts as sharp and as loud as they were, near their place", () => {
    const samples = tone(rate, 130, 2, 0.05).samples
    const places = [0.3, 0.7, 1.1, 1.5].map((second) => Math.round(second * rate))
    for (const place of places)
      for (let i = 0; i < 48; i++) samples[place + i] = (i % 2 === 0 ? 0.8 : -0.8) * (1 - i / 48)
    const result = faster({ rate, samples }, 1.25).samples
    for (const place of places) {
      const around = result.subarray(place / 1.25 - 960, place / 1.25 + 960)
      expect(peakOf(around)).toBeGreaterThan(0.75)
    }
    const loud = (values: Float32Array) => values.filter((value) => Math.abs(value) > 0.5).length
    expect(loud(result)).toBe(loud(samples))
  })

  it("shortens pauses before speech", () => {
    const pcm = { rate, samples: new Float32Array(2 * rate) }
    pcm.samples.set(tone(rate, 150, 0.6, 0.3).samples)
    pcm.samples.set(tone(rate, 150, 0.6, 0.3).samples, 1.4 * rate)
    const result = faster(pcm, 1.1).samples
    const silent = result.reduce((sum, sample) => sum + (Math.abs(sample) < 1e-4 ? 1 : 0), 0)
    expect(silent / rate).toBeLessThan(0.7)
  })

  it("is deterministic", () => {
    const pcm = speechLike(rate, 2, 9)
    expect(faster(pcm, 1.3).samples).toEqual(faster(pcm, 1.3).samples)
  })

  it("leaves a clip that is short enough unchanged, padded with silence", () => {
    const pcm = speechLike(rate, 0.5, 10)
    const result = speedUp(pcm, frames(13_000)).samples
    expect(result.subarray(0, 12_000)).toEqual(pcm.samples)
    expect(result.subarray(12_000)).toEqual(new Float32Array(1_000))
  })
})

describe("slowing down", () => {
  const slower = (pcm: Pcm, speed: number): Pcm => slowDown(pcm, frames(pcm.samples.length / speed))

  it.prop(
    "returns exactly the requested number of frames for any clip, and silence for at most the end",
    [
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 30_000 }),
      fc.double({ min: 0.85, max: 1.1, noNaN: true }),
      fc.constantFrom(8_000, 24_000, 48_000)
    ],
    ([seed, length, speed, hertz]) => {
      const pcm = speechLike(SampleRate.make(hertz), 30_000 / hertz, seed)
      const clip = { rate: pcm.rate, samples: pcm.samples.subarray(0, length) }
      const target = frames(Math.max(length, length / speed))
      const result = slowDown(clip, target)
      expect(result.samples.length).toBe(target)
      expect(peakOf(result.samples)).toBeLessThanOrEqual(1.5 * peakOf(pcm.samples))
      expect(result.samples.subarray(0, Math.min(20, length))).toEqual(clip.samples.subarray(0, 20))
    },
    { fastCheck: { numRuns: 40 } }
  )

  it.each([0.85, 0.92, 0.98])("keeps the pitch and level of a tone at %f, up to its end", (speed) => {
    const before = tone(rate, 180, 2, 0.5)
    const result = slower(before, speed)
    expect(frequencyOf(sliceOf(result, 480, result.samples.length - 480))).toBeCloseTo(180, -0.5)
    expect(peakOf(result.samples)).toBeLessThan(0.51)
    expect(loudnessOf(result)).toBeCloseTo(loudnessOf(before), 0)
    expect(peakOf(result.samples.subarray(-480))).toBeGreaterThan(0.4)
  })

  it.each([0.85, 0.95])("adds no discontinuity and keeps loudness within 1 LU, at %f", (speed) => {
    for (const seed of [1, 2, 3, 4]) {
      const pcm = speechLike(rate, 3, seed)
      const result = slower(pcm, speed)
      expect(steepest(result.samples)).toBeLessThanOrEqual(1.05 * steepest(pcm.samples))
      expect(Math.abs(loudnessOf(result) - loudnessOf(pcm))).toBeLessThan(1)
    }
  })
})
