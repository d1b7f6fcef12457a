/**
 * When each line of one speaker is heard, and how fast: all lines together, so that the harm of `FitCost.ts` is as
 * small as it can be, with no overlap and no word lost.
 *
 * The method starts from a plain placement, line after line, and improves it. One pass tries, for all lines at once,
 * every combination of moving each start by up to three steps and each length by up to two, and takes the best by
 * dynamic programming from the first line to the last: 35 choices a line, so a pass takes time linear in the lines.
 * Steps shrink from 512 ms to 1 ms; with each, passes are repeated until nothing improves. The harm never rises, so it
 * is never above that of the plain placement. But for the changes of speed the problem is L-natural convex over the
 * integers (every term depends on a start, an end, or their difference), for which a placement that no such pass at 1
 * ms improves is a true optimum, and scaling steps reach it in few passes. Gradient and interior point methods would
 * need rounding to whole milliseconds afterwards and smear the corners that keep fitting lines exactly in place; a heap
 * of breakpoints (slope trick) cannot take the changes of speed in.
 */
import { type Flag, type FitLimits, isFaster } from "../../domain/speech/Placement.ts"
import { Millis } from "../../domain/time/Units.ts"
import {
  changeHarm,
  changeWeight,
  filmHarm,
  onsetHarm,
  speedHarm,
  tailHarm,
  type FitLine
} from "./FitCost.ts"

/** Where a line is heard. */
export interface Fitted {
  readonly start: Millis
  readonly end: Millis
  /**
   * The line's length as recorded / (end - start): 1 or more. Its length at the voice's own speed never passes the hard
   * limit.
   */
  readonly speed: number
  /** `early` and `late`: begins 200 ms or more off; `fast`: beyond maxSpeed; `overrun`: ends beyond fit.late. */
  readonly flags: ReadonlyArray<Flag>
  /**
   * By how many characters the line should be shortened to fit its own slot, where it is fast or overruns and does not.
   */
  readonly shortenBy?: number
}

/** An onset this many milliseconds off is flagged. */
const noticeableShift = 200

/**
 * Places the lines of one speaker, `result[i]` for `lines[i]`. Lines are heard in order of their starts (ties as
 * given), one after the other, also where their slots overlap. None begins before its slot by more than `limits.early`
 * or before 0. `horizon` is the end of the film: lines begin earlier than `limits.early` allows where they would else
 * be cut off there.
 */
export const fitLines = (
  lines: ReadonlyArray<FitLine>,
  limits: FitLimits,
  horizon: number = Infinity
): ReadonlyArray<Fitted> => {
  const order = lines.map((_, index) => index).sort((a, b) => lines[a]!.start - lines[b]!.start || a - b)
  const problem = problemOf(
    order.map((index) => lines[index]!),
    limits,
    horizon
  )
  const placing = plain(problem)
  for (let step = 512; step >= 1; step >>= 1)
    for (let pass = 0; pass < passLimit && improve(problem, placing, step); pass++);
  const result = new Array<Fitted>(lines.length)
  order.forEach((index, at) => {
    result[index] = fittedOf(lines[index]!, placing.starts[at]!, placing.lengths[at]!, limits)
  })
  return result
}

/** More passes with one step size than this have not been seen to matter. */
const passLimit = 40

/** Choices of a start and of a length in one pass, the present one in the middle. */
const startChoices = 7
const lengthChoices = 5

interface Problem {
  readonly lines: ReadonlyArray<FitLine>
  readonly limits: FitLimits
  readonly horizon: number
  /** Lengths at the voice's own speed, at least 1; as recorded; and the least that the hard limit allows. */
  readonly natural: Int32Array
  readonly longest: Int32Array
  readonly shortest: Int32Array
  /** Before this a line does not begin. */
  readonly earliest: Int32Array
}

interface Placing {
  readonly starts: Int32Array
  readonly lengths: Int32Array
  harm: number
}

const problemOf = (lines: ReadonlyArray<FitLine>, limits: FitLimits, horizon: number): Problem => {
  const cap = Math.max(1, limits.hardMaxSpeed)
  const natural = Int32Array.from(lines, (line) => Math.max(1, line.length))
  const longest = natural.map((length, i) => Math.max(1, Math.min(length, lines[i]!.recorded ?? length)))
  const shortest = natural.map((length, i) => Math.min(longest[i]!, Math.ceil(length / cap - 1e-9)))
  const earliest = new Int32Array(lines.length)
  let latest = horizon
  for (let i = lines.length - 1; i >= 0; i--) {
    latest -= shortest[i]!
    earliest[i] = Math.max(0, Math.min(lines[i]!.start - limits.early, latest))
  }
  return {
    lines,
    limits: { ...limits, maxSpeed: Math.min(limits.maxSpeed, cap) },
    horizon,
    natural,
    longest,
    shortest,
    earliest
  }
}

/**
 * Line after line: at its time or as soon as the line before has ended, sped up as far as needed to end before the
 * next.
 */
const plain = ({ lines, limits, natural, longest, shortest, earliest }: Problem): Placing => {
  const starts = new Int32Array(lines.length)
  const lengths = new Int32Array(lines.length)
  let free = 0
  lines.forEach((line, i) => {
    const start = Math.max(free, line.start, earliest[i]!)
    const room = Math.max(line.end + limits.late, lines[i + 1]?.start ?? 0) - start
    const preferred = Math.max(shortest[i]!, Math.ceil(natural[i]! / limits.maxSpeed))
    starts[i] = start
    lengths[i] = Math.min(longest[i]!, Math.max(preferred, room))
    free = start + lengths[i]!
  })
  return { starts, lengths, harm: Infinity }
}

