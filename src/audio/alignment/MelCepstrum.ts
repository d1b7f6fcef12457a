/**
 * Mel cepstra: the part of a sound's spectrum that depends on the phone, not on the voice's pitch, level and timbre.
 */
import type { SpeechSpectra } from "./SpeechSpectra.ts"

/** Values per frame: the cepstrum's coefficients, and the change of each from two frames before to two frames after. */
export const cepstrumSize = 26
const own = 13
const around = 2
const bandCount = 26
/** The bands' lowest and highest edge, in hertz. */
const lowest = 80
const highest = 7_600
/** Weights of the first coefficient, which is the level, and of the changes. */
const levelWeight = 1.5
const changeWeight = 0.5
/** Bands that are this much weaker than the loudest one count as silent. */
const floor = 1e-8

/**
 * Returns the cepstra of some frames, at `index * cepstrumSize`. Over these frames, each coefficient has a mean of 0
 * and a fixed deviation. `warp` shifts the bands, as a longer or shorter vocal tract shifts the formants; 1 leaves
 * them. `top` is the highest frequency that both sounds of a comparison have.
 */
export const melCepstra = (
  spectra: SpeechSpectra,
  kept: Int32Array,
  { warp = 1, top = highest }: { readonly warp?: number; readonly top?: number } = {}
): Float32Array => {
  const bands = melBands(spectra, warp, Math.min(highest, top))
  const logs = new Float32Array(kept.length * bandCount)
  let loudest = 1e-30
  for (let index = 0; index < kept.length; index++) {
    const from = kept[index]! * spectra.bins
    for (let band = 0; band < bandCount; band++) {
      const { first, weights } = bands[band]!
      let sum = 0
      for (let k = 0; k < weights.length; k++) sum += weights[k]! * spectra.power[from + first + k]!
      logs[index * bandCount + band] = sum
      if (sum > loudest) loudest = sum
    }
  }
  for (let k = 0; k < logs.length; k++) logs[k] = Math.log(logs[k]! + loudest * floor)
  const cepstra = new Float32Array(kept.length * cepstrumSize)
  for (let index = 0; index < kept.length; index++)
    for (let q = 0; q < own; q++) {
      let sum = 0
      for (let band = 0; band < bandCount; band++)
        sum += cosines[q * bandCount + band]! * logs[index * bandCount + band]!
      cepstra[index * cepstrumSize + q] = sum
    }
  for (let index = 0; index < kept.length; index++) {
    const [before, after] = [Math.max(0, index - around), Math.min(kept.length - 1, index + around)]
    for (let q = 0; q < own; q++)
      cepstra[index * cepstrumSize + own + q] =
        cepstra[after * cepstrumSize + q]! - cepstra[before * cepstrumSize + q]!
  }
  normalize(cepstra)
  return cepstra
}

/** The discrete cosine transform. */
const cosines = Float32Array.from({ length: own * bandCount }, (_, k) =>
  Math.cos((Math.PI * Math.floor(k / bandCount) * ((k % bandCount) + 0.5)) / bandCount)
)

/** Gives each coefficient a mean of 0 and a deviation of 1. The level's deviation is larger. */
const normalize = (cepstra: Float32Array): void => {
  const count = Math.max(1, cepstra.length / cepstrumSize)
  for (let q = 0; q < cepstrumSize; q++) {
    let [sum, squares] = [0, 0]
    for (let at = q; at < cepstra.length; at += cepstrumSize) {
      sum += cepstra[at]!
      squares += cepstra[at]! ** 2
    }
    const mean = sum / count
    const scale = weightOf(q) / Math.sqrt(Math.max(1e-6, squares / count - mean * mean))
    for (let at = q; at < cepstra.length; at += cepstrumSize) cepstra[at] = (cepstra[at]! - mean) * scale
  }
}

const weightOf = (q: number): number => (q >= own ? changeWeight : q === 0 ? levelWeight : 1)

/** A triangular band: the weights of its bins. */
interface MelBand {
  readonly first: number
  readonly weights: Float32Array
}

const melBands = ({ bins, step }: SpeechSpectra, warp: number, top: number): ReadonlyArray<MelBand> => {
  const [low, high] = [melOf(lowest), melOf(top)]
  const edge = (band: number) =>
    Math.min(bins - 1, (hertzOf(low + ((high - low) * band) / (bandCount + 1)) * warp) / step)
  return Array.from({ length: bandCount }, (_, band) => {
    const [from, middle, to] = [edge(band), edge(band + 1), edge(band + 2)]
    const first = Math.floor(from)
    const weights = Float32Array.from({ length: Math.ceil(to) - first + 1 }, (_, k) => {
      const bin = first + k
      const [rise, fall] = [(bin - from) / (middle - from + 1e-6), (to - bin) / (to - middle + 1e-6)]
      return first + k >= bins ? 0 : Math.max(0, Math.min(rise, fall))
    })
    return { first, weights }
  })
}

const melOf = (hertz: number): number => 2_595 * Math.log10(1 + hertz / 700)
const hertzOf = (mel: number): number => 700 * (10 ** (mel / 2_595) - 1)
