/**
 * The kernels as plain loops: they process one sample after the other and give the same bits. Tests compare the kernels
 * with them, and `node bench/run.mjs kernels` measures runs with them.
 */
import { noiseIn } from "../../../src/audio/kernels/KernelMemory.ts"
import type { Polyphase } from "../../../src/audio/kernels/Kernels.ts"

const { abs, fround, max, min } = Math

export const loudestOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let loudest = 0
  for (let i = from; i < to; i++) {
    const level = abs(samples[i]!)
    if (level > loudest) loudest = level
  }
  return loudest
}

export const loudestEachOf = (
  samples: Float32Array,
  from: number,
  to: number,
  channels: number,
  into: Float32Array
): void => {
  into.fill(0, 0, channels)
  for (let i = from; i < to; i++) {
    const channel = (i - from) % channels
    into[channel] = max(into[channel]!, abs(samples[i]!))
  }
}

export const addedTo = (
  samples: Float32Array,
  from: number,
  count: number,
  into: Float32Array,
  at: number,
  stride: number
): void => {
  for (let i = 0; i < count; i++) into[at + i * stride]! += samples[from + i]!
}

export const pannedTo = (
  samples: Float32Array,
  from: number,
  count: number,
  into: Float32Array,
  at: number,
  left: number,
  right: number
): void => {
  for (let i = 0; i < count; i++) {
    into[at + 2 * i]! += samples[from + i]! * left
    into[at + 2 * i + 1]! += samples[from + i]! * right
  }
}

export const productsOf = (samples: Float32Array, factors: Float32Array, into: Float32Array): void => {
  for (let i = 0; i < samples.length; i++) into[i] = samples[i]! * factors[i]!
}

export const scaledOf = (samples: Float32Array, factor: number, into: Float32Array, to: number): void => {
  for (let i = 0; i < samples.length; i++) into[to + i] = samples[i]! * factor
}

export const doubledOf = (
  line: Float32Array,
  first: number,
  count: number,
  weights: Float32Array,
  into: Float32Array,
  at: number
): void => {
  const pairs = weights.length
  for (let done = 0; done < count; done += 1_024) {
    const end = min(count, done + 1_024)
    if (loudestOf(line, first + done - pairs, first + end + pairs) === 0)
      into.fill(0, at + 2 * done, at + 2 * end)
    else
      for (let i = done; i < end; i++) {
        let sum = 0
        for (let pair = 0, left = first + i, right = left + 1; pair < pairs; pair++, left--, right++)
          sum = fround(sum + fround(weights[pair]! * fround(line[left]! + line[right]!)))
        into[at + 2 * i] = line[first + i]!
        into[at + 2 * i + 1] = sum
      }
  }
}

export const sampledOf = (
  line: Float32Array,
  first: number,
  count: number,
  { up, down, taps, filter }: Polyphase,
  phase: number,
  into: Float32Array,
  at: number
): void => {
  for (let i = 0; i < count; i++) {
    // Eight sums, added up at the end in the order of the lanes.
    let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0]
    for (let tap = 0, from = first, w = phase * taps; tap < taps; tap += 8, from += 8, w += 8) {
      a = fround(a + fround(line[from]! * filter[w]!))
      b = fround(b + fround(line[from + 1]! * filter[w + 1]!))
      c = fround(c + fround(line[from + 2]! * filter[w + 2]!))
      d = fround(d + fround(line[from + 3]! * filter[w + 3]!))
      e = fround(e + fround(line[from + 4]! * filter[w + 4]!))
      f = fround(f + fround(line[from + 5]! * filter[w + 5]!))
      g = fround(g + fround(line[from + 6]! * filter[w + 6]!))
      h = fround(h + fround(line[from + 7]! * filter[w + 7]!))
    }
    into[at + i] = fround(fround(fround(a + e) + fround(b + f)) + fround(fround(c + g) + fround(d + h)))
    phase += down
    while (phase >= up) {
      phase -= up
      first++
    }
  }
}

/** Weights of the short filter, in triples. */
const shortWeights = 36

export const crestsOf = (
  line: Float32Array,
  first: number,
  count: number,
  weights: Float32Array,
  least: number,
  into: Float32Array
): number => {
  least = fround(least)
  let highest = 0
  for (let done = 0; done < count; done += 64) {
    const end = min(count, done + 64)
    if (loudestOf(line, first + done - 7, first + end + 8) <= least * 0.5) into.fill(0, done, end)
    else
      for (let i = done; i < end; i++) {
        const at = first + i
        const near = highestAt(line, at, weights, 0, shortWeights)
        const likely = fround(near * fround(1.3333334))
        let crest = 0
        if (likely > least) {
          const most = min(likely, 2 * loudestOf(line, at - 7, at + 9))
          crest = max(near, highestAt(line, at, weights, shortWeights, weights.length))
          if (min(crest, most) > least) highest = max(highest, min(crest, most))
          else crest = 0
        }
        into[i] = crest
      }
  }
  return highest
}

