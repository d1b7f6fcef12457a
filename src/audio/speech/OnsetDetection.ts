/**
 * Onset detection: finds where speech is heard in a finished programme, by level alone. Used to verify a delivery
 * against its report.
 */

/** Levels per second: one per 5 ms. */
const levelsPerSecond = 200

/** Below this level, in dBFS, nothing is audible: between clips there is digital silence or dither. */
const audible = -50

/** Level of a sample stream, one value per 5 ms; 4 bytes of memory each. */
export class LevelTrack {
  private levels = new Float32Array(4096)
  private count = 0
  private squares = 0
  private taken = 0
  private readonly hop: number

  /** `rate` is the stream's, in hertz; with a multiple of 200, steps are exactly 5 ms. */
  constructor(rate: number) {
    this.hop = Math.round(rate / levelsPerSecond)
  }

  /** Takes the next mono samples. */
  push(samples: Float32Array): void {
    for (let i = 0; i < samples.length; i++) {
      this.squares += samples[i]! * samples[i]!
      if (++this.taken === this.hop) this.step()
    }
  }

  /** Returns all levels so far, in dBFS; -120 for digital silence. */
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

/** The sound at the place of a cue in a report. Times are milliseconds. */
export type DetectedSpeech =
  /** Speech begins at `at` after silence. */
  | { readonly heard: "onset"; readonly at: number }
  /** Speech is there, but other speech directly precedes it, so its onset cannot be detected by level. */
  | { readonly heard: "joined" }
  | { readonly heard: "nothing" }

/** How far from its reported place an onset is searched, in steps of 5 ms: 400 ms. */
const reach = 80

/** Required silence before an onset, in steps of 5 ms: 25 ms. */
const quiet = 5

/**
 * Detects the speech of a cue reported from `start` to `end` (milliseconds). Returns the onset nearest to `start`, if
 * at least a fifth of the cue's time is audible.
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
