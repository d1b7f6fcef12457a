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
  /** How far each band is above its noise floor, in half decibels: `above[step * bandCount + band]`. */
  readonly above: Uint8Array
}

/** Steps of a block in which one minimum is taken: 0.5 s. */
const block = 50

/** Number of blocks before a moment, and after it, that determine its noise floor: 5 s each. */
const around = 10

/** Share of those blocks whose minima are at or below the noise floor. */
const floorShare = 0.3

/** Levels this far above the floor count as noise; half decibels. */
const margin = 6

/**
 * Levels count only up to this far above the floor, in half decibels. Otherwise, a scream would count more than a word.
 */
const ceiling = 46
const highestAbove = 92

/** Weights of the presence of sound above the floor, and of its modulation, in the probability of speech. */
const presenceWeight = 14
const modulationWeight = 16
const bias = 5.2

/** Finds speech in the band levels of a sound. */
export const speechTrackOf = ({ bands, steps }: BandLevels): SpeechTrack => {
  const { presence: rise, above } = presenceOf(bands, steps)
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
  return { speech, presence: Uint8Array.from(rise, (value) => value * 255), above }
}

/** How far the sound is above its noise floor: in each band, and averaged over the bands, from 0 to 1. */
const presenceOf = (bands: Uint8Array, steps: number) => {
  const above = new Uint8Array(steps * bandCount)
  const presence = new Float32Array(steps)
  const levels = new Float32Array(steps)
  for (let band = 0; band < bandCount; band++) {
    for (let t = 0, at = band; t < steps; t++, at += bandCount) levels[t] = bands[at]!
    const floors = floorsOf(averaged(levels, 2))
    for (let k = 0; k < floors.length; k++) {
      // Between the middles of two blocks, the floor is interpolated linearly.
      const middle = (k + 0.5) * block
      const until = k + 1 === floors.length ? steps : Math.min(steps, middle + block)
      const first = floors[k]! + margin
      const slope = ((floors[k + 1] ?? floors[k]!) - floors[k]!) / block
      for (let t = k === 0 ? 0 : middle; t < until; t++) {
        const over = levels[t]! - first - (t > middle ? slope * (t - middle) : 0)
        if (over <= 0) continue
        presence[t] = presence[t]! + (over < ceiling ? over : ceiling)
        above[t * bandCount + band] = over < highestAbove ? over : highestAbove
      }
    }
  }
  for (let t = 0; t < steps; t++) presence[t] = presence[t]! / (bandCount * ceiling)
  return { presence, above }
}

/** The noise floor of each block. */
const floorsOf = (levels: Float32Array): Float32Array => {
  const minima = new Float32Array(Math.ceil(levels.length / block)).fill(Infinity)
  for (let t = 0, k = 0, next = block; t < levels.length; t++) {
    if (t === next) [k, next] = [k + 1, next + block]
    if (levels[t]! < minima[k]!) minima[k] = levels[t]!
  }
  return minima.map((_, k) => {
    const near = minima.slice(Math.max(0, k - around), k + around + 1).sort()
    return near[Math.floor((near.length - 1) * floorShare)]!
  })
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
