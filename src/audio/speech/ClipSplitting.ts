/**
 * Clip splitting: cuts a clip of several parts into one segment each. It never cuts inside a word; if unsure, it does
 * not cut.
 */
import { Segment, type CutMethod } from "../../domain/speech/Clip.ts"
import { Frames, Lufs, type Millis } from "../../domain/time/Units.ts"
import type { Envelope, SpeechLevels } from "./SpeechEnvelope.ts"
import { peakOf, sliceOf, type Pcm } from "../pcm/Pcm.ts"
import { endsByPauses, pausesOf } from "./Pauses.ts"
import { boundsWithin, speechIn, type Bounds, type SpeechBounds } from "./SpeechTrim.ts"
import { isQuietBetween, markMissingParts, type Expected } from "./MissingParts.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { LoudnessMeter } from "../level/LoudnessMeter.ts"

/**
 * Returns the integrated loudness in LUFS, at least -70. A clip shorter than one gating block of 400 ms is measured as
 * if padded with silence to that length.
 */
export const loudnessOf = (pcm: Pcm): Lufs => {
  const meter = new LoudnessMeter(pcm.rate, 1)
  meter.push(pcm.samples)
  const missing = Math.round(pcm.rate * 0.4) - pcm.samples.length
  if (missing > 0) meter.push(new Float32Array(missing))
  return Lufs.make(meter.integrated())
}

/** Hints for splitting a clip. */
export interface CutHints {
  /**
   * The times of the parts according to a transcript, one entry per part, in order. Undefined for a part missing from
   * the transcript.
   */
  readonly expected?: ReadonlyArray<Expected | undefined>
  /** The times of the parts according to an alignment of the clip with the text, one entry per part, in order. */
  readonly aligned?: ReadonlyArray<Expected>
  /** The words of each part, in order. */
  readonly said?: ReadonlyArray<string>
}

/**
 * A clip's segments in order, each trimmed to its speech, and empty for a part that is not spoken. A single segment if
 * the parts could not be separated.
 */
export interface Cut {
  readonly segments: readonly [Segment, ...Array<Segment>]
  readonly cut: CutMethod
}

/**
 * Splits a clip into `parts` parts, at least 1.
 *
 * With times from a transcript, each cut moves to the quietest point near them. Times from an alignment are used
 * unchanged, because the quietest point may be inside a consonant. Without usable times, cuts go to the pauses that the
 * punctuation suggests. If those are ambiguous, the parts stay together. A clip without speech is one segment from end
 * to end. `speech` is the clip's own; pass it if already computed.
 */
export const splitClip = (pcm: Pcm, parts: number, hints: CutHints = {}, speech = speechIn(pcm)): Cut => {
  if (speech === undefined)
    return {
      segments: [segmentOf(pcm, { from: 0, to: pcm.samples.length })],
      cut: parts === 1 ? "whole" : "together"
    }
  if (parts === 1) return { segments: [segmentOf(pcm, speech.bounds)], cut: "whole" }

  const { envelope, levels } = speech
  const length = pcm.samples.length
  const between = (points: ReadonlyArray<number>) => {
    const edges = [0, ...points, length]
    const bounds = [...points, length].map((to, part) => boundsWithin(envelope, levels, edges[part]!, to))
    return bounds.every((bound) => bound !== undefined) ? bounds : undefined
  }
  const times = hints.expected?.length === parts ? hints.expected : []
  const expected = times.filter((time) => time !== undefined)
  if (expected.length > 0 && expected.length < parts && isQuietBetween(pcm, speech, times)) {
    const known = splitClip(pcm, expected.length, { expected }, speech)
    if (known.cut !== "together")
      return { segments: markMissingParts(times, known.segments), cut: "transcript" }
  }
  const announced = expected.length === parts ? transcriptPoints(pcm, envelope, levels, expected) : undefined
  const byTranscript = announced === undefined ? undefined : between(announced)
  if (announced !== undefined && byTranscript !== undefined) {
    const edges = [0, ...announced, length]
    const bounds = byTranscript.map((bound, part) => {
      const time = expected[part]!
      const frameAt = (position: Millis) =>
        Math.max(edges[part]!, Math.min(edges[part + 1]!, Math.round((position * pcm.rate) / 1000)))
      return widened(bound, frameAt(time.start), frameAt(time.end), Math.round(pcm.rate * trusted))
    })
    return { segments: segmentsAt(pcm, bounds), cut: "transcript" }
  }

  const middles = hints.aligned?.length === parts ? alignedPoints(pcm, hints.aligned) : undefined
  const byAlignment = middles === undefined ? undefined : between(middles)
  if (byAlignment !== undefined) return { segments: segmentsAt(pcm, byAlignment), cut: "alignment" }

  const heard = hints.said?.length === parts ? endsByPauses(speech, hints.said) : undefined
  const bySilence = heard === undefined ? undefined : between(heard.map((step) => step * envelope.hop))
  if (bySilence !== undefined) return { segments: segmentsAt(pcm, bySilence), cut: "silence" }
  return { segments: [segmentOf(pcm, speech.bounds)], cut: "together" }
}

/**
 * Whether a transcript's times of parts may be wrong: they end beyond the clip, there is speech before or after them,
 * or a part ends in the middle of sound. The last may also be right, if the voice does not pause there.
 */
