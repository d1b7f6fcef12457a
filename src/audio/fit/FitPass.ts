/**
 * Passes of line fitting. One pass considers moving each start by up to three steps and each length by up to two, for
 * all lines at once. Dynamic programming from the first line to the last picks the best of the 35 choices of each line,
 * in time linear in the number of lines.
 *
 * Most lines fit where they are, so most of their choices cannot be best. They are left out:
 *
 * - choices that a limit makes equal to another one
 * - starts after the line's time that no end of the line before requires
 * - starts before the line's time, if a later one ends before the next line can start, and before the film ends
 *
 * A start nearer to the line's time saves at least 12.5 a second, more than its later end can cost (`FitCost.ts`).
 */
import type { FitLimits } from "../../domain/speech/Placement.ts"
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

/** Choices of a start and of a length in one pass; the middle one is the current value. */
const startChoices = 7
const lengthChoices = 5
const pairs = startChoices * lengthChoices

/** A pass must lower the cost by more than this. */
export const smallest = 1e-9

/** The lines of one speaker in order of their starts, and the bounds of what they may become, in milliseconds. */
export interface FitProblem {
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
  /** Earliest and latest start of each line. */
  readonly earliest: Int32Array
  readonly latest: Int32Array
}

/** The current start and length of each line, and the cost of them all. */
export interface Placing {
  readonly starts: Int32Array
  readonly lengths: Int32Array
  cost: number
}

/** Of each line, one after another: its choices, and what they cost. */
interface Choices {
  readonly starts: Int32Array
  readonly lengths: Int32Array
  /** Lengths as a share of the natural one. */
  readonly paces: Float64Array
  /** The first and last start, and the first and last length, that are not left out. */
  readonly bounds: Uint8Array
  /** The lowest cost up to and including each pair of a start and a length that is not left out. */
  readonly costs: Float64Array
  /** For each such pair, the best pair of the line before. */
  readonly from: Uint8Array
}

/**
 * Returns a function that runs one pass with a step size, and returns whether it lowered the cost. If the step size is
 * that of the pass before, it begins at the first line that moved.
 */
export const passesOf = (problem: FitProblem, placing: Placing): ((step: number) => boolean) => {
  const count = problem.lines.length
  const choices: Choices = {
    starts: new Int32Array(count * startChoices),
    lengths: new Int32Array(count * lengthChoices),
    paces: new Float64Array(count * lengthChoices),
    bounds: new Uint8Array(count * 4),
    costs: new Float64Array(count * pairs),
    from: new Uint8Array(count * pairs)
  }
  const compute = costing(problem, choices)
  let first = 0
  let stepBefore = 0
  return (step) => {
    if (step !== stepBefore) first = 0
    stepBefore = step
    for (let i = first; i < count; i++) {
      list(problem, placing, i, step, choices)
      narrow(problem, placing, i, step, choices)
      compute(i)
    }
    const { pair, cost } = cheapest(choices)
    if (!(cost < placing.cost - smallest)) return false
    placing.cost = cost
    first = take(placing, choices, pair)
    return true
  }
}

/** Lists a line's choices. */
const list = (
  { earliest, latest, shortest, longest, natural }: FitProblem,
  placing: Placing,
  i: number,
  step: number,
  { starts, lengths, paces }: Choices
): void => {
  for (let k = 0; k < startChoices; k++)
    starts[i * startChoices + k] = Math.min(
      latest[i]!,
      Math.max(earliest[i]!, placing.starts[i]! + (k - 3) * step)
    )
  for (let m = 0; m < lengthChoices; m++) {
    const length = Math.max(shortest[i]!, Math.min(longest[i]!, placing.lengths[i]! + (m - 2) * step))
    lengths[i * lengthChoices + m] = length
    paces[i * lengthChoices + m] = length / natural[i]!
  }
}

/** Leaves out choices that cannot be best. */
const narrow = (
  { lines, limits, horizon, earliest }: FitProblem,
  placing: Placing,
  i: number,
  step: number,
  { starts, lengths, bounds }: Choices
): void => {
  const { start, end } = lines[i]!
  const s = i * startChoices
  const l = i * lengthChoices
  const b = i * 4
  let firstLength = 0
  let lastLength = lengthChoices - 1
  while (firstLength < lastLength && lengths[l + firstLength + 1] === lengths[l + firstLength]) firstLength++
  while (firstLength < lastLength && lengths[l + lastLength - 1] === lengths[l + lastLength]) lastLength--
  /** The latest end of the line before. */
  const free =
    i === 0 ? 0 : starts[s - startChoices + bounds[b - 3]!]! + lengths[l - lengthChoices + bounds[b - 1]!]!
  const following =
    i + 1 < lines.length ? Math.max(earliest[i + 1]!, placing.starts[i + 1]! - 3 * step) : Infinity
  /** The latest start at which the line's end costs nothing to later lines. */
  const late = Math.min(following, horizon, isSlowable(limits) ? end : Infinity) - lengths[l + lastLength]!
  let firstStart = 0
  let lastStart = 0
  while (lastStart < startChoices - 1 && starts[s + lastStart]! < Math.max(start, free)) lastStart++
  while (
    firstStart < lastStart &&
    (starts[s + firstStart + 1]! <= Math.min(start, late) ||
      starts[s + firstStart + 1] === starts[s + firstStart])
  )
    firstStart++
  bounds[b] = firstStart
  bounds[b + 1] = lastStart
  bounds[b + 2] = firstLength
  bounds[b + 3] = lastLength
}

