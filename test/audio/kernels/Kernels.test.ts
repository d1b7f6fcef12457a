import { readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { BufferPool } from "../../../src/audio/kernels/BufferPool.ts"
import * as kernels from "../../../src/audio/kernels/Kernels.ts"
// Fills the kernels' noise.
import "../../../src/audio/formats/OutputConversion.ts"
import { kernelCode } from "../../../scripts/build-kernels.mjs"
import { randomOf } from "../signals.ts"
import * as plainKernels from "./plainKernels.ts"

/** Returns random samples, a few of them beyond full scale, some exactly 0, with a stretch of silence. */
const someSamples = (seed: number, length: number): Float32Array => {
  const random = randomOf(seed)
  const samples = Float32Array.from({ length }, () => (random() < 0.1 ? 0 : 2.2 * random() - 1.1))
  return samples.fill(0, seed % 5_000, (seed % 5_000) + (seed % 3_000))
}

/** Lengths around the step of a kernel, and around the number of samples copied at once. */
const lengths = fc.oneof(
  fc.nat(70),
  fc.integer({ min: 8_100, max: 8_300 }),
  fc.integer({ min: 0, max: 20_000 })
)
const seeds = fc.integer({ min: 1, max: 1_000_000 })

const bitsOf = (samples: Float32Array): Int32Array => new Int32Array(samples.slice().buffer)

/** Runs a kernel and its plain loop, then the kernel with all arrays in its own memory. The results must be equal. */
const compare = (
  samples: Float32Array,
  length: number,
  run: (some: typeof plainKernels, samples: Float32Array, into: Float32Array) => number | void
): void => {
  const pool = new BufferPool()
  const inside = pool.take(samples.length)
  inside.set(samples)
  const [result, own, plain] = [new Float32Array(length), pool.take(length).fill(0), new Float32Array(length)]
  const returned = run(plainKernels, samples, plain)
  expect(run(kernels, samples, result)).toBe(returned)
  expect(run(kernels, inside, own)).toBe(returned)
  expect(bitsOf(result)).toEqual(bitsOf(plain))
  expect(bitsOf(own)).toEqual(bitsOf(plain))
  pool.freeAll()
}

const few = { fastCheck: { numRuns: 25 } }

describe("the kernels give the same bits as plain loops", () => {
  it("which are assembled from the current source", async () => {
    expect(readFileSync("src/audio/kernels/KernelCode.ts", "utf8")).toBe(await kernelCode())
  })

  it("and replace each exported one", () => {
    expect(Object.keys(plainKernels).toSorted()).toEqual(Object.keys(kernels).toSorted())
  })

  it.prop(
    "when they find the highest absolute value",
    [seeds, lengths, fc.nat(50)],
    ([seed, length, from]) =>
      compare(someSamples(seed, length + from), 0, (some, samples) => some.loudestOf(samples, from)),
    few
  )

  it.prop(
    "when they find the highest absolute value of each channel",
    [seeds, fc.nat(5_000), fc.constantFrom(1, 2, 3, 4, 6, 12), fc.nat(50)],
    ([seed, frames, channels, from]) => {
      const length = from + frames * channels
      compare(someSamples(seed, length), channels, (some, samples, into) =>
        some.loudestEachOf(samples, from, length, channels, into)
      )
    },
    few
  )

  it.prop(
    "when they add, to adjacent samples or others, with a pan",
    [seeds, fc.nat(3_000), fc.integer({ min: 1, max: 6 }), fc.nat(9)],
    ([seed, count, stride, from]) => {
      const samples = someSamples(seed, from + count)
      const sums = someSamples(seed + 1, 5 + count * stride + 2 * count)
      compare(samples, sums.length, (some, added, into) => {
        into.set(sums)
        some.addedTo(added, from, count, into, 5, stride)
        some.pannedTo(added, from, count, into, 3, 0.71, seed / 1_000_000)
      })
    },
    few
  )

  it.prop(
    "when they multiply",
    [seeds, lengths, fc.double({ min: -3, max: 3, noNaN: true })],
    ([seed, length, factor]) => {
      const factors = someSamples(seed + 1, length)
      const samples = someSamples(seed, length)
      compare(samples, length, (some, from, into) => some.productsOf(from, factors, into))
      compare(samples, length + 5, (some, from, into) => some.scaledOf(from, factor, into, 5))
    },
    few
  )

  it.prop(
    "when they double the rate",
    [seeds, lengths, fc.integer({ min: 1, max: 48 })],
    ([seed, length, pairs]) => {
      const weights = someSamples(seed + 1, pairs)
      compare(someSamples(seed, length + 2 * pairs), 2 * length + 5, (some, line, into) =>
        some.doubledOf(line, pairs, length, weights, into, 5)
      )
    },
    few
  )

  it.prop(
    "when they resample, whether or not the filter fits their memory",
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
      const polyphase = { up, down, taps, filter: someSamples(seed, up * taps) }
      const length = first + Math.floor((phase + count * down) / up) + taps
      compare(someSamples(seed + 1, length), count + 3, (any, line, into) =>
        any.sampledOf(line, first, count, polyphase, phase, into, 3)
      )
    },
    few
  )

  it.prop(
    "when they find inter-sample peaks",
    [seeds, lengths, fc.constantFrom(0, 0.9, 1.5, 1.9, 2.3)],
    ([seed, length, least]) => {
      // Weights of about the same magnitude for both filters.
      const weights = someSamples(seed + 1, 108).map((weight, at) => weight / (at < 36 ? 3 : 4))
      compare(someSamples(seed, length + 48), length, (some, line, into) =>
        some.crestsOf(line, 23, length, weights, least, into)
      )
    },
    few
  )

  it.prop(
    "when they dither, with samples that are not numbers",
    [seeds, fc.nat(8_192), fc.nat(60_000), fc.nat(9), fc.boolean()],
    ([seed, count, noise, at, keepsIntegers]) => {
      // Some are whole integers, also beyond full scale.
      const samples = someSamples(seed, at + count + 9).map((sample, i) =>
        i % 3 === 0 ? Math.round(sample * 32_768) / 32_768 : sample
      )
      if (count > 1) samples[at + 1] = NaN
      compare(samples, Math.ceil((at + count) / 2), (some, from, into) => {
        const integers = new Int16Array(into.buffer, into.byteOffset, 2 * into.length)
        some.ditheredWith(noise, from, integers, at, count, keepsIntegers)
        integers.fill(0, at + count)
      })
    },
    few
  )

  it.prop(
    "when they decode integers",
    [seeds, lengths, fc.constantFrom(2 as const, 3 as const, 4 as const)],
    ([seed, length, width]) => {
      const random = randomOf(seed)
      const bytes = Uint8Array.from({ length: length * width }, () => 256 * random())
      // As floats, so that they are in the kernels' memory once.
      const samples = new Float32Array(length + 4)
      new Uint8Array(samples.buffer).set(bytes)
      compare(samples, length, (some, { buffer, byteOffset, byteLength }, into) =>
        some.decodedOf(new Uint8Array(buffer, byteOffset, byteLength), width, into, length)
      )
    },
    few
  )

  it.prop(
    "when they round to 24 bits, with halves and samples that are not numbers",
    [seeds, lengths],
    ([seed, length]) => {
      const special = [NaN, Infinity, -Infinity, 1, -1, 0.49999997 / 8_388_608, -0.5 / 8_388_608]
      const samples = someSamples(seed, length).map((sample, i) =>
        i % 2 === 0 ? Math.round(sample * 2 ** (1 + (i % 23))) / 2 ** 24 : (special[i % 50] ?? sample)
      )
      compare(samples, length + 4, (some, from, into) => {
        const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
        some.rounded24Of(from, bytes)
        bytes.fill(0, 3 * length)
      })
    },
    few
  )

  it.prop(
    "when they round to 16 bits, with halves and samples that are not numbers",
    [seeds, lengths],
    ([seed, length]) => {
      const special = [NaN, Infinity, -Infinity, 1, -1, 0.49999997 / 32_768, -0.5 / 32_768, 32_767.5 / 32_768]
      const samples = someSamples(seed, length).map((sample, i) =>
        i % 2 === 0 ? Math.round(sample * 2 ** (1 + (i % 15))) / 2 ** 16 : (special[i % 50] ?? sample)
      )
      compare(samples, length + 4, (some, from, into) => {
        const integers = new Int16Array(into.buffer, into.byteOffset, 2 * into.length)
        some.rounded16Of(from, integers)
        integers.fill(0, length)
      })
    },
    few
  )

  it.prop(
    "when they K-weight two channels, or one",
    [
      seeds,
      fc.oneof(fc.nat(70), fc.integer({ min: 0, max: 10_000 })),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(9)
    ],
    ([seed, count, stride, from]) => {
      const lanes = stride === 1 ? 1 : 2
      const coefficients = [1.5, -1.1, 0.2, -1.7, 0.7, -0.01, -0.02, -1.9, 0.9].flatMap((one) => [one, one])
      compare(someSamples(seed, from + count * stride), 64, (some, samples, into) => {
        const filters = Float64Array.from([...coefficients, ...Array.from({ length: 14 }, (_, at) => at / 9)])
        some.weightedOf(samples, from, stride, count, filters)
        // The second channel of one has no result.
        if (lanes === 1) for (let at = 1; at < filters.length; at += 2) filters[at] = 0
        new Float64Array(into.buffer, into.byteOffset, 32).set(filters)
      })
    },
    few
  )
})
