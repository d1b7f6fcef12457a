/** A clip of several parts, cut where one ends and the next begins: never inside a word, rather not at all. */
import { type CutMethod, Segment } from "../domain/Clip.ts"
import { Frames, type Millis } from "../domain/Units.ts"
import { envelopeOf, speechLevelsOf, type Envelope, type SpeechLevels } from "./Envelope.ts"
import { loudnessOf } from "./Loudness.ts"
import { peakOf, sliceOf, type Pcm } from "./Pcm.ts"
import { boundsWithin, type Bounds } from "./Trim.ts"

/** What is known of the parts of a clip. */
export interface CutHints {
  /** When each part is spoken, by a transcript: milliseconds from the clip's beginning, one entry a part, in order. */
  readonly expected?: ReadonlyArray<{ readonly start: Millis; readonly end: Millis }>
  /** How much of the speech each part should take, such as its number of characters; equal where absent. */
  readonly weights?: ReadonlyArray<number>
}

/** A clip's parts, trimmed to their speech, in order; a single segment for all where they were not told apart. */
export interface Cut {
  readonly segments: readonly [Segment, ...Array<Segment>]
  readonly cut: CutMethod
}

/**
 * The parts of a clip. With times from a transcript each cut is moved to the quietest point near them; without, or where the
 * times make no sense for this audio, to pauses near each part's share of the speech; where there are none that fit, the
 * parts are kept together. `parts` is 1 or more. A clip without speech is one segment from end to end.
 */
export const segmentsOf = (pcm: Pcm, parts: number, hints: CutHints = {}): Cut => {
  const envelope = envelopeOf(pcm)
  const levels = speechLevelsOf(envelope)
  const speech = levels === undefined ? undefined : boundsWithin(envelope, levels, 0, pcm.samples.length)
  if (levels === undefined || speech === undefined)
    return {
      segments: [segmentOf(pcm, { from: 0, to: pcm.samples.length })],
      cut: parts === 1 ? "whole" : "together"
    }
  if (parts === 1) return { segments: [segmentOf(pcm, speech)], cut: "whole" }

  const between = (points: ReadonlyArray<number>) => {
    const edges = [0, ...points, pcm.samples.length]
    const bounds = points
      .concat(pcm.samples.length)
      .map((to, part) => boundsWithin(envelope, levels, edges[part]!, to))
    return bounds.every((bound) => bound !== undefined) ? bounds : undefined
  }
  const told =
    hints.expected === undefined ? undefined : toldPoints(pcm, envelope, levels, parts, hints.expected)
  const byTranscript = told === undefined ? undefined : between(told)
  if (byTranscript !== undefined) return { segments: segmentsAt(pcm, byTranscript), cut: "transcript" }

  const pauses = pausePoints(envelope, levels, speech, parts, hints.weights)
  const bySilence = pauses === undefined ? undefined : between(pauses)
  if (bySilence !== undefined) return { segments: segmentsAt(pcm, bySilence), cut: "silence" }
  return { segments: [segmentOf(pcm, speech)], cut: "together" }
}

/** How far from the time told a cut may lie, in steps of 5 ms, where no pause says otherwise. */
const reach = 8
/** How far from the time told a pause may begin or end to be taken for the one meant: 120 ms. */
const pauseReach = 24
/** The shortest pause that is no stop consonant's closure: 60 ms. */
const shortestPause = 12
/** The shortest pause taken for a boundary without a transcript: 120 ms. */
const clearPause = 24

const segmentOf = (pcm: Pcm, bounds: Bounds): Segment => {
  const { samples } = sliceOf(pcm, bounds.from, bounds.to)
  return Segment.make({
    from: Frames.make(bounds.from),
    to: Frames.make(bounds.to),
    loudness: loudnessOf({ rate: pcm.rate, samples }),
    peak: peakOf(samples)
  })
}

const segmentsAt = (pcm: Pcm, bounds: ReadonlyArray<Bounds>): readonly [Segment, ...Array<Segment>] => {
  const [first, ...others] = bounds
  return [segmentOf(pcm, first!), ...others.map((bound) => segmentOf(pcm, bound))]
}

/** Cut points in frames near the times told, or undefined where those cannot belong to this audio. */
const toldPoints = (
  pcm: Pcm,
  envelope: Envelope,
  levels: SpeechLevels,
  parts: number,
  expected: ReadonlyArray<{ readonly start: Millis; readonly end: Millis }>
): ReadonlyArray<number> | undefined => {
  const length = (pcm.samples.length * 1000) / pcm.rate
  const inOrder = expected.every(
    (part, index) =>
      part.start < part.end && part.start < length && (index === 0 || expected[index - 1]!.start < part.start)
  )
  if (expected.length !== parts || !inOrder) return undefined
  const pauses = pausesOf(envelope, levels.threshold, shortestPause)
  const points: Array<number> = []
  for (let part = 1; part < parts; part++) {
    const end = stepAt(expected[part - 1]!.end, pcm, envelope)
    const start = stepAt(expected[part]!.start, pcm, envelope)
    const point = quietest(envelope, pauses, Math.min(end, start), Math.max(end, start)) * envelope.hop
    if (point <= (points.at(-1) ?? 0)) return undefined
    points.push(point)
  }
  return points
}

