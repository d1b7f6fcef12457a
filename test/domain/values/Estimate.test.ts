import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type Estimate, learn } from "../../../src/domain/values/Estimate.ts"

const learned = (values: ReadonlyArray<number>) =>
  values.reduce<Estimate | undefined>((known, value) => learn(known, value), undefined)

it.prop(
  "stays within the range of the observed values",
  { values: fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 }) },
  ({ values }) => {
    const estimate = learned(values)
    expect(estimate?.count).toBe(values.length)
    expect(estimate?.mean).toBeGreaterThanOrEqual(Math.min(...values) - 1e-6)
    expect(estimate?.mean).toBeLessThanOrEqual(Math.max(...values) + 1e-6)
    expect(estimate?.spread).toBeGreaterThanOrEqual(0)
  }
)

it("is the plain mean of the first values, and follows a change within about twenty", () => {
  expect(learned([100, 200, 300, 400])?.mean).toBe(250)
  const slower = [...Array.from({ length: 100 }, () => 100), ...Array.from({ length: 20 }, () => 1_000)]
  expect(learned(slower)?.mean).toBeGreaterThan(900)
})
