/** Cue harm: the order in which cues are listed for checking. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import type { CueReport } from "../../../src/domain/report/Report.ts"
import { cueHarm } from "../../../src/pages/parts/CueHarm.ts"

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

const inOrder: ReadonlyArray<readonly [what: string, cue: CueReport]> = [
  ["not spoken", { ...cue([]), status: "failed", placed: undefined }],
  ["cut off", cue(["cut", "late"])],
  ["sounds odd", cue(["suspect"])],
  ["overlaps", cue(["overlap", "overrun"])],
  ["runs over", cue(["fast", "overrun"])],
  ["rushed", cue(["late", "fast"])],
  ["starts late", cue(["late"])],
  ["starts early", cue(["early"])],
  ["shares audio", cue(["together"])],
  ["second take", cue(["repeated-take"])],
  ["in place", cue([])]
]

describe("harm", () => {
  it("is ranked by a cue's worst problem", () => {
    const points = inOrder.map(([, each]) => cueHarm(each))
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
          expect(more).toBeLessThan(cueHarm(cue(["overlap"])))
        }
      )
    )
  })
})