/** Returns a function that computes the costs of a line's choices. */
const costing = (
  { lines, limits, horizon, natural }: FitProblem,
  { starts, lengths, paces, bounds, costs, from }: Choices
): ((i: number) => void) => {
  const fills = isSlowable(limits)
  const { late, maxSpeed } = limits
  const speeds = new Float64Array(lengthChoices)
  /** For each length of the line before: the lowest cost of those of its starts that let the line start. */
  const reached = new Float64Array(lengthChoices)
  const reachedBy = new Uint8Array(lengthChoices)
  const next = new Uint8Array(lengthChoices)
  /** For each length of the line: the lowest cost of the lines before, and the pair that has it. */
  const least = new Float64Array(lengthChoices)
  const leastBy = new Uint8Array(lengthChoices)
  /** The cost of the change of pace from each length of the line before to each of this line. */
  const changes = new Float64Array(lengthChoices * lengthChoices)

  return (i) => {
    const line = lines[i]!
    const s = i * startChoices
    const l = i * lengthChoices
    const p = i * pairs
    const firstStart = bounds[i * 4]!
    const lastStart = bounds[i * 4 + 1]!
    const firstLength = bounds[i * 4 + 2]!
    const lastLength = bounds[i * 4 + 3]!
    const firstBefore = i === 0 ? 0 : bounds[i * 4 - 2]!
    const lastBefore = i === 0 ? -1 : bounds[i * 4 - 1]!
    const lastStartBefore = i === 0 ? -1 : bounds[i * 4 - 3]!
    const weight = i === 0 ? 0 : changeWeight(lines[i - 1]!, line)
    for (let m = firstLength; m <= lastLength; m++) {
      speeds[m] = speedCost(natural[i]!, lengths[l + m]!, maxSpeed)
      least[m] = i === 0 ? 0 : Infinity
      leastBy[m] = 0
      for (let b = firstBefore; b <= lastBefore; b++)
        changes[b * lengthChoices + m] = changeCost(paces[l - lengthChoices + b]!, paces[l + m]!, weight)
    }
    for (let b = firstBefore; b <= lastBefore; b++) {
      reached[b] = Infinity
      next[b] = bounds[i * 4 - 4]!
    }
    for (let k = firstStart; k <= lastStart; k++) {
      const start = starts[s + k]!
      const onset = onsetCost(line, start)
      for (let b = firstBefore; b <= lastBefore; b++) {
        let lower = false
        while (
          next[b]! <= lastStartBefore &&
          starts[s - startChoices + next[b]!]! + lengths[l - lengthChoices + b]! <= start
        ) {
          const pair = next[b]! * lengthChoices + b
          if (costs[p - pairs + pair]! < reached[b]!) {
            reached[b] = costs[p - pairs + pair]!
            reachedBy[b] = pair
            lower = true
          }
          next[b]!++
        }
        if (lower)
          for (let m = firstLength; m <= lastLength; m++) {
            const cost = reached[b]! + changes[b * lengthChoices + m]!
            if (cost < least[m]! || (cost === least[m]! && b <= leastBy[m]! % lengthChoices)) {
              least[m] = cost
              leastBy[m] = reachedBy[b]!
            }
          }
      }
      for (let m = firstLength; m <= lastLength; m++) {
        const length = lengths[l + m]!
        const end = start + length
        const rest =
          (end > line.end ? tailCost(line, end, late) : 0) + (fills ? fillCost(line, length, end) : 0)
        const pair = k * lengthChoices + m
        costs[p + pair] =
          least[m]! + onset + speeds[m]! + rest + (end > horizon ? filmCost(end - horizon) : 0)
        from[p + pair] = leastBy[m]!
      }
    }
  }
}

/** Returns the best pair of the last line, and its cost. */
const cheapest = ({ bounds, costs }: Choices): { readonly pair: number; readonly cost: number } => {
  const [firstStart = 0, lastStart = 0, firstLength = 0, lastLength = 0] = bounds.subarray(-4)
  const own = costs.subarray(-pairs)
  let [pair, cost] = [0, bounds.length === 0 ? 0 : Infinity]
  for (let k = firstStart; k <= lastStart; k++)
    for (let m = firstLength; m <= lastLength; m++) {
      const other = own[k * lengthChoices + m] ?? Infinity
      if (other < cost) [pair, cost] = [k * lengthChoices + m, other]
    }
  return { pair, cost }
}

/** Gives each line its best choice; returns the first line whose choices change. */
const take = (placing: Placing, choices: Choices, best: number): number => {
  let pair = best
  let first = placing.starts.length
  for (let i = first - 1; i >= 0; i--) {
    const start = choices.starts[i * startChoices + Math.floor(pair / lengthChoices)]!
    const length = choices.lengths[i * lengthChoices + (pair % lengthChoices)]!
    // Which choices of the line before are left out depends on this one.
    if (start !== placing.starts[i] || length !== placing.lengths[i]) first = Math.max(0, i - 1)
    placing.starts[i] = start
    placing.lengths[i] = length
    pair = choices.from[i * pairs + pair]!
  }
  return first
}
