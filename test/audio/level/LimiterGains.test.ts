import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { expect } from "vitest"
import { gainsOf, LimiterMemory } from "../../../src/audio/level/Limiter.ts"
import { randomOf } from "../signals.ts"

it.prop(
  "hold and average a limiter's gain reduction, whatever the block size",
  [
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.integer({ min: 1, max: 12_000 }),
    fc.integer({ min: 2, max: 40 }),
    fc.nat(12_000)
  ],
  ([seed, length, window, cut]) => {
    const random = randomOf(seed)
    const around = Float32Array.from({ length: length + 1 }, () => (random() < 0.01 ? 0.6 + random() : 0))
    const peaks = around.subarray(1).map((behind, i) => Math.max(around[i] ?? 0, behind))
    const held: Array<number> = []
    let lack = 0
    for (let i = 0; i < length; i++) {
      lack *= 0.99
      if (lack < 0.001) lack = 0
      for (let back = Math.max(0, i - window + 1); back <= i; back++)
        if ((peaks[back] ?? 0) > 0) lack = Math.max(lack, 1 - 0.5 / (peaks[back] ?? 1))
      held.push(Math.floor(lack * 2 ** 21 + 0.5))
    }
    const expected = Float32Array.from(held, (_, i) => {
      const sum = held.slice(Math.max(0, i - window + 1), i + 1).reduce((all, one) => all + one, 0)
      return 1 - sum * (1 / (window * 2 ** 21))
    })
    const memory = new LimiterMemory(window)
    const gains = new Float32Array(length)
    const first = Math.min(cut, length)
    gainsOf(around.subarray(0, first + 1), 0.5, 0.99, memory, gains)
    gainsOf(around.subarray(first), 0.5, 0.99, memory, gains.subarray(first))
    expect(gains).toEqual(expected)
  },
  { fastCheck: { numRuns: 25 } }
)
