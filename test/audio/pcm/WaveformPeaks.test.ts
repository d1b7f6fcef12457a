import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { PeakMeter } from "../../../src/audio/pcm/WaveformPeaks.ts"
import { frames, SampleRate } from "../../../src/domain/time/Units.ts"

const rate = SampleRate.make(8_000)
const stretch = 160

const peaksOf = (blocks: ReadonlyArray<Float32Array>, channels: number, length: number): Float32Array => {
  const meter = new PeakMeter(rate, channels, frames(length))
  for (const block of blocks) meter.push(block)
  return meter.peaks()
}

describe("the waveform of a programme", () => {
  it("keeps the highest absolute level of each fiftieth of a second", () => {
    const samples = new Float32Array(2 * stretch + 10)
    samples[3] = 0.25
    samples[stretch - 1] = -0.5
    samples[stretch] = 0.125
    samples[2 * stretch + 9] = -1
    expect([...peaksOf([samples], 1, samples.length)]).toEqual([0.5, 0.125, 1])
  })

  it("uses the louder channel", () => {
    const samples = new Float32Array(2 * stretch)
    samples[0] = 0.25
    samples[1] = 0.5
    expect([...peaksOf([samples], 2, stretch)]).toEqual([0.5])
  })

  it("is 0 where samples are missing, and ignores excess ones", () => {
    expect([...peaksOf([new Float32Array(stretch).fill(1)], 1, 3 * stretch)]).toEqual([1, 0, 0])
    expect([...peaksOf([new Float32Array(5 * stretch).fill(1)], 1, stretch)]).toEqual([1])
    expect([...peaksOf([new Float32Array(0), new Float32Array(3)], 1, 0)]).toEqual([])
  })

  it("holds at most 120,000 peaks: 16 per second for two hours", () => {
    const meter = new PeakMeter(rate, 1, frames(7_200 * rate))
    expect(meter.peaks().length).toBe(120_000)
  })

  it.prop(
    "does not depend on the block size",
    [
      FastCheck.array(FastCheck.double({ min: -1, max: 1, noNaN: true }), { maxLength: 1_000 }),
      FastCheck.array(FastCheck.integer({ min: 0, max: 400 }), { maxLength: 8 })
    ],
    ([levels, cuts]) => {
      const samples = Float32Array.from(levels.flatMap((level) => [level, level / 2]))
      const blocks: Array<Float32Array> = []
      let from = 0
      for (const cut of [...cuts, levels.length]) {
        const to = Math.min(levels.length, from + cut)
        blocks.push(samples.subarray(from * 2, to * 2))
        from = to
      }
      expect(peaksOf(blocks, 2, levels.length)).toEqual(peaksOf([samples], 2, levels.length))
    }
  )
})
