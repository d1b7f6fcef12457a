/** Where speech begins and ends in a clip, and edges that do not click. */
import { envelopeOf, speechLevelsOf, type Envelope, type SpeechLevels } from "./SpeechEnvelope.ts"
import type { Pcm } from "../pcm/Pcm.ts"

/** A stretch of frames: `to` is past the last one, after `from`. */
export interface Bounds {
  readonly from: number
  readonly to: number
}

/**
 * How much weak sound before and behind sure speech belongs to it, in steps of 5 ms: a soft consonant, a dying vowel.
 */
const leadSteps = 20
const tailSteps = 36

/** How long an edge's fade is where nothing else is asked, in milliseconds. */
export const edgeFade = 3

/** What is known of a clip that has speech. */
export interface SpeechBounds {
  readonly envelope: Envelope
  readonly levels: SpeechLevels
  readonly bounds: Bounds
}

/**
 * The speech of a clip: from its first to its last frame, with a few milliseconds to spare for a fade; undefined where
 * the clip has none. A click or a crackle by itself is no speech; a weak consonant that hangs on to speech is, and so
 * is the burst of a stop shortly before or behind it.
 */
export const speechIn = (pcm: Pcm): SpeechBounds | undefined => {
  const envelope = envelopeOf(pcm)
  const levels = speechLevelsOf(envelope)
  const bounds = levels === undefined ? undefined : boundsWithin(envelope, levels, 0, pcm.samples.length)
  return levels === undefined || bounds === undefined ? undefined : { envelope, levels, bounds }
}

/** The same for the frames from `from` to `to`, by an envelope and levels that are known already. */
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
  const onset = burst(envelope, levels.sure, sounded, first, -1, 10)
  const end = burst(
    envelope,
    levels.sure,
    sustained(envelope, levels.sure, last, first, -1) ?? onset,
    last,
    1,
    24
  )
  const lead = extended(envelope, levels.threshold, onset, first, -1, leadSteps)
  const tail = extended(envelope, levels.threshold, end, last, 1, tailSteps)
  return { from: Math.max(from, (lead - 1) * hop), to: Math.min(to, (tail + 3) * hop) }
}

/**
 * A copy whose first and last `length` frames rise from and fall to zero along a half cosine, so that neither edge is a
 * step. For samples shorter than two fades the fades meet in the middle.
 */
export const fadeOf = (samples: Float32Array, length: number): Float32Array => {
  const result = Float32Array.from(samples)
  fadeEdges(result, length)
  return result
}

/** The same, on the samples themselves. */
export const fadeEdges = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length >> 1)
  for (let i = 0; i < count; i++) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
    samples[i]! *= gain
    samples[samples.length - 1 - i]! *= gain
  }
}

/** The first step from `start` towards `stop` that is speech, with at least 3 of its 10 steps onwards being so. */
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
 * The furthest step that is sure speech, if only for a moment, at most `most` steps from `start`: a final t after its
 * closure.
 */
const burst = (
  { levels }: Envelope,
  sure: number,
  start: number,
  stop: number,
  direction: 1 | -1,
  most: number
): number => {
  let reached = start
  for (let i = start; Math.abs(i - start) <= most && direction * (stop - i) >= 0; i += direction)
    if (levels[i]! > sure) reached = i
  return reached
}

/** The furthest step from `start` that is reached without falling to `level`, at most `most` steps of 5 ms away. */
const extended = (
  { levels }: Envelope,
  level: number,
  start: number,
  stop: number,
  direction: 1 | -1,
  most: number
): number => {
  let reached = start
  for (let i = start; Math.abs(i - start) <= most && direction * (stop - i) >= 0; i += direction) {
    if (levels[i]! <= level) break
    reached = i
  }
  return reached
}
