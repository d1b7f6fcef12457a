import { describe, expect, it } from "@effect/vitest"
import { gainsUnder } from "../../../src/audio/level/Ducking.ts"
import { millis } from "../../../src/domain/time/Units.ts"

const duck = { amount: 12, attack: millis(200), release: millis(700) }

const span = (start: number, end: number) => ({ start: millis(start), end: millis(end) })

/** Gains at these milliseconds, in decibels, rounded to tenths. */
const decibels = (spoken: ReadonlyArray<readonly [number, number]>, at: ReadonlyArray<number>) => {
  const spans = spoken.map(([start, end]) => span(start, end))
  const gains = [...gainsUnder(spans, duck, { from: 0, to: 200_000 })].flatMap((block) => [...block])
  expect(gains.length).toBe(200_000)
  return at.map((place) => Math.round(200 * Math.log10(gains[place] ?? 0)) / 10 + 0)
}

describe("gainsUnder", () => {
  it("has faded down when speech begins, and fades up when it has ended", () => {
    expect(decibels([[1_000, 1_100]], [0, 799, 800, 900, 1_000, 1_050, 1_100, 1_450, 1_800, 9_000])).toEqual([
      0, 0, 0, -6, -12, -12, -12, -6, 0, 0
    ])
  })

  it("has no corners", () => {
    const [block = new Float32Array()] = gainsUnder([span(1_000, 1_500)], duck, { from: 0, to: 3_000 })
    const steps = [...block].map((gain, at) => Math.log10(gain) - Math.log10(block[at - 1] ?? 1))
    const bends = steps.map((step, at) => Math.abs(step - (steps[at - 1] ?? 0)))
    // A straight fade of 200 ms bends by 0.003 where it begins.
    expect(Math.max(...bends)).toBeLessThan(0.000_1)
  })

  it("stays down in a short pause, and fades up in a longer one", () => {
    const dialogue = [
      [1_000, 2_000],
      [3_299, 4_000],
      [5_300, 6_000]
    ] as const
    expect(decibels(dialogue, [2_300, 2_700, 4_000, 4_350, 4_700, 5_100, 5_200, 5_300])).toEqual([
      -12, -12, -12, -6, 0, 0, -6, -12
    ])
  })

  it("applies once where several people speak, in any order of spans", () => {
    const together = [
      [3_000, 3_500],
      [1_000, 5_000]
    ] as const
    expect(decibels(together, [900, 3_200, 4_900, 5_350])).toEqual([-6, -12, -12, -6])
  })

  it("does not depend on block boundaries or the starting position", () => {
    const long = [span(60_000, 70_000)]
    const whole = [...gainsUnder(long, duck, { from: 0, to: 140_000 })].flatMap((block) => [...block])
    const part = [...gainsUnder(long, duck, { from: 59_850, to: 140_000 })].flatMap((block) => [...block])
    expect(part).toEqual(whole.slice(59_850))
    expect(whole.slice(60_000, 70_000).every((gain) => gain === whole[60_000])).toBe(true)
  })
})
