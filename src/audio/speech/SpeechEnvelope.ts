/** How loud a clip is over time, and from which level on it counts as speech. */
import type { Pcm } from "../pcm/Pcm.ts"

/** Levels in decibels below full scale, one for each step of `hop` frames. */
export interface Envelope {
  /** Frames from one level to the next: 5 ms. */
  readonly hop: number
  /** `levels[i]` is the RMS of the 10 ms around the frame (i + 0.5) · hop, without its mean (DC); at least -120. */
  readonly levels: Float32Array
}

/** Where speech ends and the clip's background begins, in decibels below full scale. */
export interface SpeechLevels {
  /** The level of the clip's clear speech: the 95th percentile of all that sounds. */
  readonly speech: number
  /** The quietest 50 ms. */
  readonly floor: number
  /** Above it a step counts as sound, and between words as speech. */
  readonly threshold: number
  /** Above it a step is surely speech: the outermost such steps mark where a clip's speech begins and ends. */
  readonly sure: number
}

/** The level of digital silence. */
const silentLevel = -120

/** What is below this level is never speech: dither or a faint hum. */
const faintest = -60
/** A clip with less sound than this many steps (30 ms) has no speech, only a click. */
const leastSteps = 6

/** The envelope of a clip; at least one level, also for a clip of no frames. */
export const envelopeOf = (pcm: Pcm): Envelope => {
  const { samples } = pcm
  const hop = Math.max(1, Math.round(pcm.rate / 200))
  const levels = new Float32Array(Math.max(1, Math.ceil(samples.length / hop)))
  // Each level is made of two halves, of which the later is the earlier of the next.
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
 * The levels that tell speech from background, or undefined where there is no speech at all. The threshold stands 8 dB
 * over the quietest 50 ms, never more than 40 dB and never less than 20 dB below clear speech: so neither a noise
 * floor, nor breath in the pauses, nor a clip without any pause misleads it.
 */
export const speechLevelsOf = (envelope: Envelope): SpeechLevels | undefined => {
  const { levels } = envelope
  const sounding = levels.filter((level) => level > faintest).sort()
  if (sounding.length < leastSteps) return undefined
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