const stepAt = (position: Millis, pcm: Pcm, envelope: Envelope): number =>
  Math.min(envelope.levels.length - 1, Math.round((position * pcm.rate) / 1000 / envelope.hop))

/**
 * The step at which to cut between a part that ends at `end` and one that starts at `start`: the middle of the longest pause
 * that touches this stretch, else the quietest step in it or up to 40 ms beside it, nearer ones preferred.
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

/** The stretches of steps at or below the threshold, of at least `shortest` steps, as [from, to). */
const pausesOf = ({ levels }: Envelope, threshold: number, shortest: number): ReadonlyArray<Bounds> => {
  const pauses: Array<Bounds> = []
  let from = 0
  for (let step = 0; step <= levels.length; step++) {
    if (step < levels.length && levels[step]! <= threshold) continue
    if (step - from >= shortest) pauses.push({ from, to: step })
    from = step + 1
  }
  return pauses
}

/**
 * Cut points in frames at pauses near each part's share of the speech: of all choices of pauses in order the one with the least
 * sum of squared distances, long pauses preferred; undefined where one of them is too far off.
 */
const pausePoints = (
  envelope: Envelope,
  levels: SpeechLevels,
  speech: Bounds,
  parts: number,
  weights: ReadonlyArray<number> | undefined
): ReadonlyArray<number> | undefined => {
  const from = speech.from / envelope.hop
  const to = speech.to / envelope.hop
  const pauses = pausesOf(envelope, levels.threshold, clearPause).filter(
    (pause) => pause.from > from && pause.to < to
  )
  if (pauses.length < parts - 1) return undefined
  const shares = sharesOf(parts, weights)
  /** Speech without pauses longer than a breath: the clock by which a part's share is counted. */
  const voiced = voicedTimes(pauses, from, to)
  const chosen = nearestInOrder(
    voiced.at,
    shares.map((share) => share * voiced.total)
  )
  const scale = voiced.total / parts
  const close = chosen.every(
    (pause, cut) => Math.abs(voiced.at[pause]! - shares[cut]! * voiced.total) < scale / 3
  )
  if (!close) return undefined
  return chosen.map((pause) => Math.round((pauses[pause]!.from + pauses[pause]!.to) / 2) * envelope.hop)
}

/** The share of the speech that is over at each cut, from 0 to 1. */
const sharesOf = (parts: number, weights: ReadonlyArray<number> | undefined): ReadonlyArray<number> => {
  const each = Array.from({ length: parts }, (_, part) => Math.max(1e-9, weights?.[part] ?? 1))
  const total = each.reduce((sum, weight) => sum + weight, 0)
  let over = 0
  return each.slice(0, -1).map((weight) => (over += weight / total))
}

/** How much has been spoken at each pause, pauses left out; and in all. */
const voicedTimes = (
  pauses: ReadonlyArray<Bounds>,
  from: number,
  to: number
): { readonly at: ReadonlyArray<number>; readonly total: number } => {
  let silent = 0
  const at = pauses.map((pause) => {
    const spoken = pause.from - from - silent
    silent += pause.to - pause.from
    return spoken
  })
  return { at, total: to - from - silent }
}

/** For each target one of the ascending positions, in order and none twice, with the least sum of squared distances. */
const nearestInOrder = (
  positions: ReadonlyArray<number>,
  targets: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const width = positions.length
  const previous: Array<Int32Array> = []
  let costs = new Float64Array(width).fill(0)
  targets.forEach((target, cut) => {
    const next = new Float64Array(width).fill(Infinity)
    const from = new Int32Array(width).fill(-1)
    let best = -1
    for (let i = cut; i < width; i++) {
      if (cut > 0 && (best < 0 || costs[i - 1]! < costs[best]!)) best = i - 1
      const before = cut === 0 ? 0 : costs[best]!
      next[i] = before + (positions[i]! - target) ** 2
      from[i] = best
    }
    previous.push(from)
    costs = next
  })
  let last = costs.reduce((best, cost, i) => (cost < costs[best]! ? i : best), width - 1)
  const chosen: Array<number> = []
  for (let cut = targets.length - 1; cut >= 0; cut--) {
    chosen.unshift(last)
    last = previous[cut]![last]!
  }
  return chosen
}
