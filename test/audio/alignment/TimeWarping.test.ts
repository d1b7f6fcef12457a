/** Dynamic time warping: paths are complete and monotone, and find known stretches. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  diagonalCorridor,
  refinedCorridor,
  type Vectors,
  warpPath
} from "../../../src/audio/alignment/TimeWarping.ts"

const size = 3
const vectors = (values: ReadonlyArray<number>): Vectors => ({
  size,
  values: Float32Array.from(values.slice(0, values.length - (values.length % size)))
})
const sequence = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: size, maxLength: 90 })
const lengthOf = ({ values }: Vectors) => values.length / size
const steps = (values: Int32Array) => [...values].slice(1).map((value, index) => value - (values[index] ?? 0))

it.prop(
  "a path leads from both beginnings to both ends, in steps of at most one",
  {
    one: sequence,
    other: sequence,
    reach: fc.integer({ min: 0, max: 5 }),
    factor: fc.integer({ min: 1, max: 4 })
  },
  ({ one, other, reach, factor }) => {
    const [first, second] = [vectors(one), vectors(other)]
    const [rows, columns] = [lengthOf(first), lengthOf(second)]
    const coarse = (values: Vectors) =>
      vectors(Array.from({ length: Math.ceil(lengthOf(values) / factor) * size }, (_, k) => k % 7))
    const [fewer, less] = [coarse(first), coarse(second)]
    const rough = warpPath(fewer, less, diagonalCorridor(lengthOf(fewer), lengthOf(less), reach))
    for (const corridor of [
      diagonalCorridor(rows, columns, reach),
      refinedCorridor(rough, factor, rows, columns, reach)
    ]) {
      const { cost, ones, others } = warpPath(first, second, corridor)
      expect(cost).toBeLessThan(Infinity)
      expect([ones[0], others[0], ones.at(-1), others.at(-1)]).toEqual([0, 0, rows - 1, columns - 1])
      const moved = steps(ones).map((step, index) => [step, steps(others)[index]])
      expect(
        moved.every(([a, b]) => [a, b].every((step) => step === 0 || step === 1) && a !== -(b ?? 0))
      ).toBe(true)
    }
  }
)

it.prop("a sequence is aligned with itself step by step, at no cost", { one: sequence }, ({ one }) => {
  const own = vectors(one)
  const { cost, ones, others } = warpPath(own, own, diagonalCorridor(lengthOf(own), lengthOf(own), 5))
  expect([cost, [...ones]]).toEqual([0, [...others]])
})

it.prop(
  "a stretch is found to within a frame",
  { seed: fc.integer({ min: 1, max: 99 }), factor: fc.double({ min: 0.6, max: 1.7, noNaN: true }) },
  ({ seed, factor }) => {
    const at = (time: number) => [Math.sin(time / 3 + seed), Math.cos(time / 5), Math.sin(time / 7)]
    const rows = 60
    const columns = Math.round(rows * factor)
    const [one, other] = [
      vectors(Array.from({ length: rows }, (_, row) => at(row)).flat()),
      vectors(
        Array.from({ length: columns }, (_, column) => at((column * (rows - 1)) / (columns - 1))).flat()
      )
    ]
    const { ones, others } = warpPath(one, other, diagonalCorridor(rows, columns, 25))
    const off = [...ones].map((row, index) =>
      Math.abs(row - ((others[index] ?? 0) * (rows - 1)) / (columns - 1))
    )
    expect(Math.max(...off)).toBeLessThanOrEqual(Math.max(1, 1 / factor))
  }
)
