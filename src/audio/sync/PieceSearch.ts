/**
 * Finds how a subtitle must be shifted, cue by cue, to fit its film. Each cue may have its own shift, but each change
 * of the shift costs a fixed penalty. The penalty doubles if a cue then starts before the previous one. So changes
 * remain only where the film or the subtitle has a break. The method follows alass (https://github.com/kaegi/alass),
 * with two differences. Cues are rated by graded evidence instead of other cues, and the penalty is derived from the
 * gain that chance would bring.
 */
import { evidenceRow, type FilmEvidence, type TimedSpan } from "./CueEvidence.ts"
import { ShiftTotals } from "./ShiftTotals.ts"

/** A run of cues with one shift. */
export interface ShiftedRun {
  /** The first cue, and the one after the last. */
  readonly first: number
  readonly until: number
  /** Seconds to add. */
  readonly shift: number
}

/** The best shifts. */
export interface FoundRuns {
  readonly runs: ReadonlyArray<ShiftedRun>
  /** The evidence for them, less the penalties, in units of the spread that one cue's evidence has by chance. */
  readonly score: number
}

/** A search: the cues in order, and the widest shift in seconds. */
export interface PieceQuestion {
  readonly evidence: FilmEvidence
  readonly cues: ReadonlyArray<TimedSpan>
  readonly reach: number
  /** The spread of one cue's evidence by chance: `chanceSpread`. */
  readonly spread: number
  /** The shifts that are tried; all within reach if absent. */
  readonly allowed?: ReadonlyArray<number>
}

/** The spread of one cue's evidence over all shifts, as a root mean square over the cues. Rates hardly change it. */
export const chanceSpread = ({
  evidence,
  cues,
  reach
}: Omit<PieceQuestion, "spread" | "allowed">): number => {
  const row = new Float64Array(2 * Math.round(reach * evidence.perSecond) + 1)
  // A sample of the cues is enough.
  const step = Math.max(1, Math.floor(cues.length / 100))
  let variance = 0
  let count = 0
  for (let cue = 0; cue < cues.length; cue += step) {
    evidenceRow(evidence, cues[cue]!, -(row.length - 1) / 2, row)
    let sum = 0
    let squares = 0
    for (const value of row) {
      sum += value
      squares += value * value
    }
    variance += squares / row.length - (sum / row.length) ** 2
    count++
  }
  return Math.sqrt(Math.max(1e-9, variance / Math.max(1, count)))
}

/** Where a run begins: at its first cue, after a run at another shift. */
interface Break {
  readonly first: number
  /** The shift of the run before, in steps, and the place of its own break. */
  readonly shift: number
  readonly before: number
}

/**
 * Penalty of a change of the shift, in spreads of one cue. A few cues gain less than this by chance, at any shift. A
 * change that moves a cue before the previous one costs a second penalty.
 */
const penalty = 8
const disorder = 6

/** Cues are in order if they overlap the previous one by at most this much, in seconds. */
const overlap = 0.5

/**
 * Finds the best shifts by dynamic programming over the cues, in time linear in cues and shifts. It needs memory for a
 * few numbers per cue and per shift.
 */
export const bestRuns = ({ evidence, cues, reach, spread, allowed }: PieceQuestion): FoundRuns => {
  const widest = Math.round(reach * evidence.perSecond)
  const shifts = 2 * widest + 1
  const sum = new ShiftTotals(evidence, shifts, -widest)
  /** For each shift, `breakOf` is the place of its run in `breaks`. */
  const { totals, breakOf, records } = sum
  const breaks: Array<Break> = [{ first: 0, shift: 0, before: 0 }]
  let recordCount = 0
  /** The shifts of runs that lead, and their totals after a change. */
  const leaderAt = new Int32Array(shifts)
  const led = new Float64Array(shifts)
  const places = allowed?.map((shift) => Math.round(shift * evidence.perSecond) + widest)
  const isBarred = (k: number) => places?.every((place) => Math.abs(place - k) > 1) ?? false
  const barred = Array.from(totals.keys()).filter(isBarred)
  let best = 0
  for (let cue = 0; cue < cues.length; cue++) {
    const row = sum.rowOf(cues[cue]!, barred)
    const gap = cue === 0 ? 0 : Math.max(0, cues[cue]!.start - cues[cue - 1]!.end + overlap)
    const slack = Math.round(gap * evidence.perSecond)
    const anywhere = cue === 0 ? -Infinity : totals[best]! - (penalty + disorder) * spread
    const change = penalty * spread
    // From left to right, each run that is better than all before it leads from then on. Cues can follow runs at up
    // to `slack` more than their own shift without a change of order.
    let leaders = 0
    for (let k = 0; k < recordCount; k++) {
      const total = totals[records[k]!]!
      if (total <= anywhere + change) continue
      led[leaders] = total - change
      leaderAt[leaders++] = records[k]!
    }
    recordCount = 0
    let most = -Infinity
    let made = breaks.push({ first: cue, shift: best, before: breakOf[best]! }) - 1
    let from = 0
    for (let leader = -1; leader < leaders; leader++) {
      const until = leader + 1 < leaders ? leaderAt[leader + 1]! - slack : shifts
      if (until <= from) continue
      if (leader >= 0) {
        const shift = leaderAt[leader]!
        made = breaks.push({ first: cue, shift, before: breakOf[shift]! }) - 1
      }
      const highest = leader < 0 ? anywhere : led[leader]!
      recordCount = sum.addOrJump(row, from, until, highest, made, most, recordCount)
      if (recordCount > 0) most = totals[records[recordCount - 1]!]!
      from = until
    }
    if (recordCount > 0) best = records[recordCount - 1]!
  }
  const score = totals[best]! / spread
  const runs: Array<ShiftedRun> = []
  let until = cues.length
  let shift = best
  let place = breakOf[best]!
  while (until > 0) {
    const last = breaks[place]!
    runs.unshift({ first: last.first, until, shift: (shift - widest) / evidence.perSecond })
    until = last.first
    shift = last.shift
    place = last.before
  }
  return { runs, score }
}
