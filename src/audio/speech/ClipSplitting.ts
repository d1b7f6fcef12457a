/** A clip of several parts, cut where one ends and the next begins: never inside a word, rather not at all. */
import { type CutMethod, Segment } from "../../domain/speech/Clip.ts"
import { Frames, type Millis } from "../../domain/time/Units.ts"
import type { Envelope, SpeechLevels } from "./SpeechEnvelope.ts"
import { loudnessOf } from "../level/ClipLoudness.ts"
import { peakOf, sliceOf, type Pcm } from "../pcm/Pcm.ts"
import { endsByPauses, pausesOf } from "./Pauses.ts"
import { type Bounds, boundsWithin, speechIn } from "./SpeechTrim.ts"
import { type Expected, isQuietBetween, markMissingParts } from "./MissingParts.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** What is known of the parts of a clip. */
export interface CutHints {
  /**
   * When each part is spoken, by a transcript: milliseconds from the clip's beginning, one entry a part, in order;
   * undefined for a part that the transcript passes over.
   */
  readonly expected?: ReadonlyArray<Expected | undefined>
  /** The words of each part, in order. */
  readonly said?: ReadonlyArray<string>
}

/**
 * A clip's parts, trimmed to their speech, in order, empty where a part is not said; a single segment for all where
 * they were not told apart.
 */
export interface Cut {
  readonly segments: readonly [Segment, ...Array<Segment>]
  readonly cut: CutMethod
}

/**
 * The parts of a clip. With times from a transcript each cut is moved to the quietest point near them; without, or
 * where the times make no sense for this audio, to the pauses that the words' punctuation makes one expect; where those
 * are not plain, the parts are kept together. `parts` is 1 or more. A clip without speech is one segment from end to
 * end. `speech` is the clip's own, for who knows it already.
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
  const told = expected.length === parts ? toldPoints(pcm, envelope, levels, expected) : undefined
  const byTranscript = told === undefined ? undefined : between(told)
  if (told !== undefined && byTranscript !== undefined) {
    const edges = [0, ...told, length]
    const bounds = byTranscript.map((bound, part) => {
      const time = expected[part]!
      const frameAt = (position: Millis) =>
        Math.max(edges[part]!, Math.min(edges[part + 1]!, Math.round((position * pcm.rate) / 1000)))
      return widened(bound, frameAt(time.start), frameAt(time.end), Math.round(pcm.rate * trusted))
    })
    return { segments: segmentsAt(pcm, bounds), cut: "transcript" }
  }

  const heard = hints.said?.length === parts ? endsByPauses(speech, hints.said) : undefined
  const bySilence = heard === undefined ? undefined : between(heard.map((step) => step * envelope.hop))
  if (bySilence !== undefined) return { segments: segmentsAt(pcm, bySilence), cut: "silence" }
  return { segments: [segmentOf(pcm, speech.bounds)], cut: "together" }
}

/** How far from the time told a cut may lie, in steps of 5 ms, where no pause says otherwise. */
const reach = 8
/** How far from the time told a pause may begin or end to be taken for the one meant: 120 ms. */
const pauseReach = 24
/** How far beyond the speech heard a told time is believed, in seconds. */
const trusted = 0.025
/** The shortest pause that is no stop consonant's closure: 60 ms. */
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
    // Every part was made by its own constructor.
    skipValidation
  )
}

const segmentsAt = (pcm: Pcm, bounds: ReadonlyArray<Bounds>): readonly [Segment, ...Array<Segment>] => {
  const [first, ...others] = bounds
  return [segmentOf(pcm, first!), ...others.map((bound) => segmentOf(pcm, bound))]
}

/**
 * The bounds, out to the times told where these are not much further: a word may begin or end below what is heard as
 * speech.
 */
const widened = (bounds: Bounds, start: number, end: number, most: number): Bounds => ({
  from: start < bounds.from && bounds.from - start <= most ? start : bounds.from,
  to: end > bounds.to && end - bounds.to <= most ? end : bounds.to
})

/** Cut points in frames near the times told, or undefined where those cannot belong to this audio. */
const toldPoints = (
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

/**
 * The step at which to cut between a part that ends at `end` and one that starts at `start`: the middle of the longest
 * pause that touches this stretch, else the quietest step in it or up to 40 ms beside it, nearer ones preferred.
 */
const quietest = (
  { levels }: Envelope,
  pauses: ReadonlyArray<Bounds>,
  end: number,
  start: number
): number => {
  const near = pauses.filter((pause) => pause.to > end - pauseReach && pause.from < start + pauseReach)
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
