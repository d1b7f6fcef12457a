/**
 * Finds how a subtitle must be shifted, cue by cue, to fit its film. Every cue may have a shift of its own, but each
 * change of the shift costs a fixed penalty, so changes remain only where the film or the subtitle has a break. The
 * idea is alass's (https://github.com/kaegi/alass); here the cues are rated against soft evidence, not against other
 * cues, and the penalty comes from what chance would gain.
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

/** Finds the best shifts by dynamic programming over the cues, in time linear in cues and shifts. */
export const bestRuns = (question: PieceQuestion): FoundRuns => {
  const { evidence, cues, reach, penalty } = question
  const widest = Math.round(reach * evidence.perSecond)
  const shifts = 2 * widest + 1
  const spread = chanceSpread(question)
  const row = new Float64Array(shifts)
  const totals = new Float64Array(shifts)
  /** Whether a cue at a shift follows a cue at another one, one bit each; and the best shift of the cue before. */
  const changed = new Uint8Array(Math.ceil((cues.length * shifts) / 8))
  const bestBefore = new Int32Array(cues.length)
  for (let cue = 0; cue < cues.length; cue++) {
    let best = 0
    for (let k = 1; k < shifts; k++) if (totals[k]! > totals[best]!) best = k
    bestBefore[cue] = best
    const jump = totals[best]! - penalty * spread
    evidenceRow(evidence, cues[cue]!, -widest, row)
    const bits = cue * shifts
    for (let k = 0; k < shifts; k++) {
      if (cue > 0 && totals[k]! < jump) {
        totals[k] = jump + row[k]!
        changed[(bits + k) >> 3] = changed[(bits + k) >> 3]! | (1 << ((bits + k) & 7))
      } else totals[k] = totals[k]! + row[k]!
    }
  }
  let shift = 0
  for (let k = 1; k < shifts; k++) if (totals[k]! > totals[shift]!) shift = k
  const score = totals[shift]! / spread
  const runs: Array<ShiftedRun> = []
  let until = cues.length
  for (let cue = cues.length - 1; cue >= 0; cue--) {
    const bit = cue * shifts + shift
    if (cue === 0 || ((changed[bit >> 3]! >> (bit & 7)) & 1) === 1) {
      runs.unshift({ first: cue, until, shift: (shift - widest) / evidence.perSecond })
      until = cue
      shift = bestBefore[cue]!
    }
  }
  return { runs, score }
}