export const areTimesDoubtful = (
  { rate, samples }: Pcm,
  { envelope, levels, bounds }: SpeechBounds,
  expected: ReadonlyArray<Expected>
): boolean => {
  const [first, last] = [expected[0], expected.at(-1)]
  if (first === undefined || last === undefined) return false
  const millisOf = (frame: number) => (frame * 1000) / rate
  if (first.start > millisOf(bounds.from) + speechBefore || last.end < millisOf(bounds.to) - speechAfter)
    return true
  if (last.end > millisOf(samples.length) + beyondClip) return true
  const step = (position: number) => (position * rate) / 1000 / envelope.hop
  const pauses = pausesOf(envelope, levels.threshold, shortestPause)
  return expected.slice(1).some(({ start }, index) => {
    const { end } = expected[index]!
    return !pauses.some(isNear(step(Math.min(start, end)), step(Math.max(start, end))))
  })
}

/** Most speech outside of a transcript's times, in milliseconds. A clip's fading end belongs to its speech. */
const speechBefore = 200
const speechAfter = 300
/** How far a transcript may extend beyond the clip, in milliseconds. */
const beyondClip = 50

/** Returns cut points in frames, each between a part's end and the next one's start; undefined if out of order. */
const alignedPoints = (pcm: Pcm, parts: ReadonlyArray<Expected>): ReadonlyArray<number> | undefined => {
  const points = parts.slice(1).map(({ start }, index) => {
    const middle = (parts[index]!.end + start) / 2
    return Math.round((middle * pcm.rate) / 1000)
  })
  const inOrder = points.every(
    (point, index) => point > (points[index - 1] ?? 0) && point < pcm.samples.length
  )
  return inOrder ? points : undefined
}

/** How far from the transcript's time a cut may be if no pause is near, in steps of 5 ms: 40 ms. */
const reach = 8
/** How far from the transcript's time a pause may begin or end, in steps of 5 ms: 120 ms. */
const pauseReach = 24
/** How far beyond the detected speech a transcript's time is trusted, in seconds. */
const trusted = 0.025
/** Shortest pause that cannot be a stop consonant's closure: 60 ms. */
const shortestPause = 12

const segmentOf = (pcm: Pcm, bounds: Bounds): Segment => {
  const { samples } = sliceOf(pcm, bounds.from, bounds.to)
  return Segment.make(
    {
      from: Frames.make(bounds.from),
      to: Frames.make(bounds.to),
      loudness: loudnessOf({ rate: pcm.rate, samples }),
      peak: peakOf(samples)
    },
    // Each field's own constructor has validated it.
    skipValidation
  )
}

const segmentsAt = (pcm: Pcm, bounds: ReadonlyArray<Bounds>): readonly [Segment, ...Array<Segment>] => {
  const [first, ...others] = bounds
  return [segmentOf(pcm, first!), ...others.map((bound) => segmentOf(pcm, bound))]
}

/**
 * Widens bounds to the transcript's times if these are at most `most` frames further out. A word may begin or end below
 * the speech threshold.
 */
const widened = (bounds: Bounds, start: number, end: number, most: number): Bounds => ({
  from: start < bounds.from && bounds.from - start <= most ? start : bounds.from,
  to: end > bounds.to && end - bounds.to <= most ? end : bounds.to
})

/** Returns cut points in frames near the transcript's times; undefined if those times cannot belong to this audio. */
const transcriptPoints = (
  pcm: Pcm,
  envelope: Envelope,
  levels: SpeechLevels,
  expected: ReadonlyArray<Expected>
): ReadonlyArray<number> | undefined => {
  const length = (pcm.samples.length * 1000) / pcm.rate
  const inOrder = expected.every(
    (part, index) =>
      part.start < part.end && part.start < length && (index === 0 || expected[index - 1]!.start < part.start)
  )
  if (!inOrder) return undefined
  const pauses = pausesOf(envelope, levels.threshold, shortestPause)
  const points: Array<number> = []
  const step = (position: number) =>
    Math.min(envelope.levels.length - 1, Math.round((position * pcm.rate) / 1000 / envelope.hop))
  const middle = (part: number) => step((expected[part]!.start + expected[part]!.end) / 2)
  for (let part = 1; part < expected.length; part++) {
    const end = step(expected[part - 1]!.end)
    const start = step(expected[part]!.start)
    const between = pauses.filter((pause) => pause.from >= middle(part - 1) && pause.to <= middle(part))
    const point = quietest(envelope, between, Math.min(end, start), Math.max(end, start)) * envelope.hop
    if (point <= (points.at(-1) ?? 0)) return undefined
    points.push(point)
  }
  return points
}

/** Whether a pause is near the stretch between a part's end and the next one's start, in steps. */
const isNear =
  (end: number, start: number) =>
  (pause: Bounds): boolean =>
    pause.to > end - pauseReach && pause.from < start + pauseReach

/**
 * Returns the step at which to cut between a part that ends at `end` and one that starts at `start`. That is the middle
 * of the longest pause near this stretch. Without a pause, it is the quietest step within 40 ms of the stretch; steps
 * inside are preferred.
 */
const quietest = (
  { levels }: Envelope,
  pauses: ReadonlyArray<Bounds>,
  end: number,
  start: number
): number => {
  const near = pauses.filter(isNear(end, start))
  const longest = near.reduce<Bounds | undefined>(
    (best, pause) => (best === undefined || pause.to - pause.from > best.to - best.from ? pause : best),
    undefined
  )
  if (longest !== undefined) return Math.round((longest.from + longest.to) / 2)
  let best = end
  let lowest = Infinity
  for (let step = Math.max(0, end - reach); step <= Math.min(levels.length - 1, start + reach); step++) {
    const outside = Math.max(0, end - step, step - start)
    const cost = levels[step]! + outside
    if (cost < lowest) {
      lowest = cost
      best = step
    }
  }
  return best
}
