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
  const risen = new Uint8Array(steps)
  for (let t = 0; t < steps; t++) risen[t] = rise[t]! * 255
  return { speech, presence: risen, above }
}

/** How far the sound is above its noise floor: in each band, and averaged over the bands, from 0 to 1. */
const presenceOf = (bands: Uint8Array, steps: number) => {
  const above = new Uint8Array(steps * bandCount)
  const presence = new Float32Array(steps)
  const floors = floorsOf(bands, steps)
  const blocks = floors.length / bandCount
  for (let t = 0, at = 0; t < steps; t++) {
    // Between the middles of two blocks, the floor is interpolated linearly.
    const k = Math.min(blocks - 1, Math.max(0, Math.floor(t / block - 0.5))) * bandCount
    const next = k + bandCount < floors.length ? k + bandCount : k
    const share = Math.max(0, t / block - 0.5 - k / bandCount)
    let sum = 0
    for (let band = 0; band < bandCount; band++, at++) {
      const floor = floors[k + band]!
      const over = bands[at]! - margin - floor - share * (floors[next + band]! - floor)
      if (over <= 0) continue
      sum += over < ceiling ? over : ceiling
      above[at] = over < highestAbove ? over : highestAbove
    }
    presence[t] = sum / (bandCount * ceiling)
  }
  return { presence, above }
}

/** Levels are averaged over this many steps before and after each before their minimum is taken. */
const blur = 2

/** The noise floor of each band in each block: `floors[block * bandCount + band]`. */
const floorsOf = (bands: Uint8Array, steps: number): Float32Array => {
  const blocks = Math.ceil(steps / block)
  const minima = new Float32Array(blocks * bandCount).fill(Infinity)
  const sums = new Int32Array(bandCount)
  for (let t = -blur; t < steps; t++) {
    const entering = (t + blur) * bandCount
    const leaving = (t - blur - 1) * bandCount
    const count = Math.min(steps, t + blur + 1) - Math.max(0, t - blur)
    const into = Math.floor(t / block) * bandCount
    for (let band = 0; band < bandCount; band++) {
      let sum = sums[band]!
      if (entering < bands.length) sum += bands[entering + band]!
      if (leaving >= 0) sum -= bands[leaving + band]!
      sums[band] = sum
      if (t >= 0 && sum < minima[into + band]! * count) minima[into + band] = sum / count
    }
  }
  const floors = new Float32Array(minima.length)
  const near = new SortedWindow(2 * around + 1)
  for (let band = 0; band < bandCount; band++) {
    near.clear()
    for (let k = -around; k < blocks; k++) {
      if (k + around < blocks) near.insert(minima[(k + around) * bandCount + band]!)
      if (k - around > 0) near.remove(minima[(k - around - 1) * bandCount + band]!)
      if (k >= 0) floors[k * bandCount + band] = near.quantile(floorShare)
    }
  }
  return floors
}

/** The values of a moving window, in ascending order. */
class SortedWindow {
  private readonly values: Float32Array
  private count = 0

  constructor(most: number) {
    // A value enters before one leaves.
    this.values = new Float32Array(most + 1)
  }

  clear(): void {
    this.count = 0
  }

  insert(value: number): void {
    let at = this.count++
    for (; at > 0 && this.values[at - 1]! > value; at--) this.values[at] = this.values[at - 1]!
    this.values[at] = value
  }

  /** Removes a value that was inserted. */
  remove(value: number): void {
    let at = 0
    while (this.values[at]! < value) at++
    this.count--
    for (; at < this.count; at++) this.values[at] = this.values[at + 1]!
  }

  quantile(share: number): number {
    return this.values[Math.floor((this.count - 1) * share)]!
  }
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
