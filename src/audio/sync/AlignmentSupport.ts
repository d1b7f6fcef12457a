/**
 * Finds the parts of an alignment that the film's sound supports. It measures how prominent a run's shift is among all
 * shifts, and finds the cues that do not fit at the shift of their run.
 */
import type { EvidenceLevels, TimedSpan } from "./CueEvidence.ts"
import { bestRuns, type ShiftedRun } from "./PieceSearch.ts"
import { ShiftTotals } from "./ShiftTotals.ts"

/** Runs of cues, and the rate of their times. */
export interface AlignedRuns {
  readonly rate: number
  readonly runs: ReadonlyArray<ShiftedRun>
}

/** Returns the cues with their times at another rate. */
export const atRate = (cues: ReadonlyArray<TimedSpan>, rate: number): ReadonlyArray<TimedSpan> =>
  rate === 1 ? cues : cues.map(({ start, end }) => ({ start: start * rate, end: end * rate }))

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
  const sum = new ShiftTotals(coarse, 2 * widest + 1, from)
  for (let cue = first; cue < until; cue++) {
    const { start, end } = cues[cue]!
    sum.add(sum.rowOf({ start: start * rate, end: end * rate }))
  }
  return sum.totals.slice()
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
 * Minimum prominence of a run of this many cues; the cues of a less prominent run are given to its neighbours. By
 * chance, the best shift exceeds the second best by more than that only in short runs. In 240 benchmark films with
 * breaks, no run of 25 cues or more was wrong (of 501). Of 173 runs of 15 to 24 cues, 2 were wrong; of those of less
 * than 9 cues, most were.
 */
const leastProminence = (cues: number): number => Math.min(3.2, 0.3 + 22 / cues)

/** Prominence from which a run of this many cues is certain. A run of all cues must reach `certainWhole`. */
export const certainProminence = (cues: number, isWhole: boolean): number =>
  isWhole ? certainWhole : leastProminence(cues) + 0.1
const certainWhole = 2.5

/** An alignment, and runs that were found but are not prominent. */
export interface SupportedRuns extends AlignedRuns {
  readonly dropped: ReadonlyArray<ShiftedRun>
}

/** Keeps the runs that are prominent, or the most prominent one, and divides the cues between them anew. */
export const supported = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs }: AlignedRuns,
  spread: number
): SupportedRuns => {
  if (runs.length === 1) return { rate, runs, dropped: [] }
  const excess = runs.map(
    (run) =>
      prominenceOf(curveOf(evidence, cues, rate, run), evidence, run.shift) -
      leastProminence(run.until - run.first)
  )
  const least = Math.min(0, Math.max(...excess))
  const kept = runs.filter((_, k) => excess[k]! >= least)
  const { runs: divided } = bestRuns({
    evidence: evidence.coarse,
    cues: atRate(cues, rate),
    reach: widestShift,
    spread,
    allowed: kept.map(({ shift }) => shift)
  })
  return { ...joined({ rate, runs: divided }), dropped: runs.filter((run) => !kept.includes(run)) }
}

/** A cue may begin this much before or after its place, in seconds. */
const nearby = 0.2

/**
 * `groupSize`: cues scored together. `leastSupport`: minimum evidence for a group at its place, in units of the spread
 * of its evidence at places up to 30 s away. In the benchmark's films, the median support in groups of 6 was 4.8 for
 * cues in their place, and 0.8 for others.
 */
const groupSize = 12
const leastSupport = 3
const elsewhere = 30

/**
 * If there are pieces, a smaller group that fits this much better elsewhere is in doubt: it may be a piece that was not
 * found.
 */
const smallGroup = 8
const mostAdvantage = -3

/** If a run of this many cues is dropped, its cues are in doubt, because chance produces few such runs. */
const leastDropped = { whole: 9, pieces: 5 } as const

/** Counts the cues in groups that the sound does not support, and in dropped runs. */
export const doubtfulCues = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs, dropped }: SupportedRuns
): number => {
  const doubted = new Uint8Array(cues.length)
  const least = runs.length === 1 ? leastDropped.whole : leastDropped.pieces
  for (const { first, until } of dropped) if (until - first >= least) doubted.fill(1, first, until)
  for (const { first, until, shift } of runs) {
    const size = Math.min(groupSize, until - first)
    const step = Math.max(1, size >> 1)
    for (let from = first; from < until; from += step) {
      const group = { first: Math.min(from, until - size), until: Math.min(from + size, until) }
      if (supportOf(curveOf(evidence, cues, rate, group, shift, elsewhere), evidence) < leastSupport)
        doubted.fill(1, group.first, group.until)
    }
    if (runs.length === 1) continue
    const few = Math.min(smallGroup, until - first)
    for (let from = first; from + few <= until; from += Math.max(1, few >> 1))
      if (
        prominenceOf(curveOf(evidence, cues, rate, { first: from, until: from + few }), evidence, shift) <
        mostAdvantage
      )
        doubted.fill(1, from, from + few)
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
