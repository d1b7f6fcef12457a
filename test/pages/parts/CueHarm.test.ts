/** Cue harm: the order in which cues are listed for checking. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import type { CueReport } from "../../../src/domain/report/Report.ts"
import { marksIn } from "../../../src/pages/parts/CueMarks.ts"
import { cueHarm, overlapsIn } from "../../../src/pages/parts/CueHarm.ts"

const cue = (flags: CueReport["flags"], more: Partial<CueReport> = {}): CueReport => ({
  index: 1,
  start: 10,
  end: 12,
  text: "words",
  status: "spoken",
  placed: { start: 10, end: 12, speed: 1 },
  flags,
  ...more
})

const inOrder: ReadonlyArray<readonly [what: string, cue: CueReport, overlap: number]> = [
  ["not spoken", { ...cue([]), status: "failed", placed: undefined }, 0],
  ["cut off", cue(["cut", "late"]), 0],
  ["sounds odd", cue(["suspect"]), 0],
  ["overlaps", cue(["overrun"]), 0.5],
  ["runs over", cue(["fast", "overrun"]), 0],
  ["rushed", cue(["late", "fast"]), 0],
  ["starts late", cue(["late"]), 0],
  ["starts early", cue(["early"]), 0],
  ["shares audio", cue(["together"]), 0],
  ["second take", cue(["repeated-take"]), 0],
  ["in place", cue([]), 0]
]

describe("harm", () => {
  it("is ranked by a cue's worst problem", () => {
    const points = inOrder.map(([, each, overlap]) => cueHarm(each, overlap))
    expect(points).toEqual([...points].sort((a, b) => b - a))
    expect(new Set(points).size).toBe(points.length)
    expect(points.at(-1)).toBe(0)
  })

  it("grows with the extent of a problem, and stays below that of the next worse problem", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (a, b) => {
          const over = (seconds: number) =>
            cue(["overrun"], { placed: { start: 10, end: 12 + seconds, speed: 1 } })
          const [less, more] = [Math.min(a, b), Math.max(a, b)].map((seconds) => cueHarm(over(seconds)))
          expect(less).toBeLessThanOrEqual(more ?? 0)
          expect(more).toBeLessThan(cueHarm(cue([]), 0.1))
        }
      )
    )
  })

  it("is caused by one speaker overlapping itself, not by two speakers overlapping", () => {
    const heard = (speaker: string, start: number, end: number) =>
      cue([], { speaker, start, end, placed: { start, end, speed: 1 } })
    const cues = [heard("ANNA", 0, 2.5), heard("BO", 1, 3), heard("ANNA", 2, 4), heard("BO", 3, 4)]
    expect(overlapsIn(cues)).toEqual([0.5, 0, 0, 0])
    expect(marksIn(cues)).toEqual([["overlap"], [], [], []])
  })
})
