/**
 * Finds how a subtitle must be shifted, cue by cue, to fit its film. Each cue may have its own shift, but each change
 * of the shift costs a fixed penalty. So changes remain only where the film or the subtitle has a break. The method
 * follows alass (https://github.com/kaegi/alass), with two differences: cues are rated against graded evidence, not
 * against other cues, and the penalty is derived from what chance would gain.
 */
import { evidenceRow, type FilmEvidence, type TimedSpan } from "./CueEvidence.ts"

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

/** A search: the cues in order, the widest shift in seconds, and the penalty of a change in units of `FoundRuns`. */
export interface PieceQuestion {
  readonly evidence: FilmEvidence
  readonly cues: ReadonlyArray<TimedSpan>
  readonly reach: number
  readonly penalty: number
}

/** The spread of one cue's evidence over all shifts, as a root mean square over the cues. */
export const chanceSpread = ({ evidence, cues, reach }: Omit<PieceQuestion, "penalty">): number => {
  const row = new Float64Array(2 * Math.round(reach * evidence.perSecond) + 1)
  // A sample of the cues tells enough.
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

/**
 * Finds the best shifts by dynamic programming over the cues, in time linear in cues and shifts. Memory is that of a
 * few numbers per cue and per shift.
 */
export const bestRuns = (question: PieceQuestion): FoundRuns => {
  const { evidence, cues, reach, penalty } = question
  const widest = Math.round(reach * evidence.perSecond)
  const shifts = 2 * widest + 1
  const spread = chanceSpread(question)
  const row = new Float64Array(shifts)
  const totals = new Float64Array(shifts)
  /** The cue with which the run at each shift begins. */
  const begins = new Int32Array(shifts)
  /** The best shift of the cue before each, and the cue with which its run begins. */
  const shiftBefore = new Int32Array(cues.length)
  const beginBefore = new Int32Array(cues.length)
  let best = 0
  for (let cue = 0; cue < cues.length; cue++) {
    shiftBefore[cue] = best
    beginBefore[cue] = begins[best]!
    const jump = cue === 0 ? -Infinity : totals[best]! - penalty * spread
    evidenceRow(evidence, cues[cue]!, -widest, row)
    let most = -Infinity
    for (let k = 0; k < shifts; k++) {
      let total = totals[k]!
      if (total < jump) {
        total = jump
        begins[k] = cue
      }
      total += row[k]!
      totals[k] = total
      if (total > most) {
        most = total
        best = k
      }
    }
  }
  const score = totals[best]! / spread
  const runs: Array<ShiftedRun> = []
  let [until, shift, first] = [cues.length, best, begins[best]!]
  while (until > 0) {
    runs.unshift({ first, until, shift: (shift - widest) / evidence.perSecond })
    until = first
    shift = shiftBefore[first]!
    first = beginBefore[first]!
  }
  return { runs, score }
}
