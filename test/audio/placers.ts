/** Other placement algorithms, for comparison with `fitLines`: greedy ones, and an exhaustive one. */
import type { FitLimits } from "../../src/domain/speech/Placement.ts"
import {
  changeCost,
  changeWeight,
  type FitLine,
  type FittedSpeech,
  onsetCost,
  speedCost,
  tailCost
} from "../../src/audio/fit/FitCost.ts"

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

/** For one line: a row per length, with the lowest cost so far for each start. */
interface Table {
  readonly line: FitLine
  readonly starts: ReadonlyArray<number>
  readonly rows: ReadonlyArray<{ readonly length: number; readonly harms: ReadonlyArray<number> }>
}

/**
 * Returns the lowest cost of all placements on a grid of `grid` milliseconds, by exhaustive search. Starts range from
 * `early` before the slot to `furthest` after its start.
 */
export const exactHarm = (
  lines: ReadonlyArray<FitLine>,
  limits: FitLimits,
  grid: number,
  furthest: number
): number => {
  const range = (from: number, to: number) =>
    Array.from({ length: Math.floor((to - from) / grid) + 1 }, (_, i) => from + i * grid)

  const least = (harms: ReadonlyArray<number>) => harms.reduce((a, b) => Math.min(a, b), Infinity)

  /** For each start: the lowest cost with a previous line that took this row's length and has ended by then. */
  const ended = (starts: ReadonlyArray<number>, before: Table, row: Table["rows"][number]) => {
    let reached = Infinity
    let next = 0
    return starts.map((start) => {
      for (; (before.starts[next] ?? Infinity) + row.length <= start; next++)
        reached = Math.min(reached, row.harms[next] ?? Infinity)
      return reached
    })
  }

  const tableOf = (line: FitLine, before: Table | undefined): Table => {
    const starts = range(Math.max(0, line.start - limits.early), line.start + furthest)
    const ways = before?.rows.map((row) => ({
      pace: row.length / before.line.length,
      harms: ended(starts, before, row)
    }))
    const weight = before === undefined ? 0 : changeWeight(before.line, line)
    const lengths = range(Math.ceil(line.length / limits.hardMaxSpeed / grid) * grid, line.length)
    const rows = lengths.map((length) => {
      const speed = speedCost(line.length, length, limits.maxSpeed)
      const changes = ways?.map((way) => changeCost(way.pace, length / line.length, weight))
      const harms = starts.map((start, k) => {
        const own = speed + onsetCost(line, start) + tailCost(line, start + length, limits.late)
        if (ways === undefined || changes === undefined) return own
        let harm = Infinity
        for (let way = 0; way < ways.length; way++)
          harm = Math.min(harm, (ways[way]?.harms[k] ?? Infinity) + (changes[way] ?? 0))
        return own + harm
      })
      return { length, harms }
    })
    return { line, starts, rows }
  }

  const last = lines.reduce<Table | undefined>((before, line) => tableOf(line, before), undefined)
  return last === undefined ? 0 : least(last.rows.map((row) => least(row.harms)))
}
