/**
 * Powers of the bands of a sound in windows of 16 ms, every 10 ms, by a kernel that transforms four windows at once. It
 * gives the same bits as a transform of two windows with `FourierTransform`.
 */
import { readAt } from "../kernels/KernelArrays.ts"
import { bandTablesAt, bandWorkAt, buffer, kernels, outAt } from "../kernels/KernelMemory.ts"

/** Samples of a window: at 8 kHz, 16 ms are short enough to find the start of a word. */
export const window = 128

/** Samples between the beginnings of two windows. */
export const hop = 80

/** The kernel's number of bands. */
const bandCount = 8

/** Windows that are measured together. */
export const together = 4

/** The most groups of windows in a call: as many as 8,192 samples hold. */
export const maxGroups = 25

/** The number of samples of some groups of windows. */
export const samplesOf = (groups: number): number => groups * together * hop + window - hop

/** The powers of band b, of 8, in window w of group g are at `(8 * g + b) * together + powerOf[w]`. */
export const powerOf = [0, 2, 1, 3] as const

const powers = new Float64Array(buffer, outAt, maxGroups * together * bandCount)

/**
 * Measures the bands between nine bins of the transform. Returns powers in the kernels' memory: they last until the
 * next call of a kernel. A sine of level 1 has a power of about `(window / 2) ** 2` in its band.
 */
export const bandPowers = (
  samples: Float32Array,
  groups: number,
  bins: ReadonlyArray<number>
): Float64Array => {
  loadTables(bins)
  kernels.bandPowers(readAt(samples, 0, samplesOf(groups)), outAt, groups, bandTablesAt, bandWorkAt)
  return powers
}

/** The bins of the tables in the kernels' memory. */
let loaded: ReadonlyArray<number> | undefined

const loadTables = (bins: ReadonlyArray<number>): void => {
  if (loaded === bins) return
  loaded = bins
  const shape = new Float32Array(buffer, bandTablesAt, window)
  const places = new Int32Array(buffer, bandTablesAt + 512, window)
  const bits = Math.log2(window)
  for (let k = 0; k < window; k++) {
    shape[k] = 0.5 - 0.5 * Math.cos((2 * Math.PI * (k + 0.5)) / window)
    let reversed = 0
    for (let bit = 0; bit < bits; bit++) reversed |= ((k >> bit) & 1) << (bits - 1 - bit)
    places[k] = 8 * reversed
  }
  const turns = new Float64Array(buffer, bandTablesAt + 1_024, 4 * (1 + 4 + 16) + 2 * 64)
  let at = 0
  for (const span of [1, 4, 16])
    for (let place = 0; place < span; place++) {
      const [c, s] = turnOf((place * window) / (4 * span))
      turns.set([c, s, c * c - s * s, 2 * c * s], at)
      at += 4
    }
  for (let place = 0; place < window / 2; place++, at += 2) turns.set(turnOf(place), at)
  new Int32Array(buffer, bandTablesAt + 2_720, bandCount + 1).set(bins.map((bin) => 8 * bin))
}

/** Cosine and sine of a turn back by a number of points. */
const turnOf = (points: number): readonly [number, number] => [
  Math.cos((2 * Math.PI * points) / window),
  -Math.sin((2 * Math.PI * points) / window)
]
