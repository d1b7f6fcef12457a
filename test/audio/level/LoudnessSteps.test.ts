import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { expect } from "vitest"
import { LoudnessSteps } from "../../../src/audio/level/LoudnessSteps.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { randomOf } from "../signals.ts"

const rate = SampleRate.make(48_000)

/** Returns the power of each step, of blocks that end at `cuts`. */
const powersOf = (samples: Float32Array, channels: number, cuts: ReadonlyArray<number>): Array<number> => {
  const powers: Array<number> = []
  const steps = new LoudnessSteps(rate, channels, (power) => powers.push(power))
  let from = 0
  for (const cut of [...cuts.toSorted((one, other) => one - other), samples.length / channels]) {
    steps.push(samples.subarray(from * channels, cut * channels))
    from = cut
  }
  return powers
}

/** Returns a channel's power per step: filtered by the standard's coefficients for 48 kHz, delayed by two frames. */
const weightedPowers = (samples: Float32Array): Array<number> => {
  const filter = (
    x: ReadonlyArray<number>,
    [b0, b1, b2]: ReadonlyArray<number>,
    [a1, a2]: ReadonlyArray<number>
  ) => {
    const y: Array<number> = []
    const at = (values: ReadonlyArray<number>, i: number, weight = 0) => weight * (values[i] ?? 0)
    for (let i = 0; i < x.length; i++)
      y.push(at(x, i, b0) + at(x, i - 1, b1) + at(x, i - 2, b2) - at(y, i - 1, a1) - at(y, i - 2, a2))
    return y
  }
  const shelved = filter(
    [0, 0, ...samples],
    [1.53512485958697, -2.69169618940638, 1.19839281085285],
    [-1.69065929318241, 0.73248077421585]
  )
  const weighted = filter(shelved, [1, -2, 1], [-1.99004745483398, 0.99007225036621])
  return Array.from({ length: Math.floor(samples.length / 4_800) }, (_, step) =>
    weighted.slice(step * 4_800, (step + 1) * 4_800).reduce((sum, value) => sum + value * value, 0)
  )
}

it.prop(
  "the power of each tenth of a second is K-weighted, whatever the block size",
  [
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.integer({ min: 0, max: 40_000 }),
    fc.constantFrom(1, 2),
    fc.array(fc.nat(1_000), { maxLength: 5 })
  ],
  ([seed, frames, channels, places]) => {
    const random = randomOf(seed)
    const samples = Float32Array.from({ length: frames * channels }, () => 2.2 * random() - 1.1)
    // Silence, during which the filters decay.
    samples.fill(0, Math.floor(samples.length / 8), Math.floor(samples.length / 2))
    const cuts = places.map((place) => Math.floor((place * frames) / 1_000))
    const powers = powersOf(samples, channels, cuts)
    expect(powers).toEqual(powersOf(samples, channels, []))
    const expected = Array.from({ length: channels }, (_, channel) =>
      weightedPowers(samples.filter((_, at) => at % channels === channel))
    )
    expect(powers).toEqual(
      (expected[0] ?? []).map((power, step) => {
        const both = power + (expected[1]?.[step] ?? 0)
        return expect.closeTo(both, 4)
      })
    )
  },
  { fastCheck: { numRuns: 25 } }
)
