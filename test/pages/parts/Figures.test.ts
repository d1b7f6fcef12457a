import { describe, expect, it } from "vitest"
import { figuresOf } from "../../../src/pages/parts/Figures.ts"
import { lastMetrics, sampleMetrics } from "../sample.ts"

const named = (name: string, last?: typeof sampleMetrics) =>
  figuresOf(sampleMetrics, last).find((figure) => figure.name === name)

describe("figures", () => {
  it("flag poor values", () => {
    expect(
      figuresOf(sampleMetrics)
        .filter(({ poor }) => poor)
        .map(({ name, value, detail }) => [name, value, detail])
    ).toEqual([
      ["Lines spoken", "95.7 %", "22 of 23 spoken, 1 skipped"],
      ["Runs over", "1", "0 overlaps"],
      ["Rushed (over 1.3×)", "1", undefined]
    ])
  })

  it("compare with the previous run, each in its own direction", () => {
    expect(named("Lines spoken", lastMetrics)?.change).toEqual({ before: "100 %", trend: "worse" })
    expect(named("Starts early or late", lastMetrics)?.change).toEqual({ before: "0.31 s", trend: "better" })
    expect(named("Loudness", lastMetrics)?.change).toEqual({
      before: "−16.4 LUFS",
      trend: "other"
    })
    expect(named("Cues left empty", lastMetrics)?.change).toEqual({ before: "8 s", trend: "same" })
    expect(named("Lines spoken")?.change).toBeUndefined()
  })

  it("say nothing of what an earlier version did not measure", () => {
    const { empty: _, ...earlier } = sampleMetrics
    expect(figuresOf(earlier).map(({ name }) => name)).not.toContain("Cues left empty")
    expect(named("Cues left empty", earlier)?.change).toBeUndefined()
  })

  it("show a silent job as having no sound, not as very quiet", () => {
    const loudness = { integrated: -70, truePeak: -120, clipSpread: 1.8 }
    const silent = figuresOf({ ...sampleMetrics, loudness }).find(({ name }) => name === "Loudness")
    expect([silent?.value, silent?.detail]).toEqual(["no sound", "spread\u00a01.8\u00a0LU"])
  })

  it("never round a missing cue up to full coverage", () => {
    const [coverage] = figuresOf({ ...sampleMetrics, coverage: 0.9996 })
    expect(coverage?.value).toBe("99.9 %")
  })
})
