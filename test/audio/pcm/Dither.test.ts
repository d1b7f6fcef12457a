import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { ditherAt, ditheredOf } from "../../../src/audio/formats/OutputConversion.ts"
import { randomOf } from "../signals.ts"

describe("dither", () => {
  it.prop(
    "depends on a sample's position, clamps, and keeps silence",
    [fc.integer({ min: 1, max: 1_000_000 }), fc.nat(20_000), fc.nat(2 ** 33)],
    ([seed, length, place]) => {
      const random = randomOf(seed)
      // A few samples beyond full scale, some exactly 0.
      const samples = Float32Array.from({ length }, () => (random() < 0.1 ? 0 : 2.2 * random() - 1.1))
      if (length > 2) samples[1] = NaN
      const into = new Int16Array(length)
      ditheredOf(samples, place, into)
      let worst = 0
      for (let i = 0; i < length; i++) {
        const sample = samples[i] ?? 0
        const exact = sample === 0 || Number.isNaN(sample) ? 0 : 32_768 * sample + ditherAt(place + i)
        const expected = Math.max(-32_768, Math.min(32_767, exact))
        worst = Math.max(worst, Math.abs((into[i] ?? NaN) - expected))
      }
      // Half a step, plus the rounding of a 32-bit sum.
      expect(worst).toBeLessThan(0.503)
    },
    { fastCheck: { numRuns: 25 } }
  )

  it("uses white noise without offset or repetition, two steps wide", () => {
    const count = 200_000
    const noise = Float64Array.from({ length: count }, (_, place) => ditherAt(place))
    const mean = (of: (value: number, at: number) => number) =>
      noise.reduce((sum, value, at) => sum + of(value, at), 0) / count
    expect(Math.abs(mean((value) => value))).toBeLessThan(0.005)
    expect(mean((value) => value * value)).toBeCloseTo(1 / 6, 2)
    for (const lag of [1, 2, 3, 4_096, 8_192, 65_536])
      expect(Math.abs(mean((value, at) => value * (noise[at + lag] ?? 0)))).toBeLessThan(0.005)
  })
})
