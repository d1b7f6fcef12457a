import { describe, expect, it } from "vitest"
import { peakRoom } from "../../../src/ffmpeg/encode/LossyCodecs.ts"
import { targetOf } from "../../../src/pipeline/mix/LoudnessGoal.ts"

const coders = ["aac", "mp3", "opus"] as const

describe("the peak headroom for a lossy coder", () => {
  it("grows with lower bit rate and higher loudness", () => {
    for (const coder of coders) {
      const byBits = [24, 48, 64, 96, 128, 192].map((bitrate) => peakRoom(coder, bitrate, -15))
      expect(byBits).toEqual([...byBits].sort((a, b) => b - a))
      expect(peakRoom(coder, 64, -8.5)).toBeGreaterThan(peakRoom(coder, 64, -15))
      expect(peakRoom(coder, 64, -30)).toBe(peakRoom(coder, 64, -15))
    }
  })

  it("lowers a target by the most that any of its coders needs", () => {
    expect(targetOf("podcast", [])).toEqual({ loudness: -16, peak: -1 })
    expect(targetOf("none", [{ coder: "opus", bitrate: 64 }])).toEqual({ loudness: undefined, peak: -1.7 })
    expect(
      targetOf(-14, [
        { coder: "aac", bitrate: 96 },
        { coder: "opus", bitrate: 64 }
      ])
    ).toEqual({ loudness: -14, peak: -2.9 })
  })
})
