/** Fast Fourier transform of a fixed size, in place. */

/** A transform of `size` complex points; `size` is a power of two. It holds its tables, and no data. */
export class FourierTransform {
  private readonly cosines: Float64Array
  private readonly sines: Float64Array
  /** Pairs of positions whose contents are swapped. */
  private readonly swaps: Uint16Array

  constructor(readonly size: number) {
    const half = size / 2
    this.cosines = Float64Array.from({ length: half }, (_, k) => Math.cos((2 * Math.PI * k) / size))
    this.sines = Float64Array.from({ length: half }, (_, k) => -Math.sin((2 * Math.PI * k) / size))
    const bits = Math.log2(size)
    const swaps: Array<number> = []
    for (let k = 0; k < size; k++) {
      let reversed = 0
      for (let bit = 0; bit < bits; bit++) reversed |= ((k >> bit) & 1) << (bits - 1 - bit)
      if (reversed > k) swaps.push(k, reversed)
    }
    this.swaps = Uint16Array.from(swaps)
  }

  /** Transforms the points `re[k] + i im[k]`. The result is not scaled. */
  transform(re: Float32Array, im: Float32Array): void {
    const { size, swaps } = this
    for (let at = 0; at < swaps.length; at += 2) {
      const one = swaps[at]!
      const other = swaps[at + 1]!
      const keptRe = re[one]!
      re[one] = re[other]!
      re[other] = keptRe
      const keptIm = im[one]!
      im[one] = im[other]!
      im[other] = keptIm
    }
    if (size >= 4) firstTwo(re, im, size)
    let span = size >= 4 ? 4 : 1
    // Two levels at once save half the reads and writes.
    for (; span * 4 <= size; span *= 4) this.two(re, im, span)
    if (span < size) this.one(re, im, span)
  }

  /** Joins transforms of `span` points to transforms of twice as many. */
  private one(re: Float32Array, im: Float32Array, span: number): void {
    const { size, cosines, sines } = this
    const step = size / (2 * span)
    for (let from = 0; from < size; from += 2 * span)
      for (let k = from, turn = 0; k < from + span; k++, turn += step) {
        const c = cosines[turn]!
        const s = sines[turn]!
        const r = re[k + span]! * c - im[k + span]! * s
        const i = re[k + span]! * s + im[k + span]! * c
        re[k + span] = re[k]! - r
        im[k + span] = im[k]! - i
        re[k] = re[k]! + r
        im[k] = im[k]! + i
      }
  }

  /** Joins transforms of `span` points to transforms of four times as many. */
  private two(re: Float32Array, im: Float32Array, span: number): void {
    const { size, cosines, sines } = this
    const step = size / (4 * span)
    for (let place = 0, turn = 0; place < span; place++, turn += step) {
      const c = cosines[turn]!
      const s = sines[turn]!
      const c2 = c * c - s * s
      const s2 = 2 * c * s
      for (let k = place; k < size; k += 4 * span) {
        const second = k + span
        const third = second + span
        const fourth = third + span
        const r1 = re[second]! * c2 - im[second]! * s2
        const i1 = re[second]! * s2 + im[second]! * c2
        const r3 = re[fourth]! * c2 - im[fourth]! * s2
        const i3 = re[fourth]! * s2 + im[fourth]! * c2
        const lowRe = re[k]! + r1
        const lowIm = im[k]! + i1
        const oddRe = re[k]! - r1
        const oddIm = im[k]! - i1
        const upRe = re[third]! + r3
        const upIm = im[third]! + i3
        const topRe = re[third]! - r3
        const topIm = im[third]! - i3
        const r2 = upRe * c - upIm * s
        const i2 = upRe * s + upIm * c
        // The fourth quarter turns by a right angle more.
        const r4 = topRe * s + topIm * c
        const i4 = topIm * s - topRe * c
        re[k] = lowRe + r2
        im[k] = lowIm + i2
        re[second] = oddRe + r4
        im[second] = oddIm + i4
        re[third] = lowRe - r2
        im[third] = lowIm - i2
        re[fourth] = oddRe - r4
        im[fourth] = oddIm - i4
      }
    }
  }
}

/** The first two levels, whose factors are 1 and -i. */
const firstTwo = (re: Float32Array, im: Float32Array, size: number): void => {
  for (let k = 0; k < size; k += 4) {
    const lowRe = re[k]! + re[k + 1]!
    const lowIm = im[k]! + im[k + 1]!
    const oddRe = re[k]! - re[k + 1]!
    const oddIm = im[k]! - im[k + 1]!
    const upRe = re[k + 2]! + re[k + 3]!
    const upIm = im[k + 2]! + im[k + 3]!
    const topRe = re[k + 2]! - re[k + 3]!
    const topIm = im[k + 2]! - im[k + 3]!
    re[k] = lowRe + upRe
    im[k] = lowIm + upIm
    re[k + 1] = oddRe + topIm
    im[k + 1] = oddIm - topRe
    re[k + 2] = lowRe - upRe
    im[k + 2] = lowIm - upIm
    re[k + 3] = oddRe - topIm
    im[k + 3] = oddIm + topRe
  }
}
