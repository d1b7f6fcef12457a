/**
 * Aligns two recordings of the same words: finds each moment of one voice in the speech of the other. It compares their
 * spectra as mel cepstra, and stretches one onto the other by dynamic time warping.
 */
import { frameLength, speechSpectra, type Sound, type SpeechSpectra } from "./SpeechSpectra.ts"
import { diagonalCorridor, refinedCorridor, warpPath, type Vectors, type WarpPath } from "./TimeWarping.ts"

/** A sound prepared for alignments. */
export interface SpeechFrames {
  readonly rate: number
  readonly spectra: SpeechSpectra
  /** The frames of speech, without silence at both ends and without the middle of pauses. Never empty. */
  readonly kept: Int32Array
}

/** The alignment of a reference with a clip. */
export interface SpeechAlignment {
  /** Mean distance of both along the path. */
  readonly cost: number
  /** Frames of the reference and of the clip that say the same, from their beginnings to their ends. */
  readonly path: WarpPath
  /** Length of the clip's speech divided by that of the reference. */
  readonly ratio: number
  /** The longest part of the reference for which the path stays at one frame of the clip, in milliseconds. */
  readonly skipped: number
  /** The longest part of the clip for which the path stays at one frame of the reference, in milliseconds. */
  readonly added: number
  /** Aligns a part of each on its own; the ranges [from, to) are frames. Undefined if one of them has no speech. */
  readonly alignWithin: (ofReference: FrameRange, ofClip: FrameRange) => WarpPath | undefined
}

/** A half-open range of frames. */
export interface FrameRange {
  readonly from: number
  readonly to: number
}

/** Frames that are this much weaker than the loudest one are silent, in decibels. */
export const quietLevel = -35
/** Frames of a pause that are kept at each of its ends. */
const pauseEdge = 2

/** Prepares a sound. */
export const speechFrames = (sound: Sound): SpeechFrames => {
  const spectra = speechSpectra(sound)
  return { rate: sound.rate, spectra, kept: framesWithSpeech(spectra.levels) }
}

/** Vocal tracts to try for the reference, from a child's to a tall man's. */
const warps = [0.84, 0.92, 1, 1.08, 1.16]
/** Number of frames that the first, coarse search averages into one. */
const together = 4
/** How far a path may be from the straight line: a share of the longer sound, plus a number of frames. */
const share = 0.35
const least = 20
/** Limit of that distance, in frames of the search. */
const most = 300
/** How far the fine search may leave the path of the coarse one, in frames. */
const reach = 14

/** Aligns a reference with a clip. */
export const alignSpeech = (reference: SpeechFrames, clip: SpeechFrames): SpeechAlignment => {
  const top = 0.475 * Math.min(reference.rate, clip.rate)
  const target = vectors(melCepstra(clip.spectra, clip.kept, { top }))
  const coarseTarget = averaged(target)
  const [rows, columns] = [reference.kept.length, clip.kept.length]
  const longest = Math.ceil(Math.max(rows, columns) / together)
  const corridor = diagonalCorridor(
    Math.ceil(rows / together),
    Math.ceil(columns / together),
    Math.min(most, Math.round(longest * share + least / together))
  )
  const tried = warps.map((warp) => {
    const source = vectors(melCepstra(reference.spectra, reference.kept, { warp, top }))
    return { source, coarse: warpPath(averaged(source), coarseTarget, corridor) }
  })
  const { source, coarse } = tried.reduce((best, one) => (one.coarse.cost < best.coarse.cost ? one : best))
  const fine = warpPath(source, target, refinedCorridor(coarse, together, rows, columns, reach))
  const inFrames = ({ cost, ones, others }: WarpPath, row: number, column: number): WarpPath => ({
    cost,
    ones: ones.map((one) => reference.kept[row + one]!),
    others: others.map((other) => clip.kept[column + other]!)
  })
  return {
    cost: fine.cost,
    path: inFrames(fine, 0, 0),
    ratio: columns / rows,
    skipped: longestRun(fine.others) * frameLength,
    added: longestRun(fine.ones) * frameLength,
    alignWithin: (ofReference, ofClip) => {
      const [row, rowEnd] = [
        firstAtLeast(reference.kept, ofReference.from),
        firstAtLeast(reference.kept, ofReference.to)
      ]
      const [column, columnEnd] = [firstAtLeast(clip.kept, ofClip.from), firstAtLeast(clip.kept, ofClip.to)]
      if (row >= rowEnd || column >= columnEnd) return undefined
      const distance = Math.max(rowEnd - row, columnEnd - column) * share + least
      const path = warpPath(
        slice(source, row, rowEnd),
        slice(target, column, columnEnd),
        diagonalCorridor(rowEnd - row, columnEnd - column, Math.round(Math.min(most, distance)))
      )
      return inFrames(path, row, column)
    }
  }
}

const vectors = (values: Float32Array): Vectors => ({ size: cepstrumSize, values })

const slice = ({ size, values }: Vectors, from: number, to: number): Vectors => ({
  size,
  values: values.subarray(from * size, to * size)
})

/** Averages neighbouring frames for the coarse search. */
const averaged = ({ size, values }: Vectors): Vectors => {
  const count = values.length / size
  const result = new Float32Array(Math.ceil(count / together) * size)
  for (let frame = 0; frame < count; frame++) {
    const group = Math.floor(frame / together)
    const weight = 1 / Math.min(together, count - group * together)
    for (let q = 0; q < size; q++) result[group * size + q]! += values[frame * size + q]! * weight
  }
  return { size, values: result }
}

/** Returns the frames between the first and the last sound, without the middle of longer pauses; at least one. */
const framesWithSpeech = (levels: Float32Array): Int32Array => {
  const isLoud = (level: number) => level >= quietLevel
  const from = Math.max(0, levels.findIndex(isLoud))
  const to = Math.max(from, levels.findLastIndex(isLoud)) + 1
  const kept: Array<number> = []
  for (let frame = from, silence = 0; frame < to; frame++) {
    silence = isLoud(levels[frame]!) ? 0 : silence + 1
    // A pause keeps its first and its last frames.
    if (silence > 2 * pauseEdge) kept.splice(kept.length - pauseEdge, 1)
    kept.push(frame)
  }
  return Int32Array.from(kept)
}

/** Returns the largest number of consecutive steps in which the value does not change. */
const longestRun = (values: Int32Array): number => {
  let [longest, run] = [0, 0]
  for (let k = 1; k < values.length; k++) {
    run = values[k] === values[k - 1] ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/** Returns the index of the first value that is at least `wanted`, or the length if none is. Values ascend. */
export const firstAtLeast = (values: Int32Array, wanted: number): number => {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! >= wanted) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Mel cepstra: the part of a sound's spectrum that depends on the phone, not on the voice's pitch, level and timbre.
 */

/** Values per frame: the cepstrum's coefficients, and the change of each from two frames before to two frames after. */
const cepstrumSize = 26
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
const melCepstra = (
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
