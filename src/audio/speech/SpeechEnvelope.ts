/** Speech envelope: level of a clip over time, and the thresholds above which it counts as speech. */
import type { Pcm } from "../pcm/Pcm.ts"

/** Levels in dBFS, one per step of `hop` frames. */
export interface Envelope {
  /** Frames per step: 5 ms. */
  readonly hop: number
  /** `levels[i]` is the RMS of the 10 ms around the frame (i + 0.5) · hop, without DC; at least -120. */
  readonly levels: Float32Array
}

/** Levels that separate speech from background, in dBFS. */
export interface SpeechLevels {
  /** The level of clear speech: the 95th percentile of all audible steps. */
  readonly speech: number
  /** The quietest 50 ms. */
  readonly floor: number
  /** Above it, a step counts as sound, and between words as speech. */
  readonly threshold: number
  /** Above it, a step is certainly speech. The outermost such steps mark the beginning and end of a clip's speech. */
  readonly sure: number
}

/** The level of digital silence. */
const silentLevel = -120

/** Anything below this level is never speech: dither or faint hum. */
const faintest = -60
/** A clip with fewer audible steps than this (30 ms) has no speech, only a click. */
const minSteps = 6

/** Computes the envelope of a clip; at least one level, even for an empty clip. */
export const envelopeOf = (pcm: Pcm): Envelope => {
  const { samples } = pcm
  const hop = Math.max(1, Math.round(pcm.rate / 200))
  const levels = new Float32Array(Math.max(1, Math.ceil(samples.length / hop)))
  // Each level spans two halves; its later half is the next level's earlier one.
  let earlier = { from: 0, sum: 0, squares: 0 }
  let at = 0
  for (let half = 0; half <= levels.length; half++) {
    const from = at
    const to = Math.min(samples.length, Math.round((half + 0.5) * hop))
    let sum = 0
    let squares = 0
    for (; at < to; at++) {
      const sample = samples[at]!
      sum += sample
      squares += sample * sample
    }
    if (half > 0) {
      const count = Math.max(1, at - earlier.from)
      const power = (earlier.squares + squares) / count - ((earlier.sum + sum) / count) ** 2
      levels[half - 1] = power > 1e-12 ? 10 * Math.log10(power) : silentLevel
    }
    earlier = { from, sum, squares }
  }
  return { hop, levels }
}

/**
 * Computes the levels that separate speech from background; undefined if there is no speech. The threshold is 8 dB
 * above the quietest 50 ms, but always 20 to 40 dB below clear speech. So noise floors, breath in pauses, and clips
 * without any pause do not mislead it.
 */
export const speechLevelsOf = (envelope: Envelope): SpeechLevels | undefined => {
  const { levels } = envelope
  const sounding = levels.filter((level) => level > faintest).sort()
  if (sounding.length < minSteps) return undefined
  const speech = sounding[Math.floor((sounding.length - 1) * 0.95)]!
  let floor = speech
  const span = Math.min(10, levels.length)
  let sum = 0
  for (let i = 0; i < levels.length; i++) {
    sum += levels[i]!
    if (i >= span) sum -= levels[i - span]!
    if (i >= span - 1) floor = Math.min(floor, sum / span)
  }
  const threshold = Math.max(speech - 40, Math.min(floor + 8, speech - 20))
  return { speech, floor, threshold, sure: Math.max(threshold, speech - 32) }
}
