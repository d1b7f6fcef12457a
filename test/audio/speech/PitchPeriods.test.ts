/** The kernels of time-stretching: their bits against those of plain loops. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { BufferPool } from "../../../src/audio/kernels/BufferPool.ts"
import {
  averageDown,
  blockLength,
  candidateStep,
  crossfade,
  nearestPeriod,
  scorePeriods
} from "../../../src/audio/speech/TimeStretch.ts"
import { randomOf } from "../signals.ts"

const { fround, sqrt } = Math

const someSamples = (seed: number, length: number): Float32Array => {
  const random = randomOf(seed)
  const samples = Float32Array.from({ length }, () => 2 * random() - 1)
  return samples.fill(0, seed % 1_000, (seed % 1_000) + (seed % 300))
}

const bitsOf = (samples: Float32Array): Int32Array => new Int32Array(samples.slice().buffer)

/** Adds up in four lanes of 32-bit floats, then the lanes. */
const laneSum = (count: number, valueOf: (i: number) => number): number => {
  const lanes = [0, 0, 0, 0]
  for (let i = 0; i < count; i++) lanes[i % 4] = fround((lanes[i % 4] ?? 0) + fround(valueOf(i)))
  return fround(fround((lanes[0] ?? 0) + (lanes[1] ?? 0)) + fround((lanes[2] ?? 0) + (lanes[3] ?? 0)))
}

/** The same samples in the kernels' memory. */
const inside = (pool: BufferPool, samples: Float32Array): Float32Array => {
  const copy = pool.take(samples.length)
  copy.set(samples)
  return copy
}

const seeds = fc.integer({ min: 1, max: 1_000_000 })

it.prop(
  "averaging gives the same bits as a plain loop",
  [seeds, fc.integer({ min: 1, max: 20 }), fc.nat(20_000)],
  ([seed, factor, length]) => {
    const samples = someSamples(seed, length)
    const count = Math.floor(length / factor)
    const [low, high] = [new Float32Array(count), new Float32Array(count)]
    const [plainLow, plainHigh] = [new Float32Array(count), new Float32Array(count)]
    const share = fround(1 / factor)
    for (let k = 0; k < count; k++) {
      const whole = factor - (factor % 4)
      let sum = laneSum(whole, (i) => samples[k * factor + i] ?? 0)
      let squares = laneSum(whole, (i) => (samples[k * factor + i] ?? 0) ** 2)
      for (let i = k * factor + whole; i < (k + 1) * factor; i++) {
        sum = fround(sum + (samples[i] ?? 0))
        squares = fround(squares + fround((samples[i] ?? 0) ** 2))
      }
      const mean = fround(sum * share)
      plainLow[k] = mean
      plainHigh[k] = sqrt(Math.max(0, fround(fround(squares * share) - fround(mean * mean))))
    }
    const pool = new BufferPool()
    for (const some of [samples, inside(pool, samples)]) {
      averageDown(some, factor, low, high)
      expect(bitsOf(low)).toEqual(bitsOf(plainLow))
      expect(bitsOf(high)).toEqual(bitsOf(plainHigh))
    }
    pool.freeAll()
  },
  { fastCheck: { numRuns: 20 } }
)

it.prop(
  "scoring gives the same bits as a plain loop, also at the sound's end and across blocks",
  [
    seeds,
    fc.oneof(fc.nat(200), fc.integer({ min: 2_000, max: 2_200 })),
    fc.integer({ min: 7, max: 12 }),
    fc.integer({ min: 20, max: 60 })
  ],
  ([seed, length, least, most]) => {
    const step = candidateStep
    const [low, high] = [someSamples(seed, length), someSamples(seed + 1, length)]
    const power = new Float64Array(length + 1)
    for (let i = 0; i < length; i++) power[i + 1] = (power[i] ?? 0) + (low[i] ?? 0) ** 2 + (high[i] ?? 0) ** 2
    const [quiet, bonus] = [fround(0.003), fround(0.1)]
    const count = Math.ceil(length / step)
    const [periods, scores] = [new Float32Array(count), new Float32Array(count).fill(Infinity)]
    for (let from = 0; from < length; from += blockLength)
      for (let period = least; period <= most; period++) {
        const sums = new Float32Array(Math.min(blockLength + most, length - from) + 1)
        for (let i = 0; i + 1 < sums.length; i++) {
          const [at, next] = [from + i, from + i + period]
          const one = fround((low[at] ?? 0) - (low[next] ?? 0))
          const other = fround((high[at] ?? 0) - (high[next] ?? 0))
          sums[i + 1] = fround((sums[i] ?? 0) + fround(fround(one * one) + fround(other * other)))
        }
        for (let at = 0; at < Math.min(blockLength, length - from); at += step) {
          if (from + at + 2 * period > length) continue
          const apart = fround((sums[at + period] ?? 0) - (sums[at] ?? 0))
          const [begin = 0, end = 0] = [at, at + 2 * period].map((i) =>
            fround((power[from + i] ?? 0) - (power[from] ?? 0))
          )
          const level = fround(fround(fround(end - begin) * 0.5) + fround(period * quiet))
          const score = fround(fround(apart / level) + fround(bonus / period))
          const candidate = (from + at) / step
          if (score >= (scores[candidate] ?? 0)) continue
          scores[candidate] = score
          periods[candidate] = period
        }
      }
    const [found, foundScores] = [new Float32Array(count), new Float32Array(count)]
    const even = power.filter((_, at) => at % 2 === 0)
    scorePeriods({ low, high, power: even }, { least, most, quiet, bonus }, found, foundScores)
    expect(bitsOf(foundScores)).toEqual(bitsOf(scores))

    expect(found).toEqual(periods)
  },
  { fastCheck: { numRuns: 20 } }
)

