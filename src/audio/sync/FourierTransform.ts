/** Fast Fourier transform of a fixed size, in place. */

/** A transform of `size` complex points; `size` is a power of two. It holds its tables, and no data. */
export class FourierTransform {
  private readonly cosines: Float32Array
  private readonly sines: Float32Array
  private readonly swaps: Uint16Array

  constructor(readonly size: number) {
    const half = size / 2
    this.cosines = Float32Array.from({ length: half }, (_, k) => Math.cos((2 * Math.PI * k) / size))
    this.sines = Float32Array.from({ length: half }, (_, k) => -Math.sin((2 * Math.PI * k) / size))
    const bits = Math.log2(size)
    this.swaps = Uint16Array.from({ length: size }, (_, k) => {
      let reversed = 0
      for (let bit = 0; bit < bits; bit++) reversed |= ((k >> bit) & 1) << (bits - 1 - bit)
      return reversed
    })
  }

  /** Transforms the points `re[k] + i im[k]`. The result is not scaled. */
  transform(re: Float32Array, im: Float32Array): void {
    const { size, cosines, sines, swaps } = this
    for (let k = 0; k < size; k++) {
      const other = swaps[k]!
      if (other <= k) continue
      const keptRe = re[k]!
      re[k] = re[other]!
      re[other] = keptRe
      const keptIm = im[k]!
      im[k] = im[other]!
      im[other] = keptIm
    }
    for (let span = 1; span < size; span *= 2) {
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
  }
}
