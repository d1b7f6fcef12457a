/**
 * Line fitting: decides when each line is heard, and how fast. All lines of all speakers are placed jointly. The total
 * cost of `FitCost.ts` is minimized, with no word lost. `FitOrder.ts` says which lines never overlap.
 *
 * The method starts from a greedy placement, line after line, and improves it in passes (`FitPass.ts`). Steps shrink
 * from 512 ms to 1 ms; passes with one step size repeat until nothing improves. The cost never rises, so the result is
 * never worse than the greedy placement. If lines may be slower, further passes then make lines longer only: a line
 * never starts elsewhere to be slower.
 *
 * Without the speed-change term, the problem is L♮-convex over the integers: every term depends on a start, an end, or
 * their difference. A placement that no pass at 1 ms improves is then a true optimum, and step scaling reaches it in
 * few passes. Alternatives considered: gradient and interior-point methods need rounding to whole milliseconds, and
 * smear the corners that keep fitting lines exactly in place. The slope trick (a heap of breakpoints) cannot express
 * the speed-change term.
 */
import { type Flag, type FitLimits, isFaster } from "../../domain/speech/Placement.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import type { FitLine } from "./FitCost.ts"
import { breath, fitOrder, type FitOrder } from "./FitOrder.ts"
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
  /**
   * `early`, `late`: starts 200 ms or more off; `fast`: faster than maxSpeed; `overrun`: ends later than allowed;
   * `overlap`: is still heard when a line starts that the source keeps apart from it.
   */
  readonly flags: ReadonlyArray<Flag>
  /** Characters to remove so that the line fits its own slot; set only if it is fast or overruns and is too long. */
  readonly shortenBy?: number
}

/** Onset shift, in milliseconds, from which a line is flagged. */
const noticeableShift = 200

/**
 * Places the lines of a film; `result[i]` belongs to `lines[i]`. A speaker's lines are heard one after the other in
 * order of their starts (ties in input order), even where their slots overlap. No line starts before 0, or more than
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
  const problem = problemOf(inOrder, fitOrder(inOrder, limits), atLeastNormal, horizon)
  const placing = plain(problem)
  minimize(problem, placing)
  if ((limits.minSpeed ?? 1) < 1) {
    placing.cost = Infinity
    minimize(slowerProblem(problem, placing, limits), placing)
  }
  const result = new Array<Fitted>(lines.length)
  order.forEach((index, at) => {
    result[index] = fittedOf(problem, placing, at, limits)
  })
  return result
}

/** The problem of slowing placed lines: none moves, is sped up, or ends after its cue or in a breath for it. */
const slowerProblem = (problem: FitProblem, placing: Placing, limits: FitLimits): FitProblem => {
  const { lines, order, natural } = problem
  const starts = placing.starts.slice()
  /** A step of speed is never worth it, up to the longest pause across which it is heard. */
  const weights = Float64Array.from(lines, (line, i) => {
    const last = lines[order.before[i]!]
    return last?.speaker === line.speaker && line.start - (last?.end ?? 0) <= 500 ? 2 : 0
  })
  const longest = natural.map((length, i) => {
    const { end, recorded = length, endsSentence = false } = lines[i]!
    const next = order.nexts[i]!
    const pause = endsSentence && next < lines.length ? Math.min(breath, lines[next]!.start - end) : 0
    const room = Math.min(end, (starts[next] ?? Infinity) - pause) - starts[i]!
    const slowest = Math.floor(length / (limits.minSpeed ?? 1) + 1e-9)
    return recorded < length ? recorded : Math.max(placing.lengths[i]!, Math.min(slowest, room))
  })
  return {
    ...problem,
    order: { ...order, weights },
    limits,
    longest,
    shortest: placing.lengths.slice(),
    earliest: starts,
    latest: starts
  }
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

const problemOf = (
  lines: ReadonlyArray<FitLine>,
  order: FitOrder,
  limits: FitLimits,
  horizon: number
): FitProblem => {
  const cap = Math.max(1, limits.hardMaxSpeed)
  const natural = Int32Array.from(lines, (line) => Math.max(1, line.length))
  const longest = natural.map((length, i) => Math.max(1, Math.min(length, lines[i]!.recorded ?? Infinity)))
  const shortest = natural.map((length, i) => Math.min(longest[i]!, Math.ceil(length / cap - 1e-9)))
  const earliest = new Int32Array(lines.length)
  /** Where the next line must start at the latest, for all lines after it to end with the film. */
  const next = new Float64Array(lines.length).fill(horizon)
  for (let i = lines.length - 1; i >= 0; i--) {
    const latest = next[i]! - shortest[i]!
    earliest[i] = Math.max(0, Math.min(lines[i]!.start - limits.early, latest))
    const before = order.before[i]!
    if (before >= 0) next[before] = Math.min(next[before]!, latest)
  }
  return {
    lines,
    order,
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
const plain = ({ lines, order, limits, natural, longest, shortest, earliest }: FitProblem): Placing => {
  const starts = new Int32Array(lines.length)
  const lengths = new Int32Array(lines.length)
  lines.forEach((line, i) => {
    const last = order.before[i]!
    const free = last < 0 ? 0 : starts[last]! + lengths[last]!
    const start = Math.max(free, line.start, earliest[i]!)
    const available = Math.max(line.end + limits.late, lines[i + 1]?.start ?? 0) - start
    const preferred = Math.max(shortest[i]!, Math.ceil(natural[i]! / limits.maxSpeed))
    starts[i] = start
    lengths[i] = Math.min(natural[i]!, longest[i]!, Math.max(preferred, available))
  })
  return { starts, lengths, cost: Infinity }
}

const fittedOf = ({ lines, order }: FitProblem, placing: Placing, at: number, limits: FitLimits): Fitted => {
  const line = lines[at]!
  const { allowed } = order.ends[at]!
  const start = placing.starts[at]!
  const length = placing.lengths[at]!
  const end = start + length
  const speed = Math.max(limits.minSpeed ?? 1, (line.recorded ?? line.length) / length)
  const fast = isFaster(line.length / length, length, limits.maxSpeed)
  const overrun = end > allowed
  const flags: Array<Flag> = []
  if (start <= line.start - noticeableShift) flags.push("early")
  if (start >= line.start + noticeableShift) flags.push("late")
  if (fast) flags.push("fast")
  if (overrun) flags.push("overrun")
  if (order.rivals[at]!.some((other) => placing.starts[other]! < end)) flags.push("overlap")
  const available = Math.max(line.end - line.start, Math.min(end, allowed) - start) * limits.maxSpeed
  const excess = Math.ceil((line.characters * (line.length - available)) / Math.max(1, line.length))
  return {
    start: millis(start),
    end: millis(end),
    speed,
    flags,
    ...((fast || overrun) && excess > 0 ? { shortenBy: excess } : {})
  }
}
