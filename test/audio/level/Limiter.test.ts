import { spawnSync } from "node:child_process"
import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { Limiter } from "../../../src/audio/level/Limiter.ts"
import { decibelsOf, gainOf, scaled } from "../../../src/audio/pcm/Pcm.ts"
import { truePeakOf } from "../../../src/audio/level/TruePeak.ts"
import { resample } from "../../../src/audio/pcm/Resampling.ts"
import { exactPeakOf, noise, randomOf, speechLike, tone } from "../signals.ts"
import { sampleBytesOf } from "../../../src/audio/formats/WavHeader.ts"
import { bundled } from "../../ffmpeg/binaries.ts"

const rate = SampleRate.make(24_000)
const ceiling = gainOf(-1.5)

const limited = (
  samples: Float32Array,
  channels: number,
  sizes: ReadonlyArray<number> = [samples.length]
): Float32Array => {
  const limiter = new Limiter(rate, channels, ceiling)
  const pieces: Array<number> = []
  for (let from = 0, i = 0; from < samples.length; i++) {
    const size = (sizes[i % sizes.length] ?? 1) * channels
    pieces.push(...limiter.push(samples.subarray(from, from + size)))
    from += size
  }
  pieces.push(...limiter.flush())
  return Float32Array.from(pieces)
}

/** Returns the true peak that ffmpeg measures, in dBTP, to a thousandth; its summary prints tenths only. */
const ffmpegPeakOf = (samples: Float32Array, hertz: number): number => {
  const { stdout } = spawnSync(
    bundled.path,
    [
      ...["-hide_banner", "-f", "f32le", "-ar", `${hertz}`, "-ac", "1", "-i", "pipe:0"],
      ...["-af", "ebur128=peak=true:metadata=1,ametadata=print:key=lavfi.r128.true_peaks_ch0:file=-"],
      ...["-f", "null", "-"]
    ],
    { input: sampleBytesOf(samples), encoding: "utf8" }
  )
  const peaks = [...stdout.matchAll(/true_peaks_ch0=(\S+)/gu)].map(([, peak]) => Number(peak))
  return decibelsOf(Math.max(...peaks))
}

describe("the limiter", () => {
  it("passes samples below the ceiling unchanged, bit for bit", () => {
    const { samples } = speechLike(rate, 2, 1)
    const quiet = scaled(samples, (0.95 * ceiling) / truePeakOf({ rate, samples }))
    expect(limited(quiet, 1)).toEqual(quiet)
  })

  it.each([2, 4, 10, 40])("holds the true peak of speech amplified %i times", (drive) => {
    for (const seed of [1, 2, 3]) {
      const result = limited(scaled(speechLike(rate, 3, seed).samples, drive), 1)
      expect(result.length).toBe(3 * rate)
      expect(decibelsOf(truePeakOf({ rate, samples: result }))).toBeLessThanOrEqual(-1.5)
    }
  })

  it("holds the true peak of noise and of a tone with inter-sample peaks", () => {
    const noisy = limited(noise(rate, 1, 3, 4).samples, 1)
    expect(decibelsOf(truePeakOf({ rate, samples: noisy }))).toBeLessThanOrEqual(-1.5)
    const high = limited(tone(rate, 5_999, 1, 2).samples, 1)
    expect(decibelsOf(truePeakOf({ rate, samples: high }))).toBeLessThanOrEqual(-1.5)
    expect(decibelsOf(truePeakOf({ rate, samples: high }))).toBeGreaterThan(-1.9)
  })

  const from = (count: number, sample: (i: number) => number) =>
    Float32Array.from({ length: count }, (_, i) => sample(i))

  it.each([
    ["speech", scaled(speechLike(rate, 3, 1).samples, 12)],
    [
      "clipped speech",
      scaled(speechLike(rate, 3, 2).samples, 12).map((one) => Math.max(-1, Math.min(1, one)))
    ],
    ["noise", resample(noise(SampleRate.make(22_050), 1, 3, 4), rate).samples],
    [
      "a tone at a quarter of the rate, sampled off its crests",
      from(6_000, (i) => 2 * Math.sin((Math.PI / 2) * i + Math.PI / 4))
    ],
    ["a click between two samples", from(6_000, (i) => (i === 3_000 || i === 3_001 ? 2 : 0))],
    ["clicks up and down", from(6_000, (i) => (i === 3_000 || i === 3_002 ? 2 : i === 3_001 ? -2 : 0))],
    ...[0.1, 0.2, 0.3, 0.4, 0.45].map((pitch): [string, Float32Array] => [
      `a tone at ${pitch} of the rate`,
      from(6_000, (i) => 2 * Math.sin(2 * Math.PI * pitch * i) * Math.exp(-(((i - 3_000) / 800) ** 2)))
    ])
  ])("holds the true peak of %s at twice the rate, and no lower than needed", (_, samples) => {
    const peak = decibelsOf(
      exactPeakOf(resample({ rate, samples: limited(samples, 1) }, SampleRate.make(48_000)).samples)
    )
    expect(peak).toBeLessThanOrEqual(-1.45)
    expect(peak).toBeGreaterThan(-1.6)
  })

  it.each([1, 0.95, 2, 4])(
    "holds the true peak that ffmpeg measures of full-band noise at %d times full scale",
    (level) => {
      const noisy = limited(noise(rate, 4, level, 3).samples, 1)
      const at48 = resample({ rate, samples: noisy }, SampleRate.make(48_000)).samples
      for (const [samples, hertz] of [
        [noisy, 24_000],
        [noisy, 48_000],
        [at48, 48_000]
      ] as const)
        expect(Math.abs(ffmpegPeakOf(samples, hertz) + 1.5)).toBeLessThanOrEqual(0.1)
    }
  )

  it.prop(
    "does not depend on the block size",
    [
      fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 99 }),
      fc.constantFrom(1, 2)
    ],
    ([sizes, seed, channels]) => {
      const random = randomOf(seed)
      const samples = Float32Array.from(
        { length: 4_000 },
        () => (random() < 0.02 ? 3 : 0.5) * (2 * random() - 1)
      )
      expect(limited(samples, channels, sizes)).toEqual(limited(samples, channels))
    },
    { fastCheck: { numRuns: 40 } }
  )

  it("driven by a factor equals limiting samples times that factor, bit for bit", () => {
    const { samples } = speechLike(rate, 2, 5)
    const driven = new Limiter(rate, 1, ceiling, 3.7)
    const first = Float32Array.from(driven.push(samples))
    expect([...first, ...driven.flush()]).toEqual([...limited(scaled(samples, 3.7), 1)])
  })

  it("lowers both channels together", () => {
    const samples = new Float32Array(2 * rate).fill(0.25)
    for (let i = 24_000; i < 24_200; i += 2) samples[i] = 2
    const result = limited(samples, 2)
    const right = result.filter((_, i) => i % 2 === 1)
    expect(Math.min(...right)).toBeLessThan(0.25 * 0.5)
    expect(right[0]).toBe(0.25)
    // The time constant is 80 ms, so after 450 ms the gain is back to within 0.5 %.
    expect(right.at(-1)).toBeCloseTo(0.25, 2)
  })

  it("returns nothing for no samples, and nothing after a flush", () => {
    const limiter = new Limiter(rate, 2, ceiling)
    expect(limiter.flush()).toEqual(new Float32Array(0))
    expect(limiter.flush()).toEqual(new Float32Array(0))
  })
})
