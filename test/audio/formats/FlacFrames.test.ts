/** FLAC files that ffmpeg decodes to the same samples. */
import { createHash } from "node:crypto"
import { spawnSync } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { flacBlockOf } from "../../../src/audio/formats/FlacFrameHeader.ts"
import { flacHeader } from "../../../src/audio/formats/FlacHeader.ts"
import { FlacFrames, type FlacFormat } from "../../../src/audio/formats/FlacFrames.ts"
import { riceBits, parameterOf } from "../../../src/audio/formats/FlacPrediction.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { bundled } from "../../ffmpeg/binaries.ts"
import { speechLike } from "../signals.ts"

/** Encodes little-endian samples, in blocks of this many frames, as a file. */
const encoded = (format: FlacFormat, samples: Buffer, step: number, number = 0): Buffer => {
  const frames = new FlacFrames(format, number)
  const bytes = (format.channels * format.depth) / 8
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < samples.length; at += step * bytes)
    parts.push(frames.push(Uint8Array.from(samples.subarray(at, at + step * bytes))))
  parts.push(frames.finish())
  const header = flacHeader(
    { ...format, frames: samples.length / bytes, tags: [] },
    { sizes: frames.sizes, md5: createHash("md5").update(samples).digest() }
  )
  return Buffer.concat([header, ...parts])
}

/** Decodes a file; ffmpeg rejects false checksums of frames. */
const decoded = (file: Buffer, depth: 16 | 24): Buffer => {
  const { stdout, stderr, status } = spawnSync(
    bundled.path,
    ["-v", "error", "-err_detect", "crccheck+bitstream+buffer+explode", "-f", "flac", "-i", "-"].concat([
      ...["-c:a", `pcm_s${depth}le`, "-f", `s${depth}le`, "-"]
    ]),
    { input: file, maxBuffer: 2 ** 30 }
  )
  expect([status, stderr.toString()]).toEqual([0, ""])
  return stdout
}

type Sound = (time: number, channel: number, random: number) => number

/** Samples from -1 to 1. Extremes are those at which a predictor is of no use, or its sums are largest. */
const sounds: Readonly<Record<string, Sound>> = {
  silence: () => 0,
  constant: () => -0.3,
  tone: (time, channel) => 0.9 * Math.sin(time * 0.05 * (channel + 1)),
  ramp: (time) => ((time * 37) % 20_000) / 10_000 - 1,
  noise: (_time, _channel, random) => 2 * random - 1,
  extremes: (_time, _channel, random) => (random < 0.5 ? -1 : 1),
  square: (time) => (time % 200 < 100 ? -1 : 1),
  opposite: (time, channel) => (channel % 2 === 0 ? 1 : -1) * Math.sin(time * 0.01),
  clicks: (time) => (time % 3_001 === 0 ? 1 : 0),
  coarse: (time) => Math.round(100 * Math.sin(time * 0.02)) / 128
}

/** A generator of numbers from 0 to 1 (Numerical Recipes' LCG). */
const randomFrom = (seed: number) => {
  let state = seed
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

const samplesOf = ({ channels, depth }: FlacFormat, name: string, frames: number, seed: number): Buffer => {
  const full = 2 ** (depth - 1)
  const samples = Buffer.alloc((frames * channels * depth) / 8)
  const random = randomFrom(seed)
  const sound = sounds[name] ?? (() => 0)
  for (let i = 0; i < frames * channels; i++) {
    const value = Math.round(full * sound(Math.floor(i / channels), i % channels, random()))
    samples.writeIntLE(Math.max(-full, Math.min(full - 1, value)), (i * depth) / 8, depth / 8)
  }
  return samples
}

it("is lossless for any sound, rate, depth and number of channels", () => {
  fc.assert(
    fc.property(
      fc.record({
        rate: fc.constantFrom(8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 176_400, 44_087),
        channels: fc.constantFrom<1 | 2 | 6>(1, 2, 6),
        depth: fc.constantFrom<16 | 24>(16, 24)
      }),
      fc.constantFrom(...Object.keys(sounds)),
      fc.integer({ min: 1, max: 20_000 }),
      fc.integer({ min: 1, max: 9_000 }),
      fc.nat(),
      (format, name, frames, step, seed) => {
        const samples = samplesOf(format, name, frames, seed)
        const file = encoded(format, samples, step)
        expect(decoded(file, format.depth).equals(samples)).toBe(true)
        // Samples in blocks of another size have the same bytes.
        expect(encoded(format, samples, frames).equals(file)).toBe(true)
      }
    ),
    { numRuns: 40 }
  )
})

it("encodes a part on its own with the same bytes as in the whole", () => {
  const format = { rate: 48_000, channels: 1, depth: 16 } as const
  const block = flacBlockOf(48_000)
  expect((60 * 48_000) % block).toBe(0)
  for (const number of [1, 127, 128, 2_047, 2_048, 65_535, 65_536, 1_500_000]) {
    const samples = samplesOf(format, "tone", block, 1)
    const frame = new FlacFrames(format, number).push(samples)
    const file = Buffer.concat([flacHeader({ ...format, frames: 0, tags: [] }), frame])
    expect(decoded(file, 16).equals(samples), `frame ${number}`).toBe(true)
  }
  const samples = samplesOf(format, "noise", 3 * block, 2)
  const whole = new FlacFrames(format, 0).push(samples)
  const parts = [0, 1, 2].map((number) =>
    new FlacFrames(format, number).push(samples.subarray(2 * number * block, 2 * (number + 1) * block))
  )
  expect(Buffer.concat(parts).equals(whole)).toBe(true)
})

it("begins every minute with a frame, and keeps frames long at usual rates", () => {
  for (const rate of [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000]) {
    expect((60 * rate) % flacBlockOf(rate)).toBe(0)
    expect(flacBlockOf(rate)).toBeGreaterThan(Math.min(rate, 48_000) / 16)
    expect(flacBlockOf(rate)).toBeLessThanOrEqual(rate <= 48_000 ? 4_608 : 8_192)
  }
  for (let rate = 8_000; rate <= 192_000; rate += 997) {
    expect((60 * rate) % flacBlockOf(rate)).toBe(0)
    expect(flacBlockOf(rate)).toBeGreaterThanOrEqual(16)
  }
})

it("compresses speech as well as ffmpeg", () => {
  const format = { rate: 48_000, channels: 1, depth: 16 } as const
  const speech = speechLike(SampleRate.make(48_000), 10, 3)
  const samples = Buffer.alloc(2 * speech.samples.length)
  speech.samples.forEach((sample, at) => samples.writeInt16LE(Math.round(32_767 * sample), 2 * at))
  const { stdout } = spawnSync(
    bundled.path,
    ["-v", "error", "-f", "s16le", "-ar", "48000", "-i", "-", "-c:a", "flac", "-f", "flac", "-"],
    { input: samples, maxBuffer: 2 ** 30 }
  )
  expect(encoded(format, samples, 9_999).length).toBeLessThan(1.01 * stdout.length)
})

it("chooses a Rice parameter whose code is at most an eighth longer than the shortest", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 30 }), fc.integer({ min: 1, max: 4_608 }), (sum, count) => {
      const sizes = Array.from({ length: 31 }, (_, parameter) => riceBits(sum, count, parameter))
      expect(sizes[parameterOf(sum, count)]).toBeLessThanOrEqual(1.125 * Math.min(...sizes))
    })
  )
})
