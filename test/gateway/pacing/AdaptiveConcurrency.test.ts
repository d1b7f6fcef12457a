import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  increase,
  burst,
  fullConcurrency,
  maxGap,
  type AdaptiveConcurrency,
  decrease
} from "../../../src/gateway/pacing/AdaptiveConcurrency.ts"

const most = 16
const events = fc.array(fc.record({ slow: fc.boolean(), wait: fc.integer({ min: -10_000, max: 10_000 }) }), {
  maxLength: 200
})

it.prop("stays between 1 and the configured limit", { events }, ({ events }) => {
  let pace: AdaptiveConcurrency = fullConcurrency(most)
  let now = 1_000_000
  for (const { slow, wait } of events) {
    now += wait
    pace = slow ? decrease(pace, now) : increase(pace, most)
    expect(pace.window).toBeGreaterThanOrEqual(1)
    expect(pace.window).toBeLessThanOrEqual(most)
    expect(pace.gap).toBeGreaterThanOrEqual(0)
    expect(pace.gap).toBeLessThanOrEqual(maxGap)
    if (pace.gap > 0) expect(pace.window).toBe(1)
  }
})

it("halves once per burst of rejections, then spaces starts out", () => {
  let pace = fullConcurrency(8)
  const windows: Array<readonly [number, number]> = []
  for (const now of [0, 10, burst - 1, burst, 2 * burst, 3 * burst, 4 * burst]) {
    pace = decrease(pace, now)
    windows.push([pace.window, pace.gap])
  }
  expect(windows).toEqual([
    [4, 0],
    [4, 0],
    [4, 0],
    [2, 0],
    [1, 0],
    [1, 100],
    [1, 200]
  ])
})

it.prop(
  "returns to the limit when starts are accepted",
  { slows: fc.integer({ min: 1, max: 12 }) },
  ({ slows }) => {
    let pace = fullConcurrency(most)
    for (let i = 0; i < slows; i++) pace = decrease(pace, i * burst)
    let steps = 0
    while ((pace.window < most || pace.gap > 0) && steps < 1_000) {
      pace = increase(pace, most)
      steps++
    }
    expect(pace.window).toBe(most)
    expect(steps).toBeLessThan(300)
  }
)
