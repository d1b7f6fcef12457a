/**
 * Finds how a subtitle must be shifted, cue by cue, to fit its film. Each cue may have its own shift, but each change
 * of the shift costs a fixed penalty. The penalty doubles if a cue then starts before the previous one. So changes
 * remain only where the film or the subtitle has a break. The method follows alass (https://github.com/kaegi/alass),
 * with two differences. Cues are rated by graded evidence instead of other cues, and the penalty is derived from the
 * gain that chance would bring.
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

/** A run that another one may follow: its shift, its first cue, and which run is before it. */
interface EarlierRun {
  readonly shift: number
  readonly first: number
  /** Its position among the runs that end where it begins. */
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
  const row = new Float64Array(shifts)
  const totals = new Float64Array(shifts)
  /** The first cue of the run at each shift, and which run is before it. */
  const firsts = new Int32Array(shifts)
  const befores = new Int32Array(shifts)
  /** For each cue, the few runs that end before it and that another run may continue. */
  const ended: Array<Array<EarlierRun>> = []
  const runAt = (shift: number): EarlierRun => ({ shift, first: firsts[shift]!, before: befores[shift]! })
  const places = allowed?.map((shift) => Math.round(shift * evidence.perSecond) + widest)
  const isBarred = (k: number) => places?.every((place) => Math.abs(place - k) > 1) ?? false
  const barred = Array.from(row.keys()).filter(isBarred)
  let best = 0
  for (let cue = 0; cue < cues.length; cue++) {
    evidenceRow(evidence, cues[cue]!, -widest, row)
    for (const k of barred) row[k] = -Infinity
    const candidates = [runAt(best)]
    ended.push(candidates)
    const gap = cue === 0 ? 0 : Math.max(0, cues[cue]!.start - cues[cue - 1]!.end + overlap)
    const slack = Math.round(gap * evidence.perSecond)
    const anywhere = cue === 0 ? -Infinity : totals[best]! - (penalty + disorder) * spread
    const change = penalty * spread
    // The best of the first `seen` runs, which this cue can follow at shift k without a change of order.
    let leader = best
    let highest = anywhere
    let jump = anywhere
    let source = 0
    let seen = cue === 0 ? shifts : 0
    let most = -Infinity
    for (let k = 0; k < shifts; k++) {
      const last = Math.min(shifts - 1, k + slack)
      for (; seen <= last; seen++) {
        const changed = totals[seen]! - change
        if (changed <= highest) continue
        highest = changed
        leader = seen
      }
      let total = totals[k]!
      if (total < highest) {
        if (highest > jump) {
          jump = highest
          source = candidates.push(runAt(leader)) - 1
        }
        total = jump
        firsts[k] = cue
        befores[k] = source
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
  let until = cues.length
  let run = runAt(best)
  while (until > 0) {
    runs.unshift({ first: run.first, until, shift: (run.shift - widest) / evidence.perSecond })
    until = run.first
    if (until > 0) run = ended[until]![run.before]!
  }
  return { runs, score }
}
