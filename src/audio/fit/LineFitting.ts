/**
 * Line fitting: decides when each line of one speaker is heard, and how fast. All lines are placed jointly. The total
 * cost of `FitCost.ts` is minimized, with no overlap and no word lost.
 *
 * The method starts from a greedy placement, line after line, and improves it in passes (`FitPass.ts`). Steps shrink
 * from 512 ms to 1 ms; passes with one step size repeat until nothing improves. The cost never rises, so the result is
 * never worse than the greedy placement. If lines may be slower, further passes then change lengths only: a line never
 * starts elsewhere to be slower.
 *
 * Without the speed-change term, the problem is L♮-convex over the integers: every term depends on a start, an end, or
 * their difference. A placement that no pass at 1 ms improves is then a true optimum, and step scaling reaches it in
 * few passes. Alternatives considered: gradient and interior-point methods need rounding to whole milliseconds, and
 * smear the corners that keep fitting lines exactly in place. The slope trick (a heap of breakpoints) cannot express
 * the speed-change term.
 */
import { type Flag, type FitLimits, isFaster } from "../../domain/speech/Placement.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import { type FitLine, isSlowable } from "./FitCost.ts"
import { type FitProblem, type Placing, passesOf, smallest } from "./FitPass.ts"

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
  const inOrder = order.map((index) => lines[index]!)
  const { minSpeed: _, ...atLeastNormal } = limits
  const problem = problemOf(inOrder, atLeastNormal, horizon)
  const placing = plain(problem)
  minimize(problem, placing)
  if (isSlowable(limits)) {
    placing.cost = Infinity
    const starts = placing.starts.slice()
    minimize({ ...problemOf(inOrder, limits, horizon), earliest: starts, latest: starts }, placing)
  }
  const result = new Array<Fitted>(lines.length)
  order.forEach((index, at) => {
    result[index] = fittedOf(lines[index]!, placing.starts[at]!, placing.lengths[at]!, limits)
  })
  return result
}

/** Improves a placement until no pass does. */
const minimize = (problem: FitProblem, placing: Placing): void => {
  const improve = passesOf(problem, placing)
  // A placement that costs nothing cannot be improved: no cost is negative.
  for (let step = 512; step >= 1 && placing.cost > smallest; step >>= 1)
    for (let pass = 0; pass < passLimit && improve(step); pass++);
}

/** Maximum number of passes with one step size; in trials, further passes changed nothing. */
const passLimit = 40

const problemOf = (lines: ReadonlyArray<FitLine>, limits: FitLimits, horizon: number): FitProblem => {
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
    earliest,
    latest: new Int32Array(lines.length).fill(2 ** 31 - 1)
  }
}

/**
 * Greedy placement: each line starts at its time or when the line before has ended. It is sped up as far as needed to
 * end before the next one starts.
 */
const plain = ({ lines, limits, natural, longest, shortest, earliest }: FitProblem): Placing => {
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
    start: millis(start),
    end: millis(end),
    speed,
    flags,
    ...((fast || overrun) && excess > 0 ? { shortenBy: excess } : {})
  }
}
