/**
 * Passes of line fitting. One pass considers moving each start by up to three steps and each length by up to two, for
 * all lines at once. Dynamic programming picks the best of the 35 choices of each line: from the last line to the
 * first, each tells the line before it what that line's choices would cost. Time is linear in the number of lines.
 *
 * Most lines fit where they are, so most of their choices cannot be best. They are left out:
 *
 * - choices that a limit makes equal to another one
 * - starts after the line's time that no end of the line before requires
 * - starts before the line's time, if a later one ends before the next line can start, before the film ends, and within
 *   what is allowed
 *
 * A start nearer to the line's time saves at least 50 a second, more than a later end costs up to there (`FitCost.ts`).
 */
import type { FitLimits } from "../../domain/speech/Placement.ts"
import { changeCost, fillCost, filmCost, onsetCost, speedCost, tailCost, type FitLine } from "./FitCost.ts"
import type { FitOrder } from "./FitOrder.ts"

/** Choices of a start and of a length in one pass; the middle one is the current value. */
const startChoices = 7
const lengthChoices = 5
const pairs = startChoices * lengthChoices

/** A pass must lower the cost by more than this. */
export const smallest = 1e-9

/** Lines in order of their starts, and the bounds of what they may become, in milliseconds. */
export interface FitProblem {
  readonly lines: ReadonlyArray<FitLine>
  readonly order: FitOrder
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
const choicesOf = (count: number) => ({
  starts: new Int32Array(count * startChoices),
  lengths: new Int32Array(count * lengthChoices),
  /** The first and last start, and the first and last length, that are not left out. */
  bounds: new Uint8Array(count * 4),
  /** The lowest cost of each pair of a start and a length that is not left out, with all lines placed after it. */
  costs: new Float64Array(count * pairs),
  /** The best pair, given each pair of the line before. */
  best: new Uint8Array(count * pairs)
})
type Choices = ReturnType<typeof choicesOf>

/** Returns a function that runs one pass with a step size, and returns whether it lowered the cost. */
export const passesOf = (problem: FitProblem, placing: Placing): ((step: number) => boolean) => {
  const count = problem.lines.length
  const choices = choicesOf(count)
  const { before } = problem.order
  /** The earliest start of the lines placed after each one. */
  const following = new Float64Array(count)
  return (step) => {
    following.fill(Infinity)
    for (let i = 0; i < count; i++) {
      list(problem, placing, i, step, choices)
      if (before[i]! >= 0)
        following[before[i]!] = Math.min(following[before[i]!]!, choices.starts[i * startChoices]!)
    }
    choices.costs.fill(0)
    for (let i = 0; i < count; i++) narrow(problem, i, following[i]!, choices)
    let cost = 0
    for (let i = count - 1; i >= 0; i--) {
      addOwn(problem, i, choices)
      if (before[i]! >= 0) tell(problem, i, choices)
      else cost += choices.costs[i * pairs + cheapest(choices, i)]!
    }
    if (!(cost < placing.cost - smallest)) return false
    placing.cost = cost
    take(problem, placing, choices)
    return true
  }
}

/** Lists a line's choices. */
const list = (
  { earliest, latest, shortest, longest }: FitProblem,
  placing: Placing,
  i: number,
  step: number,
  { starts, lengths }: Choices
): void => {
  for (let k = 0; k < startChoices; k++)
    starts[i * startChoices + k] = Math.min(
      latest[i]!,
      Math.max(earliest[i]!, placing.starts[i]! + (k - 3) * step)
    )
  for (let m = 0; m < lengthChoices; m++)
    lengths[i * lengthChoices + m] = Math.max(
      shortest[i]!,
      Math.min(longest[i]!, placing.lengths[i]! + (m - 2) * step)
    )
}

/** Leaves out choices that cannot be best. `following` is the earliest start of the lines placed after this one. */
const narrow = (
  { lines, order, limits, horizon }: FitProblem,
  i: number,
  following: number,
  { starts, lengths, bounds }: Choices
): void => {
  const { start, end } = lines[i]!
  const { barrier, allowed } = order.ends[i]!
  const s = i * startChoices
  const l = i * lengthChoices
  let firstLength = 0
  let lastLength = lengthChoices - 1
  while (firstLength < lastLength && lengths[l + firstLength + 1] === lengths[l + firstLength]) firstLength++
  while (firstLength < lastLength && lengths[l + lastLength - 1] === lengths[l + lastLength]) lastLength--
  const last = order.before[i]!
  /** The latest end of the line before. */
  const free =
    last < 0
      ? 0
      : starts[last * startChoices + bounds[last * 4 + 1]!]! +
        lengths[last * lengthChoices + bounds[last * 4 + 3]!]!
  /** The latest start at which the line's end costs little, and nothing to other lines. */
  const late =
    Math.min(following, horizon, barrier, allowed, (limits.minSpeed ?? 1) < 1 ? end : Infinity) -
    lengths[l + lastLength]!
  let firstStart = 0
  let lastStart = 0
  while (lastStart < startChoices - 1 && starts[s + lastStart]! < Math.max(start, free)) lastStart++
  while (
    firstStart < lastStart &&
    (starts[s + firstStart + 1]! <= Math.min(start, late) ||
      starts[s + firstStart + 1] === starts[s + firstStart])
  )
    firstStart++
  bounds.set([firstStart, lastStart, firstLength, lastLength], i * 4)
}

/** Adds what a line's choices cost by themselves. */
const addOwn = (
  { lines, order, limits, horizon }: FitProblem,
  i: number,
  { starts, lengths, bounds, costs }: Choices
): void => {
  const line = lines[i]!
  const ends = order.ends[i]!
  const fills = (limits.minSpeed ?? 1) < 1
  for (let m = bounds[i * 4 + 2]!; m <= bounds[i * 4 + 3]!; m++) {
    const length = lengths[i * lengthChoices + m]!
    const speed = speedCost(line, length, limits.maxSpeed)
    for (let k = bounds[i * 4]!; k <= bounds[i * 4 + 1]!; k++) {
      const start = starts[i * startChoices + k]!
      const end = start + length
      costs[i * pairs + k * lengthChoices + m]! +=
        speed +
        onsetCost(line, ends, start) +
        tailCost(line, ends, end, limits.late) +
        (fills ? fillCost(line, end) : 0) +
        (end > horizon ? filmCost(end - horizon) : 0)
    }
  }
}

/** For each start and length: the lowest cost of those that do not start before, and the pair that has it. */
const least = new Float64Array(pairs)
const leastBy = new Uint8Array(pairs)

/** Adds a line's lowest cost to each choice of the line before. */
const tell = (
  { order, natural }: FitProblem,
  i: number,
  { starts, lengths, bounds, costs, best }: Choices
): void => {
  const last = order.before[i]!
  const weight = order.weights[i]!
  const [firstStart, lastStart] = [bounds[i * 4]!, bounds[i * 4 + 1]!]
  const [firstLength, lastLength] = [bounds[i * 4 + 2]!, bounds[i * 4 + 3]!]
  for (let k = lastStart; k >= firstStart; k--)
    for (let m = firstLength; m <= lastLength; m++) {
      const pair = k * lengthChoices + m
      const own = costs[i * pairs + pair]!
      const isLeast = k === lastStart || own <= least[pair + lengthChoices]!
      least[pair] = isLeast ? own : least[pair + lengthChoices]!
      leastBy[pair] = isLeast ? pair : leastBy[pair + lengthChoices]!
    }
  for (let b = bounds[last * 4 + 2]!; b <= bounds[last * 4 + 3]!; b++) {
    const length = lengths[last * lengthChoices + b]!
    let k = firstStart
    for (let a = bounds[last * 4]!; a <= bounds[last * 4 + 1]!; a++) {
      const end = starts[last * startChoices + a]! + length
      while (k <= lastStart && starts[i * startChoices + k]! < end) k++
      let lowest = Infinity
      for (let m = firstLength; m <= lastLength && k <= lastStart; m++) {
        const pace = lengths[i * lengthChoices + m]! / natural[i]!
        const cost = least[k * lengthChoices + m]! + changeCost(length / natural[last]!, pace, weight)
        if (cost >= lowest) continue
        lowest = cost
        best[i * pairs + a * lengthChoices + b] = leastBy[k * lengthChoices + m]!
      }
      costs[last * pairs + a * lengthChoices + b]! += lowest
    }
  }
}

/** Returns the best pair of a line. */
const cheapest = ({ bounds, costs }: Choices, i: number): number => {
  let [pair, cost] = [0, Infinity]
  for (let k = bounds[i * 4]!; k <= bounds[i * 4 + 1]!; k++)
    for (let m = bounds[i * 4 + 2]!; m <= bounds[i * 4 + 3]!; m++) {
      const other = costs[i * pairs + k * lengthChoices + m]!
      if (other < cost) [pair, cost] = [k * lengthChoices + m, other]
    }
  return pair
}

/** Gives each line its best choice. */
const take = ({ order: { before } }: FitProblem, placing: Placing, choices: Choices): void => {
  const taken = new Uint8Array(before.length)
  before.forEach((last, i) => {
    const pair = last < 0 ? cheapest(choices, i) : choices.best[i * pairs + taken[last]!]!
    taken[i] = pair
    placing.starts[i] = choices.starts[i * startChoices + Math.floor(pair / lengthChoices)]!
    placing.lengths[i] = choices.lengths[i * lengthChoices + (pair % lengthChoices)]!
  })
}
