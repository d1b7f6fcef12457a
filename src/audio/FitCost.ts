/**
 * What is wrong with a placement, as one number: the harm that `fitLines` makes as small as it can.
 *
 * Times below are seconds. A line belongs from `start` to `end`, takes `length` as recorded, and is heard from s to e at
 * speed v = length / (e - s). Its harm is the sum of
 *
 *     onset   3 E + 20 E²          E = start - s, where it begins early
 *             2.5 D + 10 D²        D = s - start, where it begins late
 *     tail    0.6 T                T = e - end, where it runs past its cue
 *             + 6 (T - late)       the part beyond fit.late
 *     speed   length · (0.5 (v - 1) + 5 (v - 1)²)
 *             + length · 30 (v - maxSpeed)     the part beyond fit.maxSpeed
 *     film    200 (e - horizon)    where it runs past the end of the film
 *     change  15 (1/v - 1/v')²     against the line before, spoken at v'
 *
 * Each term is convex in (s, e): 1/v = (e - s) / length is linear, and v falls convexly as the line gets longer. The first
 * derivatives at zero are positive, so that a line that fits keeps its time and its speed exactly; the squares share what does
 * not fit among neighbours instead of leaving it to one. Speed weighs by length, which makes neighbours in a dense stretch
 * settle on one speed. A late tail is the cheapest: people who dub let a line run on before they rush it, and an onset that
 * misses the mouth is what viewers see first.
 */
import type { FitLimits } from "../domain/Placement.ts"
import type { Millis } from "../domain/Units.ts"

/** A line to place: its slot, how long its speech takes as recorded, and how many characters it has. */
export interface FitLine {
  readonly start: Millis
  /** Not before `start`. */
  readonly end: Millis
  /** Milliseconds at speed 1, rounded up so that no speech is lost. */
  readonly length: Millis
  readonly characters: number
}

/** The harm of beginning `shift` milliseconds after (or, negative, before) the slot's start. */
export const onsetHarm = (shift: number): number => {
  const x = shift / 1000
  return x < 0 ? -3 * x + 20 * x * x : 2.5 * x + 10 * x * x
}

/** The harm of ending `over` milliseconds after the slot's end; none where that is negative. */
export const tailHarm = (over: number, late: number): number =>
  over <= 0 ? 0 : (0.6 * over + (over > late ? 6 * (over - late) : 0)) / 1000

/** The harm of speaking `length` milliseconds of speech in `duration`, which is not longer. */
export const speedHarm = (length: number, duration: number, maxSpeed: number): number => {
  const excess = length / duration - 1
  const beyond = length / duration - maxSpeed
  return (length / 1000) * (0.5 * excess + 5 * excess * excess + (beyond > 0 ? 30 * beyond : 0))
}

/** The harm of ending `over` milliseconds after the film does; none where that is negative. */
export const filmHarm = (over: number): number => (over > 0 ? over / 5 : 0)

/** The harm of a change of pace (1 / speed) between neighbours. */
export const changeHarm = (pace: number, other: number): number => 15 * (pace - other) ** 2

/** Where a line is heard. */
export interface Heard {
  readonly start: number
  readonly end: number
}

/** The whole harm of placing `lines[i]` at `heard[i]`, in order; `horizon` is the film's end in milliseconds, if it has one. */
export const harmOf = (
  lines: ReadonlyArray<FitLine>,
  heard: ReadonlyArray<Heard>,
  limits: FitLimits,
  horizon: number = Infinity
): number => {
  let harm = 0
  let before: number | undefined
  lines.forEach((line, index) => {
    const { start, end } = heard[index]!
    harm +=
      onsetHarm(start - line.start) +
      tailHarm(end - line.end, limits.late) +
      speedHarm(line.length, end - start, limits.maxSpeed) +
      filmHarm(end - horizon)
    const pace = (end - start) / line.length
    if (before !== undefined) harm += changeHarm(before, pace)
    before = pace
  })
  return harm
}
