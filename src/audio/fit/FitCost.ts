/**
 * What is wrong with a placement, as one number: the harm that `fitLines` makes as small as it can.
 *
 * Times below are seconds. A line belongs from `start` to `end`, takes `length` as recorded, and is heard from s to e
 * at speed v = length / (e - s). Its harm is the sum of
 *
 *     onset   25 X + 10 X²                 X = |s - start|; 45 a second beyond 1 s; half where a line exceeds its slot
 *     tail    0.3 T                        T = e - end, where it runs past its cue
 *             + 6 (T - late)               the part beyond fit.late: worth speaking at maxSpeed for, not more
 *     speed   length · (0.4 (v - 1) + 3.5 (v - 1)²)
 *             + length · 30 (v - maxSpeed)     the part beyond fit.maxSpeed
 *     film    1,000,000 (e - horizon)      where it runs past the end of the film, and would be cut off
 *     change  90 (|1/v - 1/v'| - 0.05)²    against the line before, spoken at v'; up to 0.05 none; less
 *                                          after a pause above 1 s, none after one of 5 s
 *
 * Each term is convex in (s, e): 1/v = (e - s) / length is linear, and v falls convexly as the line gets longer. The
 * slopes at zero are positive, so that a line that fits keeps its time, and among others that fit its speed, exactly;
 * the squares share what does not fit among neighbours instead of leaving it to one. Speed weighs by length, which
 * makes neighbours in a dense stretch settle on one speed. A late tail is the cheapest: people who dub let a line run
 * on before they rush it, and an onset that misses the mouth is what viewers see first. A line that has room does not
 * give way for one that has none: hence the half.
 */
import type { FitLimits } from "../../domain/speech/Placement.ts"
import type { Millis } from "../../domain/time/Units.ts"

/** A line to place: its slot, how long its speech takes as recorded, and how many characters it has. */
export interface FitLine {
  readonly start: Millis
  /** Not before `start`. */
  readonly end: Millis
  /** Milliseconds at the voice's own speed, rounded up so that no speech is lost. */
  readonly length: Millis
  /** Milliseconds as recorded, where the voice was asked to speak faster: no more than `length`, which it has else. */
  readonly recorded?: Millis
  readonly characters: number
}

/** The harm of beginning at `start`. */
export const onsetHarm = (line: FitLine, start: number): number => {
  const shift = Math.abs(start - line.start) / 1000
  const harm = shift < 1 ? 25 * shift + 10 * shift * shift : 45 * shift - 10
  return line.length > line.end - line.start ? harm / 2 : harm
}

/** The harm of ending at `end`. */
export const tailHarm = (line: FitLine, end: number, late: number): number => {
  const over = (end - line.end) / 1000
  return over <= 0 ? 0 : 0.3 * over + 6 * Math.max(0, over - late / 1000)
}

/** The harm of speaking `length` milliseconds of speech in `duration`, which is not longer. */
export const speedHarm = (length: number, duration: number, maxSpeed: number): number => {
  const excess = length / duration - 1
  const beyond = length / duration - maxSpeed
  return (length / 1000) * (0.4 * excess + 3.5 * excess * excess + 30 * Math.max(0, beyond))
}

/** The harm of ending `over` milliseconds after the film does; none where that is negative. */
export const filmHarm = (over: number): number => Math.max(0, over * 1_000)

/**
 * The harm of a change of pace (1 / speed) between neighbours; a twentieth is hardly heard and does none. `weight` is
 * that of `changeWeight` for the two.
 */
export const changeHarm = (pace: number, other: number, weight: number): number => {
  const change = Math.abs(pace - other) - 0.05
  return change > 0 ? 90 * weight * change * change : 0
}

/**
 * How much a change of pace between two lines weighs, by the pause between their slots: 1 up to a second, 0 from five.
 */
export const changeWeight = (before: FitLine, line: FitLine): number =>
  Math.min(1, Math.max(0, (5_000 - (line.start - before.end)) / 4_000))

/** Where a line is heard. */
export interface FittedSpeech {
  readonly start: number
  readonly end: number
}

/**
 * The whole harm of placing `lines[i]` at `heard[i]`, in order; `horizon` is the film's end in milliseconds, if it has
 * one.
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
      onsetHarm(line, start) +
      tailHarm(line, end, limits.late) +
      speedHarm(line.length, end - start, limits.maxSpeed) +
      filmHarm(end - horizon)
    const pace = (end - start) / line.length
    const last = lines[index - 1]
    if (before !== undefined && last !== undefined) harm += changeHarm(before, pace, changeWeight(last, line))
    before = pace
  })
  return harm
}