/** One pass; whether it found anything better. */
const improve = (problem: Problem, placing: Placing, step: number): boolean => {
  const { lines, limits, horizon, natural } = problem
  const states = startChoices * lengthChoices
  const count = lines.length
  const from = new Uint8Array(count * states)
  /** Of the line at hand and the one before: choices, and the least harm up to and with each pair of them. */
  let starts = new Int32Array(startChoices)
  let lengths = new Int32Array(lengthChoices)
  let paces = new Float64Array(lengthChoices)
  let harms = new Float64Array(states)
  let startsBefore = new Int32Array(startChoices)
  let lengthsBefore = new Int32Array(lengthChoices)
  let pacesBefore = new Float64Array(lengthChoices)
  let harmsBefore = new Float64Array(states)
  const speeds = new Float64Array(lengthChoices)
  const reached = new Float64Array(lengthChoices)
  const reachedBy = new Int32Array(lengthChoices)
  const next = new Int32Array(lengthChoices)

  for (let i = 0; i < count; i++) {
    const line = lines[i]!
    const weight = i === 0 ? 0 : changeWeight(lines[i - 1]!, line)
    for (let k = 0; k < startChoices; k++) starts[k] = startChoice(problem, placing, i, k, step)
    for (let m = 0; m < lengthChoices; m++) {
      const length = lengthChoice(problem, placing, i, m, step)
      lengths[m] = length
      paces[m] = length / natural[i]!
      speeds[m] = speedHarm(natural[i]!, length, limits.maxSpeed)
      reached[m] = Infinity
      next[m] = 0
    }
    for (let k = 0; k < startChoices; k++) {
      const start = starts[k]!
      const onset = onsetHarm(line, start)
      if (i > 0)
        for (let m = 0; m < lengthChoices; m++)
          while (next[m]! < startChoices && startsBefore[next[m]!]! + lengthsBefore[m]! <= start) {
            const state = next[m]! * lengthChoices + m
            if (harmsBefore[state]! < reached[m]!) {
              reached[m] = harmsBefore[state]!
              reachedBy[m] = state
            }
            next[m]!++
          }
      for (let m = 0; m < lengthChoices; m++) {
        const end = start + lengths[m]!
        let least = i === 0 ? 0 : Infinity
        let by = 0
        if (i > 0)
          for (let b = 0; b < lengthChoices; b++) {
            const harm = reached[b]! + changeHarm(pacesBefore[b]!, paces[m]!, weight)
            if (harm < least) {
              least = harm
              by = reachedBy[b]!
            }
          }
        harms[k * lengthChoices + m] =
          least + onset + speeds[m]! + tailHarm(line, end, limits.late) + filmHarm(end - horizon)
        from[i * states + k * lengthChoices + m] = by
      }
    }
    ;[starts, startsBefore] = [startsBefore, starts]
    ;[lengths, lengthsBefore] = [lengthsBefore, lengths]
    ;[paces, pacesBefore] = [pacesBefore, paces]
    ;[harms, harmsBefore] = [harmsBefore, harms]
  }

  let state = 0
  for (let other = 1; other < states; other++) if (harmsBefore[other]! < harmsBefore[state]!) state = other
  const harm = harmsBefore[state] ?? 0
  if (!(harm < placing.harm - 1e-9)) return false
  placing.harm = harm
  for (let i = count - 1; i >= 0; i--) {
    const k = Math.floor(state / lengthChoices)
    placing.starts[i] = startChoice(problem, placing, i, k, step)
    placing.lengths[i] = lengthChoice(problem, placing, i, state % lengthChoices, step)
    state = from[i * states + state]!
  }
  return true
}

const startChoice = (
  { earliest }: Problem,
  { starts }: Placing,
  line: number,
  choice: number,
  step: number
) => Math.max(earliest[line]!, starts[line]! + (choice - 3) * step)

const lengthChoice = (
  { shortest, longest }: Problem,
  { lengths }: Placing,
  line: number,
  choice: number,
  step: number
) => Math.max(shortest[line]!, Math.min(longest[line]!, lengths[line]! + (choice - 2) * step))

const fittedOf = (line: FitLine, start: number, length: number, limits: FitLimits): Fitted => {
  const end = start + length
  const speed = Math.max(1, (line.recorded ?? line.length) / length)
  const fast = isFaster(line.length / length, length, limits.maxSpeed)
  const overrun = end > line.end + limits.late
  const flags: Array<Flag> = []
  if (start <= line.start - noticeableShift) flags.push("early")
  if (start >= line.start + noticeableShift) flags.push("late")
  if (fast) flags.push("fast")
  if (overrun) flags.push("overrun")
  const room =
    Math.max(line.end - line.start, Math.min(end, line.end + limits.late) - start) * limits.maxSpeed
  const excess = Math.ceil((line.characters * (line.length - room)) / Math.max(1, line.length))
  return {
    start: Millis.make(start),
    end: Millis.make(end),
    speed,
    flags,
    ...((fast || overrun) && excess > 0 ? { shortenBy: excess } : {})
  }
}
