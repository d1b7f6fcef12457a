/**
 * Voice activity without a trained model: how likely somebody speaks in each 10 ms of a sound. Speech rises over a
 * noise floor in several bands at once, and swells and fades 2 to 8 times a second with its syllables. Steady noise,
 * hum and held notes do neither.
 *
 * The noise floor of each band follows minimum statistics (R. Martin, "Noise power spectral density estimation based on
 * optimal smoothing and minimum statistics", 2001). Its estimate is the level of the band in the pauses between
 * syllables.
 */
import { type BandLevels, bandCount } from "./SoundBands.ts"

/** Speech in a sound, one value per 10 ms. */
export interface SpeechTrack {
  /** How likely somebody speaks: 0 (surely not) to 255. */
  readonly speech: Uint8Array
  /** How much sound is above the noise floor: 0 (none) to 255 (all bands, by 20 dB). */
  readonly presence: Uint8Array
}

/** Steps of a block in which one minimum is taken: 0.5 s. */
const block = 50

/** How many blocks before and after a moment tell its noise floor: 5 s each. */
const around = 10

/** Share of those blocks whose minima lie at or below the noise floor. */
const floorShare = 0.3

/** Levels this far above the floor count as noise; half decibels. */
const margin = 6

/** Levels are counted up to this far above the floor: a scream is no more speech than a word. Half decibels. */
const ceiling = 46

/** Weights of the presence of sound above the floor, and of its modulation, in the probability of speech. */
const presenceWeight = 14
const modulationWeight = 16
const bias = 5.2

/** Finds speech in the band levels of a sound. */
export const speechTrackOf = ({ bands, steps }: BandLevels): SpeechTrack => {
  const rise = presenceOf(bands, steps)
  const syllables = averaged(rise, 3)
  const slow = averaged(rise, 25)
  const swing = new Float32Array(steps)
  for (let t = 0; t < steps; t++) swing[t] = (syllables[t]! - slow[t]!) ** 2
  const modulation = averaged(swing, 40)
  const presence = averaged(rise, 8)
  const speech = new Uint8Array(steps)
  for (let t = 0; t < steps; t++) {
    const sum = presenceWeight * presence[t]! + modulationWeight * Math.sqrt(modulation[t]!) - bias
    speech[t] = 255 / (1 + Math.exp(-sum))
  }
  return { speech, presence: Uint8Array.from(rise, (value) => value * 255) }
}

/** How far the sound is above its noise floor, averaged over the bands: 0 to 1. */
const presenceOf = (bands: Uint8Array, steps: number): Float32Array => {
  const presence = new Float32Array(steps)
  const levels = new Float32Array(steps)
  for (let band = 0; band < bandCount; band++) {
    for (let t = 0; t < steps; t++) levels[t] = bands[t * bandCount + band]!
    const floors = floorsOf(averaged(levels, 2))
    for (let t = 0; t < steps; t++) {
      const over = levels[t]! - floorAt(floors, t) - margin
      presence[t] = presence[t]! + Math.min(Math.max(over, 0), ceiling)
    }
  }
  for (let t = 0; t < steps; t++) presence[t] = presence[t]! / (bandCount * ceiling)
  return presence
}

/** The noise floor of each block. */
const floorsOf = (levels: Float32Array): Float32Array => {
  const count = Math.ceil(levels.length / block)
  const minima = Float32Array.from({ length: count }, (_, k) =>
    levels.subarray(k * block, (k + 1) * block).reduce((least, level) => Math.min(least, level), Infinity)
  )
  return minima.map((_, k) => {
    const near = minima.slice(Math.max(0, k - around), k + around + 1).sort()
    return near[Math.floor((near.length - 1) * floorShare)]!
  })
}

const floorAt = (floors: Float32Array, step: number): number => {
  const at = Math.min(floors.length - 1, Math.max(0, step / block - 0.5))
  const from = Math.floor(at)
  const to = Math.min(floors.length - 1, from + 1)
  return floors[from]! + (floors[to]! - floors[from]!) * (at - from)
}

/** Moving average over `2 * reach + 1` steps; shorter at the ends. */
export const averaged = (values: Float32Array, reach: number): Float32Array => {
  const result = new Float32Array(values.length)
  let sum = 0
  let from = 0
  let to = 0
  for (let t = 0; t < values.length; t++) {
    while (to < values.length && to <= t + reach) sum += values[to++]!
    while (from < t - reach) sum -= values[from++]!
    result[t] = sum / (to - from)
  }
  return result
}
