/** Other placement algorithms, for comparison with `fitLines`: greedy ones, and an exhaustive one. */
import type { FitLimits } from "../../src/domain/speech/Placement.ts"
import {
  changeCost,
  fillCost,
  filmCost,
  type FitLine,
  onsetCost,
  speedCost,
  tailCost
} from "../../src/audio/fit/FitCost.ts"
import { fitOrder } from "../../src/audio/fit/FitOrder.ts"

/** Where a line is heard, in milliseconds. */
interface FittedSpeech {
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
  const { before, weights, ends } = fitOrder(lines, limits)
  const paceOf = (at = -1) => ((heard[at]?.end ?? 0) - (heard[at]?.start ?? 0)) / (lines[at]?.length ?? 1)
  return lines.reduce((harm, line, i) => {
    const [at, own, weight = 0] = [heard[i], ends[i], weights[i]]
    if (at === undefined || own === undefined) return harm
    return (
      harm +
      onsetCost(line, own, at.start) +
      tailCost(line, own, at.end, limits.late) +
      ((limits.minSpeed ?? 1) < 1 ? fillCost(line, at.end) : 0) +
      speedCost(line, at.end - at.start, limits.maxSpeed) +
      filmCost(at.end - horizon) +
      (weight === 0 ? 0 : changeCost(paceOf(before[i]), paceOf(i), weight))
    )
  }, 0)
}

export type Greedy = (lines: ReadonlyArray<FitLine>, limits: FitLimits) => ReadonlyArray<FittedSpeech>

/** Places line after line, none before its time; `speed` returns a line's speed from the room until the next line. */
const greedy =
  (speed: (line: FitLine, room: number, limits: FitLimits) => number): Greedy =>
  (lines, limits) => {
    let free = 0
    return lines.map((line, i) => {
      const start = Math.max(free, line.start)
      const room = (lines[i + 1]?.start ?? Infinity) - start
      const wanted = Math.max(1, Math.min(limits.hardMaxSpeed, speed(line, room, limits)))
      const shortest = Math.ceil(line.length / limits.hardMaxSpeed - 1e-9)
      free = start + Math.max(1, shortest, Math.min(line.length, Math.ceil(line.length / wanted)))
      return { start, end: free }
    })
  }

/** Normal speed; maximum speed; fitted to the room at any speed; fitted up to a cap; with borrowed room. */
export const greedies: ReadonlyArray<Greedy> = [
  greedy(() => 1),
  greedy((_line, _room, limits) => limits.hardMaxSpeed),
  greedy((line, room) => (room > 0 ? line.length / room : Infinity)),
  greedy((line, room, limits) => Math.min(limits.maxSpeed, room > 0 ? line.length / room : Infinity)),
  greedy((line, room) => line.length / Math.max(1, Math.min(room, line.end - line.start + 1_000))),
  greedy((line, room, limits) =>
    Math.min(limits.maxSpeed, line.length / Math.max(1, line.end + limits.late - line.start, room))
  )
]

/** What a line may become, on the grid; `least[k]` of a length is its lowest cost from the k-th start on. */
interface Table {
  readonly line: FitLine
  readonly starts: ReadonlyArray<number>
  readonly rows: ReadonlyArray<{ readonly length: number; readonly least: ReadonlyArray<number> }>
}

/**
 * Returns the lowest cost of all placements on a grid of `grid` milliseconds, by exhaustive search. Starts range from
 * `early` before the slot to `furthest` after its start. Lines are in order of their starts.
 */
export const exactHarm = (
  lines: ReadonlyArray<FitLine>,
  limits: FitLimits,
  grid: number,
  furthest: number
): number => {
  const range = (from: number, to: number) =>
    Array.from({ length: Math.floor((to - from) / grid) + 1 }, (_, i) => from + i * grid)
  const { before, weights, ends } = fitOrder(lines, limits)
  const tables: Array<Table | undefined> = lines.map(() => undefined)

  /** The lowest cost of a line that starts at `from` or later, after a line of this pace. */
  const leastFrom = (at: number, from: number, pace: number): number => {
    const { line, starts = [], rows = [] } = tables[at] ?? {}
    const first = Math.max(0, Math.ceil((from - (starts[0] ?? 0)) / grid))
    return rows.reduce(
      (harm, { length, least }) =>
        Math.min(
          harm,
          (least[first] ?? Infinity) + changeCost(pace, length / (line?.length ?? 1), weights[at] ?? 0)
        ),
      Infinity
    )
  }

  for (let i = lines.length - 1; i >= 0; i--) {
    const [line, end] = [lines[i], ends[i]]
    if (line === undefined || end === undefined) continue
    const after = lines.flatMap((_, at) => (before[at] === i ? [at] : []))
    const starts = range(Math.max(0, line.start - limits.early), line.start + furthest)
    const rows = range(Math.ceil(line.length / limits.hardMaxSpeed / grid) * grid, line.length).map(
      (length) => {
        const speed = speedCost(line, length, limits.maxSpeed)
        let lowest = Infinity
        const least = starts.map(() => Infinity)
        for (let k = starts.length - 1; k >= 0; k--) {
          const start = starts[k] ?? 0
          const own = speed + onsetCost(line, end, start) + tailCost(line, end, start + length, limits.late)
          if (own < lowest)
            lowest = Math.min(
              lowest,
              after.reduce((sum, at) => sum + leastFrom(at, start + length, length / line.length), own)
            )
          least[k] = lowest
        }
        return { length, least }
      }
    )
    tables[i] = { line, starts, rows }
  }
  return lines.reduce((sum, _, i) => (before[i] === -1 ? sum + leastFrom(i, -Infinity, 1) : sum), 0)
}
