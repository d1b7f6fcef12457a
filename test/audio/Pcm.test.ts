import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { Dither, fromInt16, toInt16 } from "../../src/audio/Pcm.ts"
import { randomOf, tone } from "./signals.ts"
import { SampleRate } from "../../src/domain/Units.ts"

const rate = SampleRate.make(24_000)

describe("16-bit samples", () => {
  it("come back as they were, every one of them", () => {
    const all = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768)
    expect(toInt16(fromInt16(all))).toEqual(all)
  })

  it("are clamped, and rounded to the nearest", () => {
    const floats = Float32Array.of(1, -1, 2, -2, Number.NaN, 1.4 / 32_768, -1.6 / 32_768)
    expect([...toInt16(floats)]).toEqual([32_767, -32_768, 32_767, -32_768, 0, 1, -2])
  })
})

describe("dither", () => {
  it.prop(
    "does not depend on blocks",
    [fc.integer(), fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 })],
    ([seed, sizes]) => {
      const random = randomOf(3)
      const samples = Float32Array.from({ length: 2_000 }, () => random() - 0.5)
      const whole = new Dither(seed).quantized(samples)
      const dither = new Dither(seed)
      const pieces: Array<number> = []
      for (let at = 0, i = 0; at < samples.length; i++) {
        const size = sizes[i % sizes.length] ?? 1
        pieces.push(...dither.quantized(samples.subarray(at, at + size)))
        at += size
      }
      expect(Int16Array.from(pieces)).toEqual(whole)
    }
  )

  it("leaves silence silent and keeps within two steps of the sample", () => {
    const samples = tone(rate, 440, 0.1, 0.3).samples
    samples.fill(0, 100, 200)
    const dithered = new Dither(7).quantized(samples)
    samples.forEach((sample, i) => {
      const error = (dithered[i] ?? NaN) - sample * 32_768
      expect(Math.abs(error)).toBeLessThanOrEqual(sample === 0 ? 0 : 1.5)
    })
  })

  it("turns the error of a tone below one step into noise: its level survives", () => {
    const quiet = tone(rate, 500, 4, 0.4 / 32_768).samples
    const correlate = (values: Int16Array) =>
      values.reduce((sum, value, i) => sum + value * Math.sin((2 * Math.PI * 500 * i) / rate), 0) /
      (values.length / 2)
    expect(correlate(toInt16(quiet))).toBe(0)
    expect(correlate(new Dither(1).quantized(quiet))).toBeCloseTo(0.4, 1)
  })

  it("has the variance of triangular noise", () => {
    const level = 1_000.25 / 32_768
    const samples = new Float32Array(40_000).fill(level)
    const errors = Array.from(new Dither(5).quantized(samples), (value) => value - 1_000.25)
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
    const variance = errors.reduce((sum, error) => sum + error * error, 0) / errors.length
    expect(mean).toBeCloseTo(0, 1)
    // Triangular noise of two steps' width has 1/6, rounding adds 1/12: a quarter whatever the signal.
    expect(variance).toBeCloseTo(0.25, 1)
  })
})
