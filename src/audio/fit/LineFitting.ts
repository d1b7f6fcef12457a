/**
 * Line fitting: decides when each line of one speaker is heard, and how fast. All lines are placed jointly. The total
 * cost of `FitCost.ts` is minimized, with no overlap and no word lost.
 *
 * The method starts from a greedy placement, line after line, and improves it. One pass considers moving each start by
 * up to three steps and each length by up to two, for all lines at once. That is 35 choices a line. Dynamic programming
 * from the first line to the last picks the best combination, in time linear in the number of lines. Steps shrink from
 * 512 ms to 1 ms; passes with one step size repeat until nothing improves. The cost never rises, so the result is never
 * worse than the greedy placement.
 *
 * Without the speed-change term, the problem is L♮-convex over the integers: every term depends on a start, an end, or
 * their difference. A placement that no pass at 1 ms improves is then a true optimum, and step scaling reaches it in
 * few passes. Alternatives considered: gradient and interior-point methods need rounding to whole milliseconds, and
 * smear the corners that keep fitting lines exactly in place. The slope trick (a heap of breakpoints) cannot express
 * the speed-change term.
 */
import { type Flag, type FitLimits, isFaster } from "../../domain/speech/Placement.ts"
import { Millis } from "../../domain/time/Units.ts"
import {
  changeCost,
  changeWeight,
  fillCost,
  filmCost,
  isSlowable,
  onsetCost,
  speedCost,
  tailCost,
  type FitLine
} from "./FitCost.ts"

/** Where a line is heard, and how fast. */
export interface Fitted {
  readonly start: Millis
  readonly end: Millis
  /**
   * The line's recorded length / (end - start), at least 1, or `minSpeed`. Relative to the voice's normal speed, the
   * hard limit always holds.
   */
  readonly speed: number
  /** `early`, `late`: starts 200 ms or more off; `fast`: faster than maxSpeed; `overrun`: ends beyond fit.late. */
  readonly flags: ReadonlyArray<Flag>
  /** Characters to remove so that the line fits its own slot; set only if it is fast or overruns and is too long. */
  readonly shortenBy?: number
}

/** Onset shift, in milliseconds, from which a line is flagged. */
const noticeableShift = 200

/**
 * Places the lines of one speaker; `result[i]` belongs to `lines[i]`. Lines are heard one after the other in order of
 * their starts (ties in input order), even where their slots overlap. No line starts before 0, or more than
 * `limits.early` before its slot. Exception: with `horizon`, the end of the film, lines start earlier if they would
 * otherwise be cut off there.
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
  // A placement that costs nothing cannot be improved: no cost is negative.
  for (let step = 512; step >= 1 && placing.cost > smallest; step >>= 1)
    for (let pass = 0; pass < passLimit && improve(problem, placing, step); pass++);
  const result = new Array<Fitted>(lines.length)
  order.forEach((index, at) => {
    result[index] = fittedOf(lines[index]!, placing.starts[at]!, placing.lengths[at]!, limits)
  })
  return result
}

/** Maximum number of passes with one step size; in trials, further passes changed nothing. */
const passLimit = 40

/** A pass must lower the cost by more than this. */
const smallest = 1e-9

/** Choices of a start and of a length in one pass; the middle one is the current value. */
const startChoices = 7
const lengthChoices = 5

interface Problem {
  readonly lines: ReadonlyArray<FitLine>
  readonly limits: FitLimits
  readonly horizon: number
  /**
   * Lengths at the voice's normal speed (at least 1); as recorded, or as slow as allowed; and the shortest that the
   * hard limit allows.
   */
  readonly natural: Int32Array
  readonly longest: Int32Array
  readonly shortest: Int32Array
  /** Earliest start of each line. */
  readonly earliest: Int32Array
}

interface Placing {
  readonly starts: Int32Array
  readonly lengths: Int32Array
  cost: number
}

