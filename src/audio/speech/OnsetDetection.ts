/** Where speech is heard in a finished programme, by its level alone: for checking a delivery against its report. */

/** How many levels a second are kept: one for each 5 ms. */
const levelsPerSecond = 200

/**
 * Below this level, in decibels under full scale, nothing is heard: between clips there is digital silence or dither.
 */
const audible = -50

/** Levels of a stream of samples, one for each 5 ms, in memory of 4 bytes each. */
export class LevelTrack {
  private levels = new Float32Array(4096)
  private count = 0
  private squares = 0
  private taken = 0
  private readonly hop: number

  /** `rate` is the stream's, in hertz; a multiple of 200 keeps steps exact. */
  constructor(rate: number) {
    this.hop = Math.round(rate / levelsPerSecond)
  }

  /** Takes the next samples, mono. */
  push(samples: Float32Array): void {
    for (let i = 0; i < samples.length; i++) {
      this.squares += samples[i]! * samples[i]!
      if (++this.taken === this.hop) this.step()
    }
  }

  /** All levels so far, in decibels under full scale, -120 for digital silence. */
  track(): Float32Array {
    return this.levels.subarray(0, this.count)
  }

  private step(): void {
    if (this.count === this.levels.length) {
      const larger = new Float32Array(this.levels.length * 2)
      larger.set(this.levels)
      this.levels = larger
    }
    const power = this.squares / this.taken
    this.levels[this.count++] = power > 1e-12 ? 10 * Math.log10(power) : -120
    this.squares = 0
    this.taken = 0
  }
}

/** What is heard where a report says that a cue is. Times are milliseconds. */
export type DetectedSpeech =
  /** Speech begins at `at` after silence. */
  | { readonly heard: "onset"; readonly at: number }
  /** Speech is there, but other speech goes right before it, so that its onset cannot be told by level. */
  | { readonly heard: "joined" }
  | { readonly heard: "nothing" }

/** How far from its place an onset is looked for, in steps of 5 ms: 400 ms. */
const reach = 80

/** Silence before an onset, in steps: 25 ms. */
const quiet = 5

/**
 * What is heard for a cue reported from `start` to `end` (milliseconds): the onset nearest to its start, if there is
 * speech in at least a fifth of its time.
 */
export const detectSpeech = (levels: Float32Array, start: number, end: number): DetectedSpeech => {
  const first = Math.max(0, Math.round((start * levelsPerSecond) / 1000))
  const last = Math.max(first + 1, Math.round((end * levelsPerSecond) / 1000))
  let loud = 0
  for (let i = first; i < last; i++) if (levels[i]! > audible) loud++
  if (loud * 5 < last - first) return { heard: "nothing" }
  for (let away = 0; away <= reach; away++) {
    for (const at of away === 0 ? [first] : [first - away, first + away]) {
      if (isOnset(levels, at)) return { heard: "onset", at: (at * 1000) / levelsPerSecond }
    }
  }
  return { heard: "joined" }
}

const isOnset = (levels: Float32Array, at: number): boolean => {
  if (at < 0 || at >= levels.length || levels[at]! <= audible) return false
  for (let i = Math.max(0, at - quiet); i < at; i++) if (levels[i]! > audible) return false
  return true
}
