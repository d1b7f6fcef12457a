import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { LoudnessMeter } from "../../../src/audio/level/LoudnessMeter.ts"
import { TruePeakMeter, truePeakOf } from "../../../src/audio/level/TruePeak.ts"
import { encodeWav16, decodeWav } from "../../../src/audio/formats/Wav.ts"
import { decibelsOf, type Pcm } from "../../../src/audio/pcm/Pcm.ts"
import { Either } from "effect"
import { exactPeakOf, noise, speechLike, tone } from "../signals.ts"
import { versionOf } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { ffmpegs } from "../../ffmpeg/binaries.ts"

const rates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000].map((rate) => SampleRate.make(rate))

describe("loudness", () => {
  it.each(rates)("of a stereo-equivalent 997 Hz tone at %i Hz equals its level", (rate) => {
    // BS.1770: a 0 dBFS sine of 997 Hz in one channel reads -3.01 LUFS.
    expect(loudnessOf(tone(rate, 997, 3, 1))).toBeCloseTo(-3.01, 1)
    expect(loudnessOf(tone(rate, 997, 3, 0.1))).toBeCloseTo(-23.01, 1)
  })

  it("adds the channels' powers", () => {
    const mono = tone(SampleRate.make(48_000), 997, 2, 0.1)
    const stereo = new Float32Array(mono.samples.length * 2)
    mono.samples.forEach((sample, i) => stereo.fill(sample, i * 2, i * 2 + 2))
    const meter = new LoudnessMeter(mono.rate, 2)
    meter.push(stereo)
    expect(meter.integrated() - loudnessOf(mono)).toBeCloseTo(3.01, 2)
  })

  it("is -70 for silence and for no samples", () => {
    const rate = SampleRate.make(24_000)
    expect(loudnessOf({ rate, samples: new Float32Array(48_000) })).toBe(-70)
    expect(loudnessOf({ rate, samples: new Float32Array(0) })).toBe(-70)
    expect(loudnessOf({ rate, samples: new Float32Array(100) })).toBe(-70)
  })

  it("measures a clip under 400 ms as if silence followed", () => {
    const rate = SampleRate.make(24_000)
    const short = tone(rate, 997, 0.2, 0.1)
    const padded = new Float32Array(9_600)
    padded.set(short.samples)
    expect(loudnessOf(short)).toBeCloseTo(loudnessOf({ rate, samples: padded }), 6)
  })

  it("excludes long pauses", () => {
    const rate = SampleRate.make(24_000)
    const loud = tone(rate, 997, 2, 0.1)
    const withPause = new Float32Array(24_000 * 20)
    withPause.set(loud.samples)
    expect(loudnessOf({ rate, samples: withPause })).toBeCloseTo(loudnessOf(loud), 0)
  })

  it("does not depend on the block size", () => {
    const pcm = speechLike(SampleRate.make(22_050), 5, 7)
    const whole = loudnessOf(pcm)
    for (const size of [1, 17, 441, 5_000]) {
      const meter = new LoudnessMeter(pcm.rate, 1)
      for (let at = 0; at < pcm.samples.length; at += size) meter.push(pcm.samples.subarray(at, at + size))
      expect(meter.integrated()).toBeCloseTo(whole, 9)
    }
  })
})

describe("true peak", () => {
  it("finds the crest between two samples", () => {
    // A tone at a quarter of the rate, sampled 45 degrees off its crests: the highest samples are 0.707 of its
    // amplitude.
    const samples = Float32Array.from({ length: 4_800 }, (_, i) => Math.sin((Math.PI / 2) * i + Math.PI / 4))
    const windowed = samples.map((sample, i) => sample * Math.sin((Math.PI * i) / samples.length))
    expect(truePeakOf({ rate: SampleRate.make(48_000), samples: windowed })).toBeCloseTo(1, 2)
  })

  it.each([0.05, 0.15, 0.25, 0.35, 0.45])(
    "measures a tone at %d of the rate correctly at any phase",
    (pitch) => {
      const rate = SampleRate.make(24_000)
      for (const seed of [1, 2, 3]) {
        // The tone is so short that few samples are near its crest.
        const samples = Float32Array.from(
          { length: 600 },
          (_, i) => Math.cos(2 * Math.PI * pitch * (i - 300 - seed / 7)) * Math.exp(-(((i - 300) / 60) ** 2))
        )
        expect(decibelsOf(truePeakOf({ rate, samples }) / exactPeakOf(samples))).toBeCloseTo(0, 1)
      }
    }
  )

  it("is never below the highest sample, and does not depend on the block size", () => {
    const pcm = noise(SampleRate.make(24_000), 1, 0.5, 3)
    const whole = truePeakOf(pcm)
    expect(whole).toBeGreaterThanOrEqual(
      pcm.samples.reduce((top, sample) => Math.max(top, Math.abs(sample)), 0)
    )
    for (const size of [1, 63, 64, 1_000]) {
      const meter = new TruePeakMeter(1)
      for (let at = 0; at < pcm.samples.length; at += size) meter.push(pcm.samples.subarray(at, at + size))
      expect(meter.peak()).toBe(whole)
    }
  })
})

describe.each(ffmpegs)("compared with ffmpeg's ebur128: $name", ({ binary }) => {
  const measured = (pcm: Pcm): { integrated: number; truePeak: number } => {
    const run = spawnSync(
      binary.path,
      ["-hide_banner", "-nostats", "-i", "pipe:0", "-af", "ebur128=peak=true", "-f", "null", "-"],
      { input: encodeWav16(pcm), maxBuffer: 1 << 28 }
    )
    const said = run.stderr.toString()
    return {
      integrated: Number(/I:\s+(-?[\d.]+) LUFS\s+Threshold/u.exec(said)?.[1]),
      truePeak: Number(/Peak:\s+(-?[\d.]+) dBFS/u.exec(said)?.[1])
    }
  }

  // Before 5.0, ffmpeg resamples to 48 kHz, whose filter differs from that of 8 kHz by 0.2 LU.
  const rates = [8_000, 16_000, 22_050, 24_000, 48_000].slice((versionOf(binary)?.major ?? 5) < 5 ? 1 : 0)
  it.each(rates.map((rate) => SampleRate.make(rate)))("agrees within 0.1 LU and 0.1 dB at %i Hz", (rate) => {
    for (const seed of [1, 2, 3]) {
      const pcm = Either.getOrThrow(decodeWav(encodeWav16(speechLike(rate, 12, seed))))
      const theirs = measured(pcm)
      // ffmpeg prints one decimal.
      expect(Math.abs(loudnessOf(pcm) - theirs.integrated)).toBeLessThanOrEqual(0.1)
      expect(Math.abs(20 * Math.log10(truePeakOf(pcm)) - theirs.truePeak)).toBeLessThanOrEqual(0.1)
    }
  })
})