const problemOf = (lines: ReadonlyArray<FitLine>, limits: FitLimits, horizon: number): Problem => {
  const cap = Math.max(1, limits.hardMaxSpeed)
  const natural = Int32Array.from(lines, (line) => Math.max(1, line.length))
  const slowest = limits.minSpeed ?? 1
  const longest = natural.map((length, i) =>
    Math.max(1, Math.min(Math.floor(length / slowest + 1e-9), lines[i]!.recorded ?? Infinity))
  )
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
 * Greedy placement: each line starts at its time or when the line before has ended. It is sped up as far as needed to
 * end before the next one starts.
 */
const plain = ({ lines, limits, natural, longest, shortest, earliest }: Problem): Placing => {
  const starts = new Int32Array(lines.length)
  const lengths = new Int32Array(lines.length)
  let free = 0
  lines.forEach((line, i) => {
    const start = Math.max(free, line.start, earliest[i]!)
    const available = Math.max(line.end + limits.late, lines[i + 1]?.start ?? 0) - start
    const preferred = Math.max(shortest[i]!, Math.ceil(natural[i]! / limits.maxSpeed))
    starts[i] = start
    lengths[i] = Math.min(natural[i]!, longest[i]!, Math.max(preferred, available))
    free = start + lengths[i]!
  })
  return { starts, lengths, cost: Infinity }
}

/** Runs one pass; returns whether it lowered the cost. */
const improve = (problem: Problem, placing: Placing, step: number): boolean => {
  const { lines, limits, horizon, natural } = problem
  const fills = isSlowable(limits)
  const states = startChoices * lengthChoices
  const count = lines.length
  const from = new Uint8Array(count * states)
  /**
   * For the current line and the one before: the choices, and the lowest cost up to and including each pair of them.
   */
  let starts = new Int32Array(startChoices)
  let lengths = new Int32Array(lengthChoices)
  let paces = new Float64Array(lengthChoices)
  let costs = new Float64Array(states)
  let startsBefore = new Int32Array(startChoices)
  let lengthsBefore = new Int32Array(lengthChoices)
  let pacesBefore = new Float64Array(lengthChoices)
  let costsBefore = new Float64Array(states)
  const speeds = new Float64Array(lengthChoices)
  const reached = new Float64Array(lengthChoices)
  const reachedBy = new Int32Array(lengthChoices)
  const next = new Int32Array(lengthChoices)
  /** For each length of the current line: the lowest cost of the lines before, and the pair that has it. */
  const least = new Float64Array(lengthChoices)
  const leastBy = new Int32Array(lengthChoices)
  /** The cost of the change of pace from each length of the line before to each of this line. */
  const changes = new Float64Array(lengthChoices * lengthChoices)

  for (let i = 0; i < count; i++) {
    const line = lines[i]!
    const weight = i === 0 ? 0 : changeWeight(lines[i - 1]!, line)
    for (let k = 0; k < startChoices; k++) starts[k] = startChoice(problem, placing, i, k, step)
    for (let m = 0; m < lengthChoices; m++) {
      const length = lengthChoice(problem, placing, i, m, step)
      lengths[m] = length
      paces[m] = length / natural[i]!
      speeds[m] = speedCost(natural[i]!, length, limits.maxSpeed)
      reached[m] = Infinity
      next[m] = 0
      for (let b = 0; b < lengthChoices; b++)
        changes[b * lengthChoices + m] = changeCost(pacesBefore[b]!, paces[m]!, weight)
    }
    for (let k = 0; k < startChoices; k++) {
      const start = starts[k]!
      const onset = onsetCost(line, start)
      // Most lines start after the one before has ended, wherever both are moved: then only the first start differs.
      let differs = i > 0 && k === 0
      if (i > 0)
        for (let m = 0; m < lengthChoices; m++)
          while (next[m]! < startChoices && startsBefore[next[m]!]! + lengthsBefore[m]! <= start) {
            const state = next[m]! * lengthChoices + m
            if (costsBefore[state]! < reached[m]!) {
              reached[m] = costsBefore[state]!
              reachedBy[m] = state
              differs = true
            }
            next[m]!++
          }
      if (differs)
        for (let m = 0; m < lengthChoices; m++) {
          least[m] = Infinity
          leastBy[m] = 0
          for (let b = 0; b < lengthChoices; b++) {
            const cost = reached[b]! + changes[b * lengthChoices + m]!
            if (cost < least[m]!) {
              least[m] = cost
              leastBy[m] = reachedBy[b]!
            }
          }
        }
      for (let m = 0; m < lengthChoices; m++) {
        const end = start + lengths[m]!
        const rest = tailCost(line, end, limits.late) + (fills ? fillCost(line, lengths[m]!, end) : 0)
        costs[k * lengthChoices + m] = least[m]! + onset + speeds[m]! + rest + filmCost(end - horizon)
        from[i * states + k * lengthChoices + m] = leastBy[m]!
      }
    }
    ;[starts, startsBefore] = [startsBefore, starts]
    ;[lengths, lengthsBefore] = [lengthsBefore, lengths]
    ;[paces, pacesBefore] = [pacesBefore, paces]
    ;[costs, costsBefore] = [costsBefore, costs]
  }

  let state = 0
  for (let other = 1; other < states; other++) if (costsBefore[other]! < costsBefore[state]!) state = other
  const cost = costsBefore[state] ?? 0
  if (!(cost < placing.cost - smallest)) return false
  placing.cost = cost
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
  const speed = Math.max(limits.minSpeed ?? 1, (line.recorded ?? line.length) / length)
  const fast = isFaster(line.length / length, length, limits.maxSpeed)
  const overrun = end > line.end + limits.late
  const flags: Array<Flag> = []
  if (start <= line.start - noticeableShift) flags.push("early")
  if (start >= line.start + noticeableShift) flags.push("late")
  if (fast) flags.push("fast")
  if (overrun) flags.push("overrun")
  const available =
    Math.max(line.end - line.start, Math.min(end, line.end + limits.late) - start) * limits.maxSpeed
  const excess = Math.ceil((line.characters * (line.length - available)) / Math.max(1, line.length))
  return {
    start: Millis.make(start),
    end: Millis.make(end),
    speed,
    flags,
    ...((fast || overrun) && excess > 0 ? { shortenBy: excess } : {})
  }
}
