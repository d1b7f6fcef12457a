import { describe, expect, it } from "@effect/vitest"
import { newBuffer, type Buffer32 } from "../../../src/audio/kernels/BufferPool.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { limitPeaks } from "../../../src/pipeline/mix/LoudnessNormalization.ts"

/** Buffers with stale content. */
const used: Buffer32 = (length) => new Float32Array(length).fill(Number.NaN)

describe("a limited clip", () => {
  it("does not depend on what its buffers contained, and is padded with silence", () => {
    const rate = SampleRate.make(48_000)
    const clip = Float32Array.from(
      { length: 30_000 },
      (_, i) => Math.sin(i * i * 1e-5) * (i % 7_000 < 90 ? 1.4 : 0.3)
    )
    const made = limitPeaks(clip, rate, 1.5, 0.8, 31_000, used)
    expect(made).toEqual(limitPeaks(clip, rate, 1.5, 0.8, 31_000, newBuffer))
    expect([made.length, made.subarray(30_000).every((sample) => sample === 0)]).toEqual([31_000, true])
    expect(made.some((sample) => Math.abs(sample) > 0.7)).toBe(true)
  })
})
