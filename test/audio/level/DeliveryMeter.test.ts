import { spawnSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { DeliveryMeter } from "../../../src/audio/level/DeliveryMeter.ts"
import { decibelsOf } from "../../../src/audio/pcm/Pcm.ts"
import { speechLike, tone } from "../signals.ts"
import { ffmpegs } from "../../ffmpeg/binaries.ts"

const rate24 = SampleRate.make(24_000)
const rate48 = SampleRate.make(48_000)

/** Speech with a pause and levels that differ, later and quieter in each further channel. */
const programme = (rate: SampleRate, channels: number): Float32Array => {
  const voice = speechLike(rate, 6, channels).samples
  const samples = new Float32Array(voice.length * channels)
  for (let i = 0; i < samples.length; i++) {
    const [frame, channel] = [Math.floor(i / channels), i % channels]
    const level = [1, 0.3, 0, 0.6][Math.floor(frame / rate / 1.5)] ?? 0
    samples[i] = ((voice[frame - 1_000 * channel] ?? 0) * level) / (1 + channel)
  }
  return samples
}

const measured = (samples: Float32Array, rate: SampleRate, channels: number): DeliveryMeter => {
  const meter = new DeliveryMeter(rate, channels)
  for (let at = 0; at < samples.length; at += 4_096 * channels)
    meter.push(samples.subarray(at, at + 4_096 * channels))
  return meter
}

describe.each(ffmpegs)("compared with ffmpeg's ebur128: $name", ({ binary }) => {
  it.each([
    { rate: 44_100, channels: 1 },
    { rate: 44_100, channels: 2 },
    { rate: 48_000, channels: 1 },
    { rate: 48_000, channels: 2 },
    { rate: 48_000, channels: 6 },
    { rate: 96_000, channels: 2 }
  ])("agrees within 0.1 LU and 0.1 dB at $rate Hz, $channels channels", ({ rate, channels }) => {
    const file = join(mkdtempSync(join(tmpdir(), "dubwright-meter-")), "programme.f32")
    const samples = programme(SampleRate.make(rate), channels)
    writeFileSync(file, new Uint8Array(samples.buffer))
    const layout = channels === 6 ? "aformat=channel_layouts=5.1," : ""
    const { stderr } = spawnSync(
      binary.path,
      [
        ...["-hide_banner", "-nostats", "-f", "f32le", "-ar", `${rate}`, "-ac", `${channels}`, "-i", file],
        ...["-af", `${layout}ebur128=peak=true`, "-f", "null", "-"]
      ],
      { encoding: "utf8" }
    )
    const meter = measured(samples, SampleRate.make(rate), channels)
    const theirs = (pattern: RegExp) => Number(pattern.exec(stderr)?.[1])
    // ffmpeg prints one decimal.
    const loudness = meter.integrated() - theirs(/I:\s+(-?[\d.]+) LUFS\s+Threshold/u)
    const peak = decibelsOf(meter.truePeak()) - theirs(/Peak:\s+(-?[\d.]+) dBFS/u)
    expect([Math.abs(loudness) <= 0.1, Math.abs(peak) <= 0.1], `${loudness} LU, ${peak} dB`).toEqual([
      true,
      true
    ])
  })
})

// The first cases of EBU Tech 3342: tones of 20 seconds, and the range that a meter must read.
it.each([
  { levels: [-20, -30], range: 10 },
  { levels: [-20, -15], range: 5 },
  { levels: [-40, -20], range: 20 },
  { levels: [-50, -35, -20, -35, -50], range: 15 }
])("reads a range of $range LU for tones of $levels", ({ levels, range }) => {
  const meter = new DeliveryMeter(rate24, 1)
  for (const level of levels) meter.push(tone(rate24, 1_000, 20, 10 ** (level / 20)).samples)
  expect(Math.abs(meter.range() - range)).toBeLessThan(0.3)
})

it("measures the spoken lines alone", () => {
  const quiet = tone(rate48, 997, 4, 0.05)
  const loud = tone(rate48, 997, 4, 0.5)
  const samples = new Float32Array(8 * 48_000)
  samples.set(quiet.samples)
  samples.set(loud.samples, 4 * 48_000)
  const meter = measured(samples, rate48, 1)
  expect(meter.spoken([{ start: 0.5, end: 3.9 }])).toBeCloseTo(-29.03, 1)
  expect(meter.spoken([{ start: 4.5, end: 7.9 }])).toBeCloseTo(-9.03, 1)
  expect(meter.integrated()).toBeCloseTo(-9.03, 0)
  expect(meter.spoken([{ start: 1, end: 1.3 }]), "shorter than a block").toBe(-70)
  expect(meter.spoken([])).toBe(-70)
})

it("reads -70 and no range for silence and for no samples", () => {
  for (const length of [0, 48_000 * 5]) {
    const meter = measured(new Float32Array(length), rate48, 1)
    expect([meter.integrated(), meter.range(), meter.truePeak()]).toEqual([-70, 0, 0])
  }
})
