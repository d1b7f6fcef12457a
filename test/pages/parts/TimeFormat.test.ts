import { describe, expect, it } from "vitest"
import {
  formatClock,
  formatCount,
  formatFactor,
  formatInteger,
  formatDuration,
  formatSignedSeconds
} from "../../../src/pages/parts/TimeFormat.ts"

describe("times and figures", () => {
  it.each([
    [0, "0:00.000"],
    [59.9996, "1:00.000"],
    [61.44, "1:01.440"],
    [3600, "1:00:00.000"],
    [7325.007, "2:02:05.007"]
  ])("%d s is %s", (seconds, text) => expect(formatClock(seconds)).toBe(text))

  it.each([
    [3.21, "3.2 s"],
    [64, "1 min 4 s"],
    [3599.6, "1 h 0 min"],
    [7499, "2 h 5 min"]
  ])("a duration of %d s is %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text))

  it.each([
    [0.214, "+0.21 s"],
    [-0.3, "−0.30 s"],
    [-0.001, "0.00 s"]
  ])("a difference of %d s is %s", (seconds, text) => expect(formatSignedSeconds(seconds)).toBe(text))

  it("formats factors and counts", () => {
    expect([
      formatFactor(1.184),
      formatCount(1, "cue"),
      formatCount(2_000, "cue"),
      formatInteger(1_234_567)
    ]).toEqual(["1.18×", "1 cue", "2\u202F000 cues", "1\u202F234\u202F567"])
  })
})
