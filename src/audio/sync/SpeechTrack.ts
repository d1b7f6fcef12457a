/**
 * Voice activity without a trained model: how likely somebody speaks in each 10 ms of a sound. Speech rises over a
 * noise floor in several bands at once, and swells and fades 2 to 8 times a second with its syllables. Steady noise,
 * hum and held notes do neither.
 *
 * The noise floor of each band follows minimum statistics (R. Martin, "Noise power spectral density estimation based on
 * optimal smoothing and minimum statistics", 2001). Its estimate is the level of the band in the pauses between
 * syllables.
 */
import { type BandLevels, bandCount, SoundBands } from "./SoundBands.ts"

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
const maxAbove = 92

/** Weights of the presence of sound above the floor, and of its modulation, in the probability of speech. */
const presenceWeight = 14
const modulationWeight = 16
const bias = 5.2

/** Finds speech in the band levels of a sound. */
export const speechTrackOf = (levels: BandLevels): SpeechTrack => {
  const rises = new Rises()
  rises.advance(levels, true)
  return trackOf(rises, levels.steps)
}

/** Finds speech in a stream of samples: most of the work is done while they arrive. */
export class SpeechTracker {
  private readonly sound = new SoundBands()
  private readonly rises = new Rises()

  /** Takes the next mono samples at `soundRate`. */
  push(samples: Float32Array): void {
    this.sound.push(samples)
    this.rises.advance(this.sound.measured(), false)
  }

  /** Returns the speech of all samples; there must be no more. */
  finish(): SpeechTrack {
    const levels = this.sound.result()
    this.rises.advance(levels, true)
    return trackOf(this.rises, levels.steps)
  }
}

const trackOf = (rises: Rises, steps: number): SpeechTrack => {
  const rise = rises.presence.subarray(0, steps)
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
  return { speech, presence: risen, above: rises.above.subarray(0, steps * bandCount) }
}

/** Levels are averaged over this many steps before and after each before their minimum is taken. */
const blur = 2

/** How far a sound is above its noise floor: in each band, and averaged over the bands, from 0 to 1. */
class Rises {
  presence = new Float32Array(0)
  above = new Uint8Array(0)
  /** Steps of `presence` and `above` that are known. */
  private steps = 0
  /** The lowest level of each band in each block, and the noise floor: `floors[block * bandCount + band]`. */
  private minima = new Float32Array(0)
  private floors = new Float32Array(0)
  private floorCount = 0
  private readonly near = Array.from({ length: bandCount }, () => new SortedWindow(2 * around + 1))
  /** The next block of which the minima enter `near`, less `around`. */
  private nextBlock = -around
  /** The sums of the levels around a step, and the next step. */
  private readonly sums = new Int32Array(bandCount)
  private nextStep = -blur

  /** Goes as far as the levels of a sound allow; `isEnd` if there will be no more. */
  advance({ bands, steps }: BandLevels, isEnd: boolean): void {
    const blocks = Math.ceil(steps / block)
    if (steps > this.presence.length) {
      const larger = isEnd ? steps : 2 * steps
      this.presence = enlarged(this.presence, new Float32Array(larger))
      this.above = enlarged(this.above, new Uint8Array(larger * bandCount))
      const lengthOfFloors = Math.ceil(larger / block) * bandCount
      this.minima = enlarged(this.minima, new Float32Array(lengthOfFloors).fill(Infinity))
      this.floors = enlarged(this.floors, new Float32Array(lengthOfFloors))
    }
    const averagedSteps = isEnd ? steps : steps - blur
    this.findMinima(bands, steps, averagedSteps)
    const full = isEnd ? blocks : Math.floor(averagedSteps / block)
    this.findFloors(full, isEnd ? blocks : full - around)
    // Up to the middle of the last floor's block, both floors around a step are known.
    this.findRises(bands, isEnd ? steps : (this.floorCount - 0.5) * block)
  }

  private findMinima(bands: Uint8Array, steps: number, until: number): void {
    const { minima, sums } = this
    for (; this.nextStep < until; this.nextStep++) {
      const t = this.nextStep
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
  }

  /** Finds the floors of the blocks before `until`, from the minima of `full` blocks. */
  private findFloors(full: number, until: number): void {
    const { minima, near, floors } = this
    for (; this.nextBlock < until; this.nextBlock++) {
      const k = this.nextBlock
      for (let band = 0; band < bandCount; band++) {
        const window = near[band]!
        if (k + around < full) window.insert(minima[(k + around) * bandCount + band]!)
        if (k - around > 0) window.remove(minima[(k - around - 1) * bandCount + band]!)
        if (k >= 0) floors[k * bandCount + band] = window.quantile(floorShare)
      }
      if (k >= 0) this.floorCount++
    }
  }

  private findRises(bands: Uint8Array, until: number): void {
    const { above, presence, floors, floorCount } = this
    for (let at = this.steps * bandCount; this.steps < until; this.steps++) {
      const t = this.steps
      // Between the middles of two blocks, the floor is interpolated linearly.
      const k = Math.min(floorCount - 1, Math.max(0, Math.floor(t / block - 0.5))) * bandCount
      const next = k + bandCount < floorCount * bandCount ? k + bandCount : k
      const share = Math.max(0, t / block - 0.5 - k / bandCount)
      let sum = 0
      for (let band = 0; band < bandCount; band++, at++) {
        const floor = floors[k + band]!
        const over = bands[at]! - margin - floor - share * (floors[next + band]! - floor)
        if (over <= 0) continue
        sum += over < ceiling ? over : ceiling
        above[at] = over < maxAbove ? over : maxAbove
      }
      presence[t] = sum / (bandCount * ceiling)
    }
  }
}

const enlarged = <A extends Float32Array | Uint8Array>(values: A, larger: A): A => {
  larger.set(values)
  return larger
}

/** The values of a moving window, in ascending order. */
class SortedWindow {
  private readonly values: Float32Array
  private count = 0

  constructor(most: number) {
    // A value enters before one leaves.
    this.values = new Float32Array(most + 1)
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
