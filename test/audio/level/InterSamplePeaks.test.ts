import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { newBuffer } from "../../../src/audio/kernels/BufferPool.ts"
import { InterSamplePeaks } from "../../../src/audio/level/InterSamplePeaks.ts"
import { TruePeakMeter } from "../../../src/audio/level/TruePeak.ts"
import { randomOf } from "../signals.ts"

/** Returns loud bursts in quiet noise, per channel. */
const burstsIn = (channels: number, frames: number, seed: number): ReadonlyArray<Float32Array> =>
  Array.from({ length: channels }, (_, channel) => {
    const random = randomOf(seed + channel)
    const burst = Math.floor(random() * frames)
    return Float32Array.from(
      { length: frames },
      (__, i) => (Math.abs(i - burst) < 40 ? 1.6 : 0.2) * (random() - 0.5)
    )
  })

const interleaved = (lines: ReadonlyArray<Float32Array>): Float32Array =>
  Float32Array.from(
    { length: lines.length * (lines[0]?.length ?? 0) },
    (_, i) => lines[i % lines.length]?.[Math.floor(i / lines.length)] ?? 0
  )

const peakOf = (channels: number, samples: Float32Array, block: number): number => {
  const meter = new TruePeakMeter(channels)
  for (let at = 0; at < samples.length; at += block * channels)
    meter.push(samples.subarray(at, at + block * channels))
  return meter.peak()
}

describe("peaks in interleaved samples", () => {
  it.prop(
    "are the highest of the channels, in blocks of any size",
    [
      fc.constantFrom(2, 6),
      fc.integer({ min: 100, max: 9_000 }),
      fc.nat(10_000),
      fc.integer({ min: 1, max: 5_000 })
    ],
    ([channels, frames, seed, block]) => {
      const lines = burstsIn(channels, frames, seed)
      const highest = Math.max(...lines.map((line) => peakOf(1, line, frames)))
      expect(peakOf(channels, interleaved(lines), block)).toBe(highest)
    },
    { fastCheck: { numRuns: 20 } }
  )

  it.prop(
    "are found at each interval",
    [fc.constantFrom(1, 2, 6), fc.integer({ min: 100, max: 9_000 }), fc.nat(10_000)],
    ([channels, count, seed]) => {
      const lines = burstsIn(channels, count + 47, seed)
      const found = new Float32Array(count)
      const highest = new InterSamplePeaks(channels, newBuffer).above(
        interleaved(lines),
        23,
        count,
        0.5,
        found
      )
      const alone = lines.map((line) => {
        const into = new Float32Array(count)
        new InterSamplePeaks(1, newBuffer).above(line, 23, count, 0.5, into)
        return into
      })
      expect(found).toEqual(found.map((_, i) => Math.max(...alone.map((line) => line[i] ?? 0))))
      expect(highest > 0).toBe(found.some((level) => level > 0))
    },
    { fastCheck: { numRuns: 20 } }
  )
})
