/** Preparing samples of neural models. */
import { expect, test } from "vitest"
import { preparedSamples } from "../../../src/engines/neural/SpokenSamples.ts"

const rate = 1_000
const samples = (silence: number, sound: number, after: number, level = 0.5) =>
  Float32Array.from({ length: silence + sound + after }, (_, index) =>
    index >= silence && index < silence + sound ? (index % 2 === 0 ? level : -level) : 0
  )

test("trims both ends to 20 ms before and 60 ms after speech, and fades them", () => {
  const prepared = preparedSamples(samples(300, 100, 500), rate)
  expect(prepared.length).toBe(20 + 100 + 60)
  expect(preparedSamples(samples(0, 100, 0), rate).length).toBe(100)
  const [first = 0] = preparedSamples(samples(0, 100, 0), rate)
  expect(first).toBe(Math.round((0.5 * 32_767) / 5))
})

test("attenuates speech above full scale as a whole, and mutes samples that are not numbers", () => {
  const prepared = preparedSamples(samples(0, 100, 0, 2), rate)
  expect(Math.max(...prepared)).toBe(32_767)
  expect(prepared[50]).toBe(32_767)
  const odd = samples(0, 100, 0)
  odd[50] = NaN
  odd[51] = Infinity
  expect([...preparedSamples(odd, rate).subarray(49, 53)]).toEqual([-16_383, 0, 0, 16_384])
  expect(preparedSamples(odd, rate).length).toBe(100)
})

test("returns nothing for silence", () => {
  expect(preparedSamples(new Float32Array(500), rate)).toEqual(new Int16Array())
  expect(preparedSamples(samples(10, 100, 10, 0.0005), rate)).toEqual(new Int16Array())
  expect(preparedSamples(new Float32Array(), rate)).toEqual(new Int16Array())
})
