/** Powers of bands: the kernel's bits against those of one transform after the other. */
import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { FourierTransform } from "../../../src/audio/pcm/FourierTransform.ts"
import {
  bandPowers,
  hop,
  maxGroups,
  powerOf,
  samplesOf,
  together,
  window
} from "../../../src/audio/sync/BandPowers.ts"
import { randomOf } from "../signals.ts"

const bins = [2, 5, 8, 12, 16, 24, 32, 44, 64]
const otherBins = [1, 2, 3, 4, 5, 6, 7, 8, 9]

const shape = Float32Array.from(
  { length: window },
  (_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 0.5)) / window)
)
const transform = new FourierTransform(window)

/** The powers of a window and the next one, which share a transform as its real and imaginary parts. */
const plainPowers = (samples: Float32Array, first: number, edges: ReadonlyArray<number>) => {
  const re = shape.map((weight, k) => weight * samples[first * hop + k]!)
  const im = shape.map((weight, k) => weight * samples[(first + 1) * hop + k]!)
  transform.transform(re, im)
  const one: Array<number> = []
  const other: Array<number> = []
  for (let band = 0; band < 8; band++) {
    let [a, b] = [0, 0]
    for (let k = edges[band]!; k < edges[band + 1]!; k++) {
      const mirror = window - k
      a += (re[k]! + re[mirror]!) ** 2 + (im[k]! - im[mirror]!) ** 2
      b += (im[k]! + im[mirror]!) ** 2 + (re[mirror]! - re[k]!) ** 2
    }
    one.push(a)
    other.push(b)
  }
  return [one, other]
}

it.prop(
  "have the same bits as those of one transform after the other",
  [
    FastCheck.integer({ min: 1, max: 1_000_000 }),
    FastCheck.integer({ min: 1, max: maxGroups }),
    FastCheck.constantFrom(bins, otherBins)
  ],
  ([seed, groups, edges]) => {
    const random = randomOf(seed)
    const samples = Float32Array.from({ length: samplesOf(groups) }, () => 2 * random() - 1)
    const powers = bandPowers(samples, groups, edges)
    const found = Array.from({ length: groups * together }, (_, k) => {
      const group = Math.floor(k / together)
      return edges
        .slice(1)
        .map((_edge, band) => powers[(8 * group + band) * together + powerOf[k % together]!])
    })
    const plain = Array.from({ length: groups * 2 }, (_, k) => plainPowers(samples, 2 * k, edges)).flat()
    expect(found).toEqual(plain)
  },
  { fastCheck: { numRuns: 25 } }
)
