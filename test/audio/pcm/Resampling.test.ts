import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { Resampler, resample } from "../../../src/audio/pcm/Resampling.ts"
import { noise, tone } from "../signals.ts"

const rates = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000].map((rate) =>
  SampleRate.make(rate)
)

describe("resampling", () => {
  it.prop(
    "keeps a tone's position, level and frequency",
    [fc.constantFrom(...rates), fc.constantFrom(...rates)],
    ([from, to]) => {
      const frequency = 0.4 * Math.min(from, to)
      const result = resample(tone(from, frequency, 0.2, 0.5), to)
      const expected = tone(to, frequency, 0.2, 0.5)
      expect(result.rate).toBe(to)
      expect(result.samples.length).toBe(Math.round((Math.round(0.2 * from) * to) / from))
      // Samples at both ends lack neighbours, so they are not compared.
      let worst = 0
      for (let i = 400; i < result.samples.length - 400; i++)
        worst = Math.max(worst, Math.abs((result.samples[i] ?? 0) - (expected.samples[i] ?? 0)))
      expect(worst).toBeLessThan(0.001)
    }
  )

  it.prop(
    "does not depend on previous buffer contents",
    [fc.constantFrom(...rates), fc.constantFrom(...rates), fc.integer({ min: 1, max: 100_000 })],
    ([from, to, seed]) => {
      const pcm = noise(from, 0.05, 0.5, seed)
      const used = (length: number) => new Float32Array(length).fill(Number.NaN)
      expect(resample(pcm, to, used)).toEqual(resample(pcm, to))
    }
  )

  it.prop(
    "equals a stream in blocks of any size, bit for bit",
    [
      fc.constantFrom(...rates),
      fc.constantFrom(...rates),
      fc.integer({ min: 1, max: 100_000 }),
      fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 5 })
    ],
    ([from, to, seed, sizes]) => {
      fc.pre(from !== to)
      const { samples } = noise(from, 0.2, 0.5, seed)
      samples.fill(0, 1_000, 1_500)
      const expected = resample({ rate: from, samples }, to).samples
      const resampler = new Resampler(from, to)
      const found = new Float32Array(expected.length)
      // Silence after the end flushes the filter.
      const fed = new Float32Array(samples.length + from)
      fed.set(samples)
      let made = 0
      for (let at = 0, turn = 0; made < found.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1
        const given = resampler.push(fed.subarray(at, at + size), 0, 1).subarray(0, found.length - made)
        found.set(given, made)
        made += given.length
        at += size
      }
      expect(found).toEqual(expected)
    },
    { fastCheck: { numRuns: 40 } }
  )

  it("removes frequencies that the lower rate cannot represent", () => {
    const result = resample(tone(SampleRate.make(48_000), 14_000, 0.3, 1), SampleRate.make(24_000))
    expect(Math.max(...result.samples.subarray(500, -500))).toBeLessThan(1e-4)
  })

  it.each([
    [16_000, 3_000, [13_000, 19_000]],
    [24_000, 10_800, [13_200, 1_200]]
  ] as const)("adds no images of a signal at %i Hz", (from, frequency, images) => {
    const result = resample(tone(SampleRate.make(from), frequency, 0.5, 1), SampleRate.make(48_000)).samples
    const image = (frequency: number) => {
      let re = 0
      let im = 0
      for (let i = 4_800; i < 19_200; i++) {
        const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i - 4_800)) / 14_400)
        re += window * (result[i] ?? 0) * Math.cos((2 * Math.PI * frequency * i) / 48_000)
        im += window * (result[i] ?? 0) * Math.sin((2 * Math.PI * frequency * i) / 48_000)
      }
      return Math.hypot(re, im) / 3_600
    }
    expect(image(frequency)).toBeCloseTo(1, 3)
    for (const other of images) expect(image(other)).toBeLessThan(1e-4)
  })

  it("passes a constant unchanged, and returns nothing for no samples", () => {
    const samples = new Float32Array(2_205).fill(0.25)
    const result = resample({ rate: SampleRate.make(22_050), samples }, SampleRate.make(48_000)).samples
    for (let i = 300; i < result.length - 300; i++) expect(result[i]).toBeCloseTo(0.25, 5)
    expect(
      resample({ rate: SampleRate.make(22_050), samples: new Float32Array(0) }, SampleRate.make(48_000))
        .samples.length
    ).toBe(0)
  })

  it("returns the samples themselves if they already have the rate", () => {
    const pcm = tone(SampleRate.make(24_000), 440, 0.1, 0.5)
    expect(resample(pcm, pcm.rate).samples).toBe(pcm.samples)
  })
})
