/** Speech trimming: finds the beginning and end of speech in a clip, and fades edges so that they do not click. */
import { envelopeOf, speechLevelsOf, type Envelope, type SpeechLevels } from "./SpeechEnvelope.ts"
import type { Pcm } from "../pcm/Pcm.ts"

/** A half-open range of frames: [from, to), never empty. */
export interface Bounds {
  readonly from: number
  readonly to: number
}

/**
 * How much weak sound before and after certain speech belongs to it, in steps of 5 ms: a soft consonant, a fading
 * vowel.
 */
const leadSteps = 20
const tailSteps = 36

/** Default duration of an edge fade, in milliseconds. */
export const edgeFade = 3

/** A clip's envelope, levels, and range of speech. */
export interface SpeechBounds {
  readonly envelope: Envelope
  readonly levels: SpeechLevels
  readonly bounds: Bounds
}

/**
 * Finds the speech of a clip, from its first to its last frame, with a few milliseconds to spare for fades. Undefined
 * if there is none. A click or crackle on its own is not speech. A weak consonant attached to speech is, and so is the
 * burst of a stop shortly before or after it.
 */
export const speechIn = (pcm: Pcm): SpeechBounds | undefined => {
  const envelope = envelopeOf(pcm)
  const levels = speechLevelsOf(envelope)
  const bounds = levels === undefined ? undefined : boundsWithin(envelope, levels, 0, pcm.samples.length)
  return levels === undefined || bounds === undefined ? undefined : { envelope, levels, bounds }
}

/** Like `speechIn`, for the frames from `from` to `to`, with the given envelope and levels. */
export const boundsWithin = (
  envelope: Envelope,
  levels: SpeechLevels,
  from: number,
  to: number
): Bounds | undefined => {
  const { hop } = envelope
  const first = Math.max(0, Math.floor(from / hop))
  const last = Math.min(envelope.levels.length, Math.ceil(to / hop)) - 1
  const sounded = sustained(envelope, levels.sure, first, last, 1)
  if (sounded === undefined) return undefined
  const onset = furthest(envelope, levels.sure, sounded, first, -1, 10, true)
  const end = furthest(
    envelope,
    levels.sure,
    sustained(envelope, levels.sure, last, first, -1) ?? onset,
    last,
    1,
    24,
    true
  )
  const lead = furthest(envelope, levels.threshold, onset, first, -1, leadSteps, false)
  const tail = furthest(envelope, levels.threshold, end, last, 1, tailSteps, false)
  return { from: Math.max(from, (lead - 1) * hop), to: Math.min(to, (tail + 3) * hop) }
}

/**
 * Returns a copy whose first and last `length` frames are faded along a half cosine, so that neither edge is a step. If
 * the samples are shorter than two fades, the fades meet in the middle.
 */
export const fadeOf = (samples: Float32Array, length: number): Float32Array => {
  const result = Float32Array.from(samples)
  fadeEdges(result, length)
  return result
}

/** Like `fadeOf`, in place. */
export const fadeEdges = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length >> 1)
  for (let i = 0; i < count; i++) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
    samples[i]! *= gain
    samples[samples.length - 1 - i]! *= gain
  }
}

/**
 * Returns the first step, from `start` towards `stop`, that begins sustained sound. Of the 10 steps that begin with it,
 * it and at least 2 others are above the threshold.
 */
const sustained = (
  { levels }: Envelope,
  threshold: number,
  start: number,
  stop: number,
  direction: 1 | -1
): number | undefined => {
  for (let i = start; direction * (stop - i) >= 0; i += direction) {
    if (levels[i]! <= threshold) continue
    let active = 0
    let seen = 0
    for (let j = i; seen < 10 && direction * (stop - j) >= 0; j += direction, seen++)
      if (levels[j]! > threshold) active++
    if (active >= Math.min(3, seen)) return i
  }
  return undefined
}

/**
 * Returns the furthest step above a level, at most `most` steps of 5 ms from `start`. Unless `overGaps` is set, every
 * step up to it is above the level, too. With it, the step may be a mere moment of speech: a final t after its closure.
 */
const furthest = (
  { levels }: Envelope,
  level: number,
  start: number,
  stop: number,
  direction: 1 | -1,
  most: number,
  overGaps: boolean
): number => {
  let reached = start
  for (let i = start; Math.abs(i - start) <= most && direction * (stop - i) >= 0; i += direction) {
    if (levels[i]! > level) reached = i
    else if (!overGaps) break
  }
  return reached
}
