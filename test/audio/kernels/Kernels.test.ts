import { readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { ditherAt, ditheredOf } from "../../../src/audio/pcm/Dither.ts"
import {
  addPower,
  addTo,
  crestsOf,
  doubledOf,
  floatsOf,
  productsOf,
  raiseTo,
  sampledOf,
  scaledOf,
  loudestOf
} from "../../../src/audio/kernels/Kernels.ts"
import { gainsOf, LimiterMemory } from "../../../src/audio/level/LimiterGains.ts"
import { newBuffer, type Buffer32, BufferPool } from "../../../src/audio/kernels/BufferPool.ts"
import { kernelCode } from "../../../scripts/build-kernels.mjs"
import { randomOf } from "../signals.ts"

/** Returns random samples, a few of them beyond full scale, some exactly 0. */
const someSamples = (seed: number, length: number): Float32Array => {
  const random = randomOf(seed)
  return Float32Array.from({ length }, () => (random() < 0.1 ? 0 : 2.2 * random() - 1.1))
}

/** Lengths around the step of a kernel, and around the number of samples copied at once. */
const lengths = fc.oneof(
  fc.nat(70),
  fc.integer({ min: 8_100, max: 8_300 }),
  fc.integer({ min: 0, max: 20_000 })
)
const seeds = fc.integer({ min: 1, max: 1_000_000 })

const few = { fastCheck: { numRuns: 25 } }

describe("the kernels", () => {
  it("are assembled from the current source", async () => {
    expect(readFileSync("src/audio/kernels/KernelCode.ts", "utf8")).toBe(await kernelCode())
  })

  it.prop(
    "give the same results for arrays in their own memory",
    [seeds, lengths, fc.nat(50)],
    ([seed, length, from]) => {
      const rooms = new BufferPool()
      /** Runs a chain of kernels on arrays from `room`; each step uses the result of the one before. */
      const chain = (allocate: Buffer32) => {
        const keep = (samples: Float32Array) => {
          const kept = allocate(samples.length)
          kept.set(samples)
          return kept
        }
        const line = keep(someSamples(seed, length + 96 + from))
        const weights = someSamples(seed + 1, 108)
        addTo(line, 24 + from, keep(someSamples(seed + 2, length)), 0, length)
        const crests = allocate(length)
        const highest = crestsOf(line, 24 + from, length, weights, 1.2, crests)
        const gained = allocate(length)
        productsOf(line.subarray(0, length), crests, gained)
        const doubled = allocate(2 * length)
        doubledOf(line, 36 + from, length, weights.subarray(0, 36), doubled, 0)
        const scaled = allocate(length + 3)
        scaledOf(gained, 0.7, scaled, 3)
        const place = allocate(length)
        const integers = new Int16Array(place.buffer, place.byteOffset, length)
        ditheredOf(scaled.subarray(3), from, integers)
        const floats = allocate(length)
        floatsOf(integers, 1 / 1000, floats)
        const filters = Float64Array.from({ length: 20 }, (_, at) => (at < 10 ? 0.3 - at / 20 : 0))
        addPower(line, 1, 2, Math.floor(length / 2), filters)
        const all = [line, crests, gained, doubled, scaled.subarray(3), floats].map((some) => some.slice())
        return [...all, filters, highest, loudestOf(line, from)]
      }
      expect(chain(rooms.take)).toEqual(chain(newBuffer))
      rooms.freeAll()
    },
    few
  )

  it.prop(
    "apply a filter's phases, whether or not the filter fits their memory",
    [
      seeds,
      fc.integer({ min: 0, max: 10_000 }),
      fc.constantFrom([160, 147], [2, 3], [1, 2], [3, 1], [80, 441], [9_000, 7_001]),
      fc.constantFrom(8, 48, 120),
      fc.nat(8_999),
      fc.nat(50)
    ],
    ([seed, count, [up = 1, down = 1], taps, some, first]) => {
      const phase = some % up
      const filter = someSamples(seed, up * taps)
      const length = first + Math.floor((phase + count * down) / up) + taps
      const line = someSamples(seed + 1, length)
      const into = new Float32Array(count + 3)
      const polyphase = { up, down, taps, filter }
      sampledOf(line, first, count, polyphase, phase, into, 3)
      const rooms = new BufferPool()
      const inside = rooms.take(length)
      inside.set(line)
      const there = rooms.take(count)
      sampledOf(inside, first, count, polyphase, phase, there, 0)
      expect(there).toEqual(into.subarray(3))
      rooms.freeAll()
      let worst = 0
      for (let i = 0; i < count; i++) {
        const position = phase + i * down
        const [own, from] = [position % up, first + Math.floor(position / up)]
        let sum = 0
        for (let tap = 0; tap < taps; tap++)
          sum += (line[from + tap] ?? NaN) * (filter[own * taps + tap] ?? NaN)
        worst = Math.max(worst, Math.abs((into[3 + i] ?? NaN) - sum))
      }
      expect(worst).toBeLessThan(1e-4)
    },
    few
  )

  it.prop("find the highest absolute value", [seeds, lengths, fc.nat(50)], ([seed, length, from]) => {
    const samples = someSamples(seed, length)
    const expected = samples.subarray(from).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(loudestOf(samples, from)).toBe(expected)
  })

  it.prop(
    "raise the peaks of stretches",
    [seeds, fc.integer({ min: 1, max: 8_192 }), fc.integer({ min: 1, max: 900 }), fc.nat(3_000)],
    ([seed, length, stretch, before]) => {
      const samples = someSamples(seed, before + length)
      const highest = new Float32Array(2 + Math.ceil((before + length) / stretch)).fill(0.9)
      const expected = highest.map((level, at) => {
        const [from, to] = [Math.max(before, at * stretch), Math.min(before + length, (at + 1) * stretch)]
        return Math.max(level, to > from ? loudestOf(samples, from, to) : 0)
      })
      const first = Math.floor(before / stretch)
      raiseTo(highest, first, samples.subarray(before), (first + 1) * stretch - before, stretch)
      expect(highest).toEqual(expected)
    },
    few
  )

  it.prop("add exactly", [seeds, lengths, fc.nat(50)], ([seed, length, at]) => {
    const samples = someSamples(seed, length)
    const to = someSamples(seed + 1, length + 100)
    const expected = to.map((sample, i) => {
      const other = samples[i - at + 3]
      return i < at || i >= at + length - 3 || other === undefined ? sample : sample + other
    })
    addTo(to, at, samples, 3, length - 3)
    expect(to).toEqual(expected)
  })

  it.prop(
    "convert integers to floats exactly",
    [seeds, lengths, fc.double({ min: 1e-6, max: 1e-3, noNaN: true })],
    ([seed, length, factor]) => {
      const integers = Int16Array.from(someSamples(seed, length), (sample) => sample * 32_767)
      const floats = new Float32Array(length + 1).fill(7)
      floatsOf(integers, factor, floats)
      expect(floats).toEqual(Float32Array.from([...Array.from(integers, (value) => value * factor), 7]))
    },
    few
  )

  it.prop(
    "double the rate by pairs of neighbours",
    [seeds, lengths, fc.integer({ min: 1, max: 48 })],
    ([seed, length, pairs]) => {
      const line = someSamples(seed, length + 2 * pairs)
      // Silence with random boundaries.
      line.fill(0, seed % 3_000, (seed % 3_000) + 2_500)
      const weights = someSamples(seed + 1, pairs)
      const doubled = new Float32Array(2 * length + 5)
      doubledOf(line, pairs, length, weights, doubled, 5)
      let same = true
      let worst = 0
      for (let i = 0; i < length; i++) {
        let sum = 0
        for (let pair = 0; pair < pairs; pair++)
          sum += ((line[pairs + i - pair] ?? 0) + (line[pairs + i + 1 + pair] ?? 0)) * (weights[pair] ?? 0)
        if (doubled[5 + 2 * i] !== line[pairs + i]) same = false
        worst = Math.max(worst, Math.abs((doubled[6 + 2 * i] ?? NaN) - sum))
      }
      expect(same).toBe(true)
      expect(worst).toBeLessThan(2e-5)
    },
    few
  )

  it.prop(
    "find inter-sample peaks where samples are loud",
    [seeds, lengths, fc.constantFrom(0, 0.9, 1.5, 1.9, 2.3)],
    ([seed, length, least]) => {
      const line = someSamples(seed, length + 48)
      // Weights of about the same magnitude for both filters.
      const weights = someSamples(seed + 1, 108).map((weight, at) => weight / (at < 36 ? 3 : 4))
      const crests = new Float32Array(length)
      const highest = crestsOf(line, 23, length, weights, least, crests)
      /** Levels at five positions from one sample to the next, from `pairs` triples of weights, starting at `first`. */
      const placesOf = (i: number, first: number, pairs: number) => {
        let [half, even, odd] = [0, 0, 0]
        for (let pair = 0; pair < pairs; pair++) {
          const left = line[23 + i - pair] ?? 0
          const right = line[24 + i + pair] ?? 0
          half += (left + right) * (weights[first + 3 * pair] ?? 0)
          even += (left + right) * (weights[first + 3 * pair + 1] ?? 0)
          odd += (left - right) * (weights[first + 3 * pair + 2] ?? 0)
        }
        return [line[23 + i] ?? 0, even + odd, half, even - odd, line[24 + i] ?? 0]
      }
      const highestOf = (places: ReadonlyArray<number>) => {
        const vertices = places.slice(1, -1).map((at, i) => {
          const [before = 0, , behind = 0] = places.slice(i)
          const slope = before - behind
          const bend = before + behind - 2 * at
          return at * bend < 0 && Math.abs(slope) <= 2 * Math.abs(bend)
            ? Math.abs(at - slope ** 2 / (8 * bend))
            : 0
        })
        return Math.max(...places.map(Math.abs), ...vertices)
      }
      let worst = 0
      let expected = 0
      for (let i = 0; i < length; i++) {
        const loudest = Math.max(...line.subarray(16 + i, 32 + i).map(Math.abs))
        const near = highestOf(placesOf(i, 0, 12))
        const most = Math.min(2 * loudest, (4 / 3) * near)
        const crest = Math.max(near, highestOf(placesOf(i, 36, 24)))
        const found = crests[i] ?? NaN
        // Rounded to 32 bits, a level may be on the other side of the limit.
        const counts =
          Math.abs(Math.min(crest, most) - least) < 2e-5 ? found > 0 : Math.min(crest, most) > least
        worst = Math.max(worst, Math.abs(found - (counts ? crest : 0)))
        expected = Math.max(expected, Math.min(found, most))
      }
      expect(worst).toBeLessThan(2e-5)
      expect(Math.abs(highest - expected)).toBeLessThan(2e-5)
    },
    few
  )

  it.prop(
    "filter and add up squares, wherever they are interrupted",
    [seeds, lengths, fc.constantFrom(1, 2)],
    ([seed, length, stride]) => {
      const samples = someSamples(seed, stride * length)
      const [b0, b1, b2, a1, a2, c1, c2] = [1.5, -2.6, 1.1, -1.5, 0.6, -1.97, 0.975]
      // The second filter, whose b coefficients are 1, -2 and 1, takes what the first put out two samples earlier.
      let [s1, s2, t1, t2, y1, y2, expected] = [0, 0, 0, 0, 0, 0, 0]
      for (let i = 0; i < length; i++) {
        const x = samples[stride * i + stride - 1] ?? 0
        const y = b0 * x + s1
        s1 = b1 * x + s2 - a1 * y
        s2 = b2 * x - a2 * y
        const z = y2 + t1
        t1 = t2 - 2 * y2 - c1 * z
        t2 = y2 - c2 * z
        y2 = y1
        y1 = y
        expected += z * z
      }
      const weights = [b0, 1, b1 - a1 * b0, -2 - c1, b2 - a2 * b0, 1 - c2, a1, c1, a2, c2]
      const filters = Float64Array.from({ length: 20 }, (_, at) => weights[at] ?? 0)
      const whole = filters.slice()
      addPower(samples, stride - 1, stride, length, whole)
      const first = Math.floor(length / 3)
      addPower(samples, stride - 1, stride, first, filters)
      addPower(samples, stride * first + stride - 1, stride, length - first, filters)
      expect(filters).toEqual(whole)
      const [f1, h1, f2, h2] = whole.subarray(10)
      expect([f1, h1, f2, h2]).toEqual([s1, t1, s2, t2].map((value) => expect.closeTo(value, 9)))
      expect([whole[14], whole[16], whole[19]]).toEqual(
        [y1, y2, expected].map((value) => expect.closeTo(value, 9))
      )
    },
    few
  )

  it.prop(
    "multiply exactly",
    [seeds, lengths, fc.double({ min: -3, max: 3, noNaN: true })],
    ([seed, length, factor]) => {
      const samples = someSamples(seed, length)
      const others = someSamples(seed + 1, length)
      const into = new Float32Array(length + 5)
      scaledOf(samples, factor, into, 5)
      expect(into.subarray(5)).toEqual(samples.map((sample) => sample * factor))
      productsOf(samples, others, into)
      expect(into.subarray(0, length)).toEqual(samples.map((sample, i) => sample * (others[i] ?? 0)))
    },
    few
  )

  it.prop(
    "hold and average a limiter's gain reduction, whatever the block size",
    [seeds, fc.integer({ min: 1, max: 12_000 }), fc.integer({ min: 2, max: 40 }), fc.nat(12_000)],
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
    few
  )

  it.prop(
    "dither by a sample's position, clamp, and keep silence",
    [seeds, lengths, fc.nat(2 ** 33)],
    ([seed, length, place]) => {
      const samples = someSamples(seed, length)
      if (length > 2) samples[1] = NaN
      const into = new Int16Array(length)
      ditheredOf(samples, place, into)
      let worst = 0
      for (let i = 0; i < length; i++) {
        const sample = samples[i] ?? 0
        const exact = sample === 0 || Number.isNaN(sample) ? 0 : 32_768 * sample + ditherAt(place + i)
        const expected = Math.max(-32_768, Math.min(32_767, exact))
        worst = Math.max(worst, Math.abs((into[i] ?? NaN) - expected))
      }
      // Half a step, plus the rounding of a 32-bit sum.
      expect(worst).toBeLessThan(0.503)
    },
    few
  )

  it("use white noise without offset or repetition, two steps wide", () => {
    const count = 200_000
    const noise = Float64Array.from({ length: count }, (_, place) => ditherAt(place))
    const mean = (of: (value: number, at: number) => number) =>
      noise.reduce((sum, value, at) => sum + of(value, at), 0) / count
    expect(Math.abs(mean((value) => value))).toBeLessThan(0.005)
    expect(mean((value) => value * value)).toBeCloseTo(1 / 6, 2)
    for (const lag of [1, 2, 3, 4_096, 8_192, 65_536])
      expect(Math.abs(mean((value, at) => value * (noise[at + lag] ?? 0)))).toBeLessThan(0.005)
  })
})
