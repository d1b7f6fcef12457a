/**
 * Who follows whom: the line after which each line is placed, and the ends up to which each may run.
 *
 * A line is placed after one earlier line, of any speaker, and never overlaps it: these links form a forest, which
 * dynamic programming solves exactly (`FitPass.ts`). A line of a scene without overlaps follows the line before it.
 * Where the source overlaps, each speaker's lines follow each other. There, a line may run into another speaker's later
 * one, for a price: what it costs is a function of each line alone.
 */
import type { FitLimits } from "../../domain/speech/Placement.ts"
import { changeWeight, type FitEnds, type FitLine } from "./FitCost.ts"

/** Relations of lines that are sorted by start. */
export interface FitOrder {
  /** The earlier line after which each line is placed; -1 for none. */
  readonly before: Int32Array
  /** What a change of pace to that line counts; 0 if another speaker says it. */
  readonly weights: Float64Array
  readonly ends: ReadonlyArray<FitEnds>
  /** The first later line that starts when each line's slot has ended; the number of lines if there is none. */
  readonly nexts: Int32Array
  /** The later lines into which each line may run, though it has ended in the source. */
  readonly rivals: ReadonlyArray<ReadonlyArray<number>>
}

/** The pause that stays after a sentence, in milliseconds, if the source has as much. */
export const breath = 150

/** The pause within which a line's end may run into later lines, in milliseconds. */
const near = 5_000

/** Returns the relations of lines in order of their starts. */
export const fitOrder = (lines: ReadonlyArray<FitLine>, limits: FitLimits): FitOrder => {
  const before = new Int32Array(lines.length).fill(-1)
  /** The latest end of a line's slot and of those that it is placed after. */
  const reach = new Float64Array(lines.length)
  const lastOf = new Map<string, number>()
  lines.forEach(({ start, end, speaker = "" }, i) => {
    const own = lastOf.get(speaker) ?? -1
    let best = own
    for (const last of lastOf.values())
      if (
        reach[last]! <= start &&
        (best === own || reach[last]! >= reach[best]!) &&
        (own < 0 || isAfter(last, own, before))
      )
        best = last
    before[i] = best
    reach[i] = Math.max(end, best < 0 ? 0 : reach[best]!)
    lastOf.set(speaker, i)
  })
  const nexts = Int32Array.from(lines, ({ end }, i) => {
    let next = i + 1
    while (next < lines.length && lines[next]!.start < end) next++
    return next
  })
  const rivals = lines.map(({ end }, i) => {
    const found: Array<number> = []
    for (let k = nexts[i]!; k < lines.length && lines[k]!.start < end + near; k++)
      if (!isAfter(k, i, before)) found.push(k)
    return found
  })
  const barriers = new Set(rivals.flat())
  return {
    before,
    nexts,
    rivals,
    weights: Float64Array.from(lines, (line, i) => {
      const last = lines[before[i]!]
      return last === undefined || last.speaker !== line.speaker ? 0 : changeWeight(last, line)
    }),
    ends: lines.map(({ end, endsSentence = false }, i) => {
      const pause = (lines[nexts[i]!]?.start ?? Infinity) - end
      return {
        breath: endsSentence ? end + Math.max(0, pause - breath) : Infinity,
        allowed: end + limits.late + Math.max(0, Math.min(limits.late, (pause - limits.late) / 12)),
        barrier: lines[rivals[i]![0] ?? lines.length]?.start ?? Infinity,
        isBarrier: barriers.has(i)
      }
    })
  }
}

/** Whether a line is another one, or is placed after it. */
const isAfter = (line: number, other: number, before: Int32Array): boolean => {
  let at = line
  while (at > other) at = before[at]!
  return at === other
}
