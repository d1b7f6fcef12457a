import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { OutputConverter } from "../../../src/audio/formats/OutputConversion.ts"
import { resample } from "../../../src/audio/pcm/Resampling.ts"
import { frames, SampleRate } from "../../../src/domain/time/Units.ts"
import { noise } from "../signals.ts"

const rates = [16_000, 24_000, 44_100, 48_000].map((rate) => SampleRate.make(rate))

/** Returns all bytes of interleaved samples converted in blocks of the given sizes (frames). */
const finished = (
  samples: Float32Array,
  from: ConstructorParameters<typeof OutputConverter>[0],
  to: ConstructorParameters<typeof OutputConverter>[1],
  sizes: ReadonlyArray<number>
): Buffer => {
  const finisher = new OutputConverter(from, to)
  const pieces: Array<Buffer> = []
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = (sizes[turn % sizes.length] ?? 1) * from.channels
    pieces.push(Buffer.from(finisher.push(samples.subarray(at, at + size))))
    at += size
  }
  for (const bytes of finisher.rest()) pieces.push(Buffer.from(bytes))
  return Buffer.concat(pieces)
}

const arbitraryFinish = fc.record({
  seed: fc.integer({ min: 1, max: 100_000 }),
  from: fc.constantFrom(...rates),
  to: fc.constantFrom(...rates),
  channels: fc.constantFrom<1 | 2>(1, 2),
  depth: fc.constantFrom<16 | 24 | 32>(16, 24, 32),
  /** How many frames longer or shorter the file is than the input. */
  more: fc.integer({ min: -500, max: 9_000 }),
  sizes: fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 5 })
})

describe("output conversion", () => {
  it.prop(
    "returns exactly the requested bytes for any block size, and the sound to within half a step plus dither",
    [arbitraryFinish],
    ([{ seed, from, to, channels, depth, more, sizes }]) => {
      const single = Array.from({ length: channels }, (_, channel) => noise(from, 0.1, 0.5, seed + channel))
      const samples = new Float32Array(channels * (single[0]?.samples.length ?? 0))
      single.forEach((one, channel) =>
        one.samples.forEach((value, i) => (samples[i * channels + channel] = value))
      )
      const expected = single.map((one) => resample(one, to).samples)
      const length = (expected[0]?.length ?? 0) + more
      const target = { rate: to, frames: frames(length), depth }
      const bytes = finished(samples, { rate: from, channels }, target, sizes)
      expect(bytes.length).toBe((length * channels * depth) / 8)
      expect(bytes.equals(finished(samples, { rate: from, channels }, target, [1_000]))).toBe(true)
      let worst = 0
      for (let i = 0; i < length * channels; i++) {
        const sample = expected[i % channels]?.[Math.floor(i / channels)] ?? 0
        const found =
          depth === 32
            ? bytes.readFloatLE(i * 4)
            : depth === 16
              ? bytes.readInt16LE(i * 2) / 32_768
              : bytes.readIntLE(i * 3, 3) / 8_388_608
        // After a clip's end, its last samples still ring in the filter.
        if (i < (length - Math.max(more, 0) - 200) * channels)
          worst = Math.max(worst, Math.abs(found - sample))
      }
      expect(worst).toBeLessThan({ 16: 1.51 / 32_768, 24: 1 / 8_388_608, 32: 1e-6 }[depth])
    },
    { fastCheck: { numRuns: 40 } }
  )

  it("keeps silence silent", () => {
    const from = { rate: SampleRate.make(24_000), channels: 1 } as const
    const to = { rate: SampleRate.make(48_000), frames: frames(5_000), depth: 16 } as const
    expect(finished(new Float32Array(2_000), from, to, [700]).every((byte) => byte === 0)).toBe(true)
  })
})