it.prop(
  "the nearest period is that of a plain loop",
  [seeds, fc.nat(100), fc.integer({ min: 1, max: 400 }), fc.integer({ min: -1, max: 40 })],
  ([seed, at, least, more]) => {
    const most = least + more
    const samples = someSamples(seed, at + 2 * most)
    let [best, lowest] = [least, Infinity]
    for (let period = least; period <= most; period++) {
      const apart = (i: number) => fround((samples[at + i] ?? 0) - (samples[at + i + period] ?? 0))
      const whole = period - (period % 16)
      const lanes = new Float32Array(16)
      for (let i = 0; i < whole; i++) lanes[i % 16] = fround((lanes[i % 16] ?? 0) + fround(apart(i) ** 2))
      const four = [0, 1, 2, 3].map((i) =>
        fround(
          fround((lanes[i] ?? 0) + (lanes[i + 4] ?? 0)) + fround((lanes[i + 8] ?? 0) + (lanes[i + 12] ?? 0))
        )
      )
      let rest = 0
      for (let i = whole; i < period; i++) rest = fround(rest + fround(apart(i) ** 2))
      const score = fround(fround(laneSum(4, (i) => four[i] ?? 0) + rest) / period)
      if (score >= lowest) continue
      lowest = score
      best = period
    }
    const pool = new BufferPool()
    expect(nearestPeriod(samples, at, least, most)).toBe(best)
    expect(nearestPeriod(inside(pool, samples), at, least, most)).toBe(best)
    pool.freeAll()
  }
)

it.prop(
  "a crossfade has the same bits as a plain loop, forwards and back",
  [seeds, fc.integer({ min: 1, max: 900 }), fc.boolean()],
  ([seed, period, isBack]) => {
    const samples = someSamples(seed, 2 * period)
    const [from, to] = isBack ? [period, 0] : [0, period]
    const [a, b] = [(i: number) => samples[from + i] ?? 0, (i: number) => samples[to + i] ?? 0]
    const whole = period - (period % 4)
    const both = laneSum(whole, (i) => a(i) * b(i))
    const powers = fround(laneSum(whole, (i) => a(i) ** 2) * laneSum(whole, (i) => b(i) ** 2))
    const alike = powers > 0 ? Math.max(0, fround(both / fround(sqrt(powers)))) : 1
    const less = fround(2 * fround(1 - alike))
    const plain = new Float32Array(period)
    for (let i = 0; i < period; i++) {
      const y = fround(fround((i + 0.5) * fround(1 / period)) - 0.5)
      const z = fround(y * y)
      const curve = [-0.2773180305957794, 1.2709494829177856, -2.583571434020996, 1.5707910060882568]
        .map(fround)
        .reduce((sum, factor) => fround(factor + fround(z * sum)))
      const rising = fround(0.5 + fround(y * curve))
      const falling = fround(1 - rising)
      const sum = fround(fround(falling * a(i)) + fround(rising * b(i)))
      plain[i] = fround(sum / fround(sqrt(fround(1 - fround(fround(rising * falling) * less)))))
      expect(rising).toBeCloseTo(0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / period), 6)
    }
    const pool = new BufferPool()
    for (const [some, result] of [
      [samples, new Float32Array(period + 5)],
      [inside(pool, samples), pool.take(period + 5)]
    ] as const) {
      crossfade(some, from, period, isBack, result, 5)
      expect(bitsOf(result.subarray(5))).toEqual(bitsOf(plain))
    }
    pool.freeAll()
  }
)
