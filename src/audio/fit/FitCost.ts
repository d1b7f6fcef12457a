/**
 * Cost of a placement: one number for all that is wrong with it. `fitLines` minimizes it.
 *
 * Times below are seconds. A line's slot runs from `start` to `end`, and its recorded speech takes `length`. It is
 * heard from s to e, at speed v = length / (e - s). `FitOrder.ts` gives the ends `breath`, `allowed` and `barrier`. Its
 * cost is the sum of these terms:
 *
 *     onset   70 X + 50 (X - 0.1)          X = |s - start|; the second part is what exceeds 0.1 s
 *             50 X + 15 (X - 0.1)              the same, if the line is longer than its slot
 *     tail    0.3 T                        T = e - end, where it runs past its cue
 *             + 3 (e - breath)             where it takes the breath after a sentence
 *             + 3.3 (T - late)             the part beyond fit.late: worth it in silence, if speech is hurried
 *             + 43 (e - allowed)           the part beyond what is allowed: worth maxSpeed, but no more and no shift
 *     cross   400 (e - barrier)            where it runs into a line that is not placed after it; also 400 per second
 *                                          that such a line starts before its slot
 *     speed   length · (0.4 (v - 1) + 4.5 (v - 1)²)
 *             + length · 75 (v - maxSpeed)     the part beyond fit.maxSpeed
 *             + length · (0.1 w + w²)          w = 1/v - 1, where fit.minSpeed allows a slower line
 *             + 205 (v - 1.098)                the part beyond 1.098, if the line fits its slot as recorded
 *     fill    3 R                          R = end - e, the empty rest of the cue, if fit.minSpeed is below 1
 *     film    1,000,000 (e - horizon)      where it runs past the end of the film and would be cut off
 *     change  3450 (|v - v'| - 0.119)²     v' is the speed of the speaker's line before; nothing up to 0.12, linear
 *                                          from 0.15 on; less after a pause of more than 0.3 s, nothing after 0.5 s
 *
 * Each term but the last is convex in (s, e): 1/v = (e - s) / length is linear, and v is a convex function of the
 * line's duration. The slopes at zero are positive. So a line that fits keeps its exact time. If its neighbours
 * also fit, it keeps its speed, too. The squares spread an excess over neighbours instead of leaving it to one
 * line. Speed is weighted by length, so neighbours in a dense stretch settle on one speed. A late tail is cheapest,
 * because dubbers let a line run on before they rush it. Viewers notice a late mouth first. The lower onset cost
 * lets a line that has no room move, rather than a neighbour that has some. Beside a line that fits and is spoken
 * at 1.1 at most, a crowded one settles at 1.25 if it can: a larger step is heard, and hurrying the other line
 * further costs as much.
 */
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
  /** Who says it; lines without a name have one speaker. */
  readonly speaker?: string
  /** Whether a sentence ends with it. */
  readonly endsSentence?: boolean
}

/** The ends up to which a line may run, in milliseconds, each for its own price. */
export interface FitEnds {
  /** Leaves a breath before the next line, if a sentence ends here. */
  readonly breath: number
  /** `fit.late` past its slot, and more if silence follows. */
  readonly allowed: number
  /** Where a line begins that is not placed after this one, though it follows in the source. */
  readonly barrier: number
  /** Whether this line follows such a line, so that it should not start early. */
  readonly isBarrier: boolean
}

/** Returns the cost of starting at `start` (ms). */
export const onsetCost = (line: FitLine, { isBarrier }: FitEnds, start: number): number => {
  const shift = Math.abs(start - line.start) / 1000
  const beyond = Math.max(0, shift - 0.1)
  return (
    (line.length > line.end - line.start ? 50 * shift + 15 * beyond : 70 * shift + 50 * beyond) +
    (isBarrier && start < line.start ? crossing * shift : 0)
  )
}

/** What a second of speech costs where the source has no overlap. */
const crossing = 400

/** Returns the cost of ending at `end` (ms); `late` is the tolerated lateness in milliseconds. */
export const tailCost = (
  line: FitLine,
  { breath, allowed, barrier }: FitEnds,
  end: number,
  late: number
): number => {
  const over = end - line.end
  if (over <= 0) return 0
  return (
    (0.3 * over +
      3 * Math.max(0, end - breath) +
      3.3 * Math.max(0, over - late) +
      43 * Math.max(0, end - allowed) +
      crossing * Math.max(0, end - barrier)) /
    1000
  )
}

/** Returns the cost of ending at `end` (ms), before the cue does, if lines may be slowed to fill their slots. */
export const fillCost = (line: FitLine, end: number): number => (3 * Math.max(0, line.end - end)) / 1000

/** Returns the cost of speaking a line in `duration` milliseconds. */
export const speedCost = (line: FitLine, duration: number, maxSpeed: number): number => {
  const length = Math.max(1, line.length)
  const slowness = duration / length - 1
  if (slowness > 0) return (length / 1000) * (0.1 * slowness + slowness * slowness)
  const excess = length / duration - 1
  const beyond = length / duration - maxSpeed
  return (
    (length / 1000) * (0.4 * excess + 4.5 * excess * excess + 75 * Math.max(0, beyond)) +
    (length > line.end - line.start ? 0 : 205 * Math.max(0, excess - 0.098))
  )
}

/** Returns the cost of ending `over` milliseconds after the film; 0 if `over` is negative. */
export const filmCost = (over: number): number => Math.max(0, over * 1_000)

/**
 * Returns the cost of a change of speed between neighbours, from their paces (1 / speed). A change of up to 0.12 costs
 * nothing. From 0.15 on, it is clearly heard. `weight` comes from `changeWeight`.
 */
export const changeCost = (pace: number, other: number, weight: number): number => {
  const excess = weight === 0 ? 0 : Math.abs(1 / pace - 1 / other) - 0.119
  if (excess <= 0) return 0
  return 3_450 * weight * (excess < 0.03 ? excess * excess : 0.06 * excess - 0.0009)
}

/**
 * Returns the weight of a pace change between two lines. It is 1 if their slots are up to 0.3 s apart, and 0 from 0.5 s
 * on.
 */
export const changeWeight = (before: FitLine, line: FitLine): number =>
  Math.min(1, Math.max(0, (500 - (line.start - before.end)) / 200))