/** Returns the highest level from one sample to the next, by the weights in [from, to). */
const highestAt = (
  line: Float32Array,
  at: number,
  weights: Float32Array,
  from: number,
  to: number
): number => {
  let [half, even, odd] = [0, 0, 0]
  for (let w = from, left = at, right = at + 1; w < to; w += 3, left--, right++) {
    const sum = fround(line[left]! + line[right]!)
    half = fround(half + fround(sum * weights[w]!))
    even = fround(even + fround(sum * weights[w + 1]!))
    odd = fround(odd + fround(fround(line[left]! - line[right]!) * weights[w + 2]!))
  }
  const [here, next] = [line[at]!, line[at + 1]!]
  const [quarter, threeQuarters] = [fround(even + odd), fround(even - odd)]
  return max(
    max(max(abs(here), abs(next)), max(abs(half), max(abs(quarter), abs(threeQuarters)))),
    max(
      max(vertexOf(here, quarter, half), vertexOf(half, threeQuarters, next)),
      vertexOf(quarter, half, threeQuarters)
    )
  )
}

/** Returns the level at the vertex of the parabola through three equidistant points; 0 if it is not between them. */
const vertexOf = (before: number, at: number, behind: number): number => {
  const slope = fround(before - behind)
  const bend = fround(fround(before + behind) - fround(at + at))
  return fround(at * bend) < 0 && abs(slope) <= abs(2 * bend)
    ? abs(fround(at - fround(fround(slope * slope) / fround(bend * 8))))
    : 0
}

export const decodedOf = (bytes: Uint8Array, width: 2 | 3 | 4, into: Float32Array, count: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (let i = 0, at = 0; i < count; i++, at += width) {
    let value = 0
    for (let byte = 0; byte < width; byte++) value |= view.getUint8(at + byte) << (8 * (4 - width + byte))
    into[i] = value * 2 ** -31
  }
}

export const rounded24Of = (samples: Float32Array, into: Uint8Array): void => {
  for (let i = 0, at = 0; i < samples.length; i++) {
    const value = max(-8_388_608, min(8_388_607, Math.round(samples[i]! * 8_388_608))) | 0
    into[at++] = value
    into[at++] = value >> 8
    into[at++] = value >> 16
  }
}

export const rounded16Of = (samples: Float32Array, into: Int16Array): void => {
  for (let i = 0; i < samples.length; i++)
    into[i] = max(-32_768, min(32_767, Math.round(samples[i]! * 32_768))) | 0
}

export const ditheredWith = (
  noise: number,
  samples: Float32Array,
  into: Int16Array,
  at: number,
  count: number,
  keepsIntegers = false
): void => {
  for (let i = at; i < at + count; i++) {
    const sample = samples[i]!
    if (sample === 0 || Number.isNaN(sample)) into[i] = 0
    else {
      const dither = keepsIntegers && Number.isInteger(sample * 32_768) ? 0 : noiseIn[noise + i - at]!
      // Adding a constant so large that no fraction bits are left rounds to the nearest integer, halves to even ones.
      const value = fround(sample * 32_768 + dither) + 1.5 * 2 ** 52 - 1.5 * 2 ** 52
      into[i] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value
    }
  }
}

export const weightedOf = (
  samples: Float32Array,
  from: number,
  stride: number,
  count: number,
  filters: Float64Array
): void => {
  for (let lane = 0; lane < 2; lane++) {
    const [b0, b1, b2, a1, a2, d1, d2, c1, c2, ...state] = Array.from(
      { length: 16 },
      (_, at) => filters[2 * at + lane]!
    )
    let [s1, s2, t1, t2, y1, y2, sum] = state
    for (let i = 0, at = from + lane; i < count; i++, at += stride) {
      const x = samples[at] ?? 0
      const y = b0! * x + s1!
      const z = y2! + t1!
      const a = a2! * s1!
      s1 = b1! * x + s2! - a1! * s1!
      s2 = b2! * x - a
      const c = c2! * t1!
      t1 = d1! * y2! + t2! - c1! * t1!
      t2 = d2! * y2! - c
      y2 = y1
      y1 = y
      sum! += z * z
    }
    ;[s1, s2, t1, t2, y1, y2, sum].forEach((value, at) => (filters[18 + 2 * at + lane] = value!))
  }
}
