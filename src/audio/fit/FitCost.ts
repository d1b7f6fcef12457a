/**
 * Cost of a placement: one number for all that is wrong with it. `fitLines` minimizes it.
 *
 * Times below are seconds. A line's slot runs from `start` to `end`, and its recorded speech takes `length`. It is
 * heard from s to e, at speed v = length / (e - s). Its cost is the sum of these terms:
 *
 *     onset   25 X + 10 X²                 X = |s - start|; 45 per second beyond 1 s; half if longer than the slot
 *     tail    0.3 T                        T = e - end, where it runs past its cue
 *             + 6 (T - late)               the part beyond fit.late: worth speaking at maxSpeed, but not faster
 *     speed   length · (0.4 (v - 1) + 3.5 (v - 1)²)
 *             + length · 30 (v - maxSpeed)     the part beyond fit.maxSpeed
 *             + length · (0.1 w + w²)          w = 1/v - 1, where fit.minSpeed allows a slower line
 *     fill    3 R                          R = end - e, the empty rest of the cue, if fit.minSpeed is below 1
 *     film    1,000,000 (e - horizon)      where it runs past the end of the film and would be cut off
 *     change  90 (|1/v - 1/v'| - 0.05)²    v' is the speed of the line before; nothing up to 0.05; less
 *                                          after a pause of more than 1 s, nothing after 5 s
 *
 * Each term is convex in (s, e): 1/v = (e - s) / length is linear, and v is a convex function of the line's duration.
 * The slopes at zero are positive. So a line that fits keeps its exact time. If its neighbours also fit, it keeps its
 * speed, too. The squares spread an excess over neighbours instead of leaving it to one line. Speed is weighted by
 * length, so neighbours in a dense stretch settle on one speed. A late tail is cheapest, because dubbers let a line run
 * on before they rush it. Viewers notice a late mouth first. The half onset cost lets a line
 * that has no room move, rather than a neighbour that has some.
 */
import type { FitLimits } from "../../domain/speech/Placement.ts"
import type { Millis } from "../../domain/time/Units.ts"

/** A line to place: its slot, the duration of its recorded speech, and its number of characters. */
export interface FitLine {
  readonly start: Millis
  /** Not before `start`. */
  readonly end: Millis
  /** Milliseconds at the voice's normal speed, rounded up so that no speech is lost. */
  readonly length: Millis
  /** Milliseconds as recorded, if the voice was asked to speak faster; at most `length`, which is the default. */
  readonly recorded?: Millis
  readonly characters: number
}

/** Returns the cost of starting at `start` (ms). */
export const onsetCost = (line: FitLine, start: number): number => {
  const shift = Math.abs(start - line.start) / 1000
  const harm = shift < 1 ? 25 * shift + 10 * shift * shift : 45 * shift - 10
  return line.length > line.end - line.start ? harm / 2 : harm
}

/** Returns the cost of ending at `end` (ms); `late` is the tolerated lateness in milliseconds. */
export const tailCost = (line: FitLine, end: number, late: number): number => {
  const over = (end - line.end) / 1000
  return over <= 0 ? 0 : 0.3 * over + 6 * Math.max(0, over - late / 1000)
}

/**
 * Returns the cost of speaking in `duration` milliseconds up to `end`, before the cue ends, if lines may be slowed to
 * fill their slots. A slower line never ends after its cue.
 */
export const fillCost = (line: FitLine, duration: number, end: number): number =>
  end > line.end ? (duration > line.length ? Infinity : 0) : (3 * (line.end - end)) / 1000

/** Returns the cost of speaking `length` milliseconds of speech in `duration` milliseconds. */
export const speedCost = (length: number, duration: number, maxSpeed: number): number => {
  const slowness = duration / length - 1
  if (slowness > 0) return (length / 1000) * (0.1 * slowness + slowness * slowness)
  const excess = length / duration - 1
  const beyond = length / duration - maxSpeed
  return (length / 1000) * (0.4 * excess + 3.5 * excess * excess + 30 * Math.max(0, beyond))
}

/** Returns the cost of ending `over` milliseconds after the film; 0 if `over` is negative. */
export const filmCost = (over: number): number => Math.max(0, over * 1_000)

/**
 * Returns the cost of a change of pace (1 / speed) between neighbours. A change of up to 0.05 is hardly audible and
 * costs nothing. `weight` comes from `changeWeight`.
 */
export const changeCost = (pace: number, other: number, weight: number): number => {
  const change = Math.abs(pace - other) - 0.05
  return change > 0 ? 90 * weight * change * change : 0
}

/**
 * Returns the weight of a pace change between two lines. It is 1 if their slots are up to 1 s apart, and 0 from 5 s on.
 */
export const changeWeight = (before: FitLine, line: FitLine): number =>
  Math.min(1, Math.max(0, (5_000 - (line.start - before.end)) / 4_000))

/** Whether lines may be slower than recorded. */
export const isSlowable = ({ minSpeed = 1 }: FitLimits): boolean => minSpeed < 1

/** Where a line is heard, in milliseconds. */
export interface FittedSpeech {
  readonly start: number
  readonly end: number
}

/**
 * Returns the total cost of placing `lines[i]` at `heard[i]`; lines must be in order. `horizon` is the film's end in
 * milliseconds, if there is a film.
 */
export const harmOf = (
  lines: ReadonlyArray<FitLine>,
  heard: ReadonlyArray<FittedSpeech>,
  limits: FitLimits,
  horizon: number = Infinity
): number => {
  let harm = 0
  let before: number | undefined
  lines.forEach((line, index) => {
    const { start, end } = heard[index]!
    harm +=
      onsetCost(line, start) +
      tailCost(line, end, limits.late) +
      (isSlowable(limits) ? fillCost(line, end - start, end) : 0) +
      speedCost(line.length, end - start, limits.maxSpeed) +
      filmCost(end - horizon)
    const pace = (end - start) / line.length
    const last = lines[index - 1]
    if (before !== undefined && last !== undefined) harm += changeCost(before, pace, changeWeight(last, line))
    before = pace
  })
  return harm
}
