/**
 * Tells which parts of an alignment the film's sound supports: whether a run's shift stands out among all others, and
 * which cues do not fit where their run has them.
 */
import { type EvidenceLevels, evidenceRow, type TimedSpan } from "./CueEvidence.ts"
import type { ShiftedRun } from "./PieceSearch.ts"

/** Runs of cues, and the rate of their times. */
export interface AlignedRuns {
  readonly rate: number
  readonly runs: ReadonlyArray<ShiftedRun>
}

/** The widest shift that is searched, in seconds. */
export const widestShift = 120

/** Neighbours whose shifts differ by less than this are one run, in seconds. */
const leastBreak = 0.2

/** Joins neighbours with about the same shift. */
export const joined = ({ rate, runs }: AlignedRuns): AlignedRuns => {
  const kept: Array<ShiftedRun> = []
  for (const run of runs) {
    const last = kept.at(-1)
    if (last === undefined || Math.abs(last.shift - run.shift) >= leastBreak) kept.push(run)
    else {
      const weight = (last.until - last.first) / (run.until - last.first)
      kept[kept.length - 1] = {
        first: last.first,
        until: run.until,
        shift: weight * last.shift + (1 - weight) * run.shift
      }
    }
  }
  return { rate, runs: kept }
}

/** Evidence for cues at each shift within `reach` seconds of a given shift, in coarse steps. */
export const curveOf = (
  { coarse }: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  { first, until }: Pick<ShiftedRun, "first" | "until">,
  around = 0,
  reach = widestShift
): Float64Array => {
  const widest = Math.round(reach * coarse.perSecond)
  const from = Math.round(around * coarse.perSecond) - widest
  const row = new Float64Array(2 * widest + 1)
  const sum = new Float64Array(row.length)
  for (let cue = first; cue < until; cue++) {
    const { start, end } = cues[cue]!
    evidenceRow(coarse, { start: start * rate, end: end * rate }, from, row)
    for (let k = 0; k < row.length; k++) sum[k] = sum[k]! + row[k]!
  }
  return sum
}

/** Shifts nearer than this to a peak belong to it, in seconds. */
const peakWidth = 1

/**
 * How far a run's peak at its shift exceeds the next highest peak, in standard deviations of the evidence elsewhere.
 * `curve` is the evidence for the run.
 */
export const prominenceOf = (
  curve: Float64Array,
  { coarse: { perSecond } }: EvidenceLevels,
  shift: number
): number => {
  const middle = (curve.length - 1) / 2 + shift * perSecond
  let [peak, second, sum, squares, count] = [-Infinity, -Infinity, 0, 0, 0]
  for (let k = 0; k < curve.length; k++) {
    const value = curve[k]!
    if (Math.abs(k - middle) <= peakWidth * perSecond) {
      peak = Math.max(peak, value)
      continue
    }
    second = Math.max(second, value)
    sum += value
    squares += value * value
    count++
  }
  const spread = Math.sqrt(Math.max(1e-9, squares / count - (sum / count) ** 2))
  return (peak - second) / spread
}

/**
 * Runs that are less prominent are given to their neighbours. Among some thousand shifts, the best of chance exceeds
 * the second best by more than this in one of ten thousand cases.
 */
const leastProminence = 2.4

/** The prominence from which a run is certain. */
export const certainProminence = 2.5

/**
 * Keeps the runs that are prominent, or the most prominent one. The cues between two of them are divided where the
 * evidence is highest.
 */
export const supported = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs }: AlignedRuns
): AlignedRuns => {
  if (runs.length === 1) return { rate, runs }
  const prominences = runs.map((run) => prominenceOf(curveOf(evidence, cues, rate, run), evidence, run.shift))
  const least = Math.min(leastProminence, Math.max(...prominences))
  const kept = runs.filter((_, k) => prominences[k]! >= least)
  const edges = kept.slice(1).map((run, k) => borderOf(evidence, cues, rate, kept[k]!, run))
  return joined({
    rate,
    runs: kept.map(({ shift }, k) => ({
      first: edges[k - 1] ?? 0,
      until: edges[k] ?? cues.length,
      shift
    }))
  })
}

/** The cue with which the second of two runs begins best. */
const borderOf = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  before: ShiftedRun,
  after: ShiftedRun
): number => {
  let border = before.until
  let [sum, best] = [0, 0]
  for (let cue = before.until; cue < after.first; cue++) {
    const at = (shift: number) =>
      curveOf(evidence, cues, rate, { first: cue, until: cue + 1 }, shift, nearby).reduce(
        (most, value) => Math.max(most, value),
        -Infinity
      )
    sum += at(before.shift) - at(after.shift)
    if (sum > best) [best, border] = [sum, cue + 1]
  }
  return border
}

/** A cue may begin this much before or after its place, in seconds. */
const nearby = 0.2

/**
 * Cues whose fit is looked at together, and the least evidence for them at their place: in spreads of that at places up
 * to half a minute away. In the benchmark's films, half of the cues in their place had a support of 4.8 in groups of 6,
 * and half of the others 0.8.
 */
const groupSize = 12
const leastSupport = 3
const elsewhere = 30

/** Counts the cues in groups that nothing supports. */
export const doubtfulCues = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs }: AlignedRuns
): number => {
  const doubted = new Uint8Array(cues.length)
  for (const { first, until, shift } of runs) {
    const size = Math.min(groupSize, until - first)
    const step = Math.max(1, size >> 1)
    for (let from = first; from < until; from += step) {
      const group = { first: Math.min(from, until - size), until: Math.min(from + size, until) }
      if (supportOf(curveOf(evidence, cues, rate, group, shift, elsewhere), evidence) < leastSupport)
        doubted.fill(1, group.first, group.until)
    }
  }
  return doubted.reduce((sum, one) => sum + one, 0)
}

/** The evidence in the middle of a curve, in spreads above its mean. */
const supportOf = (curve: Float64Array, { coarse: { perSecond } }: EvidenceLevels): number => {
  const middle = (curve.length - 1) / 2
  let [peak, sum, squares] = [-Infinity, 0, 0]
  for (let k = 0; k < curve.length; k++) {
    const value = curve[k]!
    if (Math.abs(k - middle) <= nearby * perSecond) peak = Math.max(peak, value)
    sum += value
    squares += value * value
  }
  const mean = sum / curve.length
  return (peak - mean) / Math.sqrt(Math.max(1e-9, squares / curve.length - mean * mean))
}
