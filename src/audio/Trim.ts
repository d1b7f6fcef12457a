/** Where speech begins and ends in a clip, and edges that do not click. */
import { envelopeOf, speechLevelsOf, type Envelope, type SpeechLevels } from "./Envelope.ts"
import { sliceOf, type Pcm } from "./Pcm.ts"

/** A stretch of frames: `to` is past the last one, after `from`. */
export interface Bounds {
  readonly from: number
  readonly to: number
}

/** How long an edge's fade is where nothing else is asked, in milliseconds. */
export const edgeFade = 3

/**
 * The stretch from the first to the last frame of speech, with a few milliseconds to spare for a fade; undefined where the clip
 * has no speech. A click or a crackle shorter than 15 ms within 50 ms is no speech; a weak consonant that hangs on to
 * speech is.
 */
export const speechBounds = (pcm: Pcm): Bounds | undefined => {
  const envelope = envelopeOf(pcm)
  const levels = speechLevelsOf(envelope)
  return levels === undefined ? undefined : boundsWithin(envelope, levels, 0, pcm.samples.length)
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
  const onset = sustained(envelope, levels.threshold, first, last, 1)
  if (onset === undefined) return undefined
  const end = sustained(envelope, levels.threshold, last, first, -1) ?? onset
  const weak = Math.min(levels.threshold, levels.floor + 4)
  const lead = extended(envelope, weak, onset, first, -1)
  const tail = extended(envelope, weak, end, last, 1)
  return { from: Math.max(from, (lead - 1) * hop), to: Math.min(to, (tail + 3) * hop) }
}

/** The clip without its outer silence, its edges faded; unchanged, as a copy, where it has no speech. */
export const trimmed = (pcm: Pcm): Pcm => {
  const bounds = speechBounds(pcm) ?? { from: 0, to: pcm.samples.length }
  const cut = sliceOf(pcm, bounds.from, bounds.to)
  return { rate: pcm.rate, samples: faded(cut.samples, Math.round((pcm.rate * edgeFade) / 1000)) }
}

/**
 * A copy whose first and last `length` frames rise from and fall to zero along a half cosine, so that neither edge is a
 * step. For samples shorter than two fades the fades meet in the middle.
 */
export const faded = (samples: Float32Array, length: number): Float32Array => {
  const result = Float32Array.from(samples)
  const count = Math.min(length, result.length >> 1)
  for (let i = 0; i < count; i++) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
    result[i]! *= gain
    result[result.length - 1 - i]! *= gain
  }
  return result
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

/** The furthest step from `start` that is reached without falling to `level`, at most 20 steps (100 ms) away. */
const extended = (
  { levels }: Envelope,
  level: number,
  start: number,
  stop: number,
  direction: 1 | -1
): number => {
  let reached = start
  for (let i = start; Math.abs(i - start) <= 20 && direction * (stop - i) >= 0; i += direction) {
    if (levels[i]! <= level) break
    reached = i
  }
  return reached
}
