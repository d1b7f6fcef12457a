/**
 * Aligns a subtitle with its film: finds the rate at which its times run, the shift of each of its pieces, and how sure
 * that is.
 *
 * 1. The pieces are searched at every usual rate with coarse evidence (`PieceSearch.ts`); the best rate wins.
 * 2. With fine evidence, shifts are refined to a fraction of 10 ms, and the rate to a usual one or to a slow drift.
 * 3. The subtitle is divided into parts of about a dozen cues, and each part is placed by itself. If the parts agree
 *    with the whole, that is no chance. The confidence says how little chance would explain.
 */
import { type ShiftedRun, bestRuns } from "./PieceSearch.ts"
import { type EvidenceLevels, evidenceRow, type TimedSpan } from "./CueEvidence.ts"
import { rateFactors } from "./FrameRatePairs.ts"

/** How a subtitle fits its film: a time t of a run's cues is heard at `rate * t + shift`. */
export interface FilmAlignment {
  readonly rate: number
  /** In order, together all cues; at least one. */
  readonly runs: ReadonlyArray<ShiftedRun>
  /** From 0 (a guess) to 1 (certain). */
  readonly confidence: number
  /** How many parts of the subtitle were placed by themselves, and how many of them agree with this. */
  readonly parts: number
  readonly agreeing: number
}

/** The widest shift that is searched, in seconds. */
export const widestShift = 120

/** Fewer cues than this say nothing. */
export const leastCues = 8

/** The penalty of a break, in spreads of one cue: more than a few cues gain by chance from any of the shifts. */
const breakPenalty = 12

/** Aligns cues with the evidence of a film; undefined if there are too few cues. They must be in order of start. */
export const alignToFilm = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>
): FilmAlignment | undefined => {
  if (cues.length < leastCues) return undefined
  let found: Model | undefined
  let best = -Infinity
  for (const rate of rateFactors) {
    const { runs, score } = bestRuns({
      evidence: evidence.coarse,
      cues: atRate(cues, rate),
      reach: widestShift,
      penalty: breakPenalty
    })
    if (score > best) [best, found] = [score, { rate, runs }]
  }
  if (found === undefined) return undefined
  const refined = refine(evidence, cues, found)
  const kept = supported(evidence, cues, refined)
  const model = kept.runs.length === refined.runs.length ? kept : refine(evidence, cues, kept)
  return { ...model, ...agreement(evidence, cues, model) }
}

interface Model {
  readonly rate: number
  readonly runs: ReadonlyArray<ShiftedRun>
}

const atRate = (cues: ReadonlyArray<TimedSpan>, rate: number): ReadonlyArray<TimedSpan> =>
  rate === 1 ? cues : cues.map(({ start, end }) => ({ start: start * rate, end: end * rate }))

/** How far fine shifts are searched around coarse ones, in seconds. */
const fineReach = 0.6

/** How far the first and the last cue may drift apart by a rate that is no usual one, in seconds each way. */
const driftReach = 0.6

/** Steps of the drift of the first or last cue, in seconds. */
const driftStep = 0.02

/** A usual rate within this share of the best evidence is preferred to a drift, and 1 to a usual rate. */
const rateTolerance = 0.03
const oneTolerance = 0.01

/** Refines the shifts and the rate. */
const refine = (evidence: EvidenceLevels, cues: ReadonlyArray<TimedSpan>, model: Model): Model => {
  const half = Math.max(1, (cues.at(-1)!.start - cues[0]!.start) / 2)
  const fit = (rate: number) => fitAt(evidence, cues, model, rate)
  const usual = rateFactors
    .filter(
      (rate) => Math.abs(rate - model.rate) * half < 2 * fineReach || Math.abs(rate / model.rate - 1) < 0.0015
    )
    .map(fit)
  let best = usual.reduce((most, one) => (one.score > most.score ? one : most))
  const one = usual.find(({ rate }) => rate === 1)
  if (one !== undefined && one.score >= best.score * (1 - oneTolerance)) best = one
  for (let drift = -driftReach; drift <= driftReach; drift += driftStep) {
    const free = fit(model.rate + drift / half)
    if (free.score * (1 - rateTolerance) > best.score) best = free
  }
  return joined({ rate: best.rate, runs: best.runs })
}

interface Fit extends Model {
  readonly score: number
}

/** The best fine shifts of a model's runs at a rate; each run keeps the place of its middle. */
const fitAt = ({ fine }: EvidenceLevels, cues: ReadonlyArray<TimedSpan>, model: Model, rate: number): Fit => {
  const widest = Math.round(fineReach * fine.perSecond)
  const row = new Float64Array(2 * widest + 1)
  let score = 0
  const runs = model.runs.map((run) => {
    const sum = new Float64Array(row.length)
    let middle = 0
    for (let cue = run.first; cue < run.until; cue++) middle += cues[cue]!.start / (run.until - run.first)
    const shift = run.shift + (model.rate - rate) * middle
    const base = Math.round(shift * fine.perSecond)
    for (let cue = run.first; cue < run.until; cue++) {
      const { start, end } = cues[cue]!
      evidenceRow(fine, { start: start * rate, end: end * rate }, base - widest, row)
      for (let k = 0; k < row.length; k++) sum[k] = sum[k]! + row[k]!
    }
    const { at, peak } = peakOf(sum)
    score += peak
    return { ...run, shift: (base + at - widest) / fine.perSecond }
  })
  return { rate, runs, score }
}

/** The highest point of a curve, between its steps by a parabola through the nearest three. */
const peakOf = (values: Float64Array): { readonly at: number; readonly peak: number } => {
  let at = 0
  for (let k = 1; k < values.length; k++) if (values[k]! > values[at]!) at = k
  const peak = values[at]!
  const [before, after] = [values[at - 1], values[at + 1]]
  if (before === undefined || after === undefined) return { at, peak }
  const bend = before - 2 * peak + after
  return { at: bend < 0 ? at + (before - after) / (2 * bend) : at, peak }
}

/** Neighbours whose shifts differ by less than this are one run, in seconds. */
const leastBreak = 0.2

const joined = ({ rate, runs }: Model): Model => {
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

/** The evidence for a run of cues at every shift, in coarse steps. */
const curveOf = (
  { coarse }: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  { first, until }: Pick<ShiftedRun, "first" | "until">
): Float64Array => {
  const widest = Math.round(widestShift * coarse.perSecond)
  const row = new Float64Array(2 * widest + 1)
  const sum = new Float64Array(row.length)
  for (let cue = first; cue < until; cue++) {
    const { start, end } = cues[cue]!
    evidenceRow(coarse, { start: start * rate, end: end * rate }, -widest, row)
    for (let k = 0; k < row.length; k++) sum[k] = sum[k]! + row[k]!
  }
  return sum
}

/** Shifts nearer than this to a peak belong to it, in seconds. */
const peakWidth = 1

/** By how much the peak of a run at its shift exceeds every other peak, in spreads of the evidence at other shifts. */
const prominenceOf = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  run: ShiftedRun
): number => {
  const curve = curveOf(evidence, cues, rate, run)
  const { perSecond } = evidence.coarse
  const middle = (curve.length - 1) / 2 + run.shift * perSecond
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
 * Runs that are less prominent are joined with a neighbour. Among some thousand shifts, the best of chance exceeds the
 * second best by more than this in one of ten thousand cases.
 */
const leastProminence = 2.4

/** The prominence from which a run is certain. */
const certainProminence = 2.5

/** Joins runs that are not prominent with the neighbour whose shift suits their cues better, the worst first. */
const supported = (evidence: EvidenceLevels, cues: ReadonlyArray<TimedSpan>, model: Model): Model => {
  let { runs } = model
  while (runs.length > 1) {
    const prominences = runs.map((run) => prominenceOf(evidence, cues, model.rate, run))
    const least = Math.min(...prominences)
    if (least >= leastProminence) break
    const weak = prominences.indexOf(least)
    const run = runs[weak]!
    const curve = curveOf(evidence, cues, model.rate, run)
    const { perSecond } = evidence.coarse
    const at = (other: ShiftedRun | undefined) =>
      other === undefined
        ? -Infinity
        : (curve[Math.round((curve.length - 1) / 2 + other.shift * perSecond)] ?? -Infinity)
    const [before, after] = [runs[weak - 1], runs[weak + 1]]
    const into = (at(before) >= at(after) ? before : after)!
    const whole: ShiftedRun = {
      first: Math.min(into.first, run.first),
      until: Math.max(into.until, run.until),
      shift: into.shift
    }
    runs = joined({
      ...model,
      runs: runs.flatMap((one) => (one === run ? [] : one === into ? [whole] : [one]))
    }).runs
  }
  return { rate: model.rate, runs }
}

/** Cues in a part that is placed by itself; fewer if the subtitle is short. */
const partCues = 18

/** How far a part's own place may differ from the whole's, in seconds. */
const partTolerance = 0.35

/** Share of agreeing parts that suffices for full confidence: the others may be silent, or have no cues. */
const enoughParts = 0.4

/**
 * How many parts agree with their run, and the confidence that follows. It is low if the run's peak is not prominent,
 * or few parts agree. With n parts of which h agree, chance would give C(n, h) q^h such agreements at any of the rates,
 * where q is the share of all shifts that count as agreement.
 */
const agreement = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs }: Model
): Omit<FilmAlignment, "rate" | "runs"> => {
  const size = Math.max(4, Math.min(partCues, Math.floor(cues.length / 4)))
  let [parts, agreeing, prominence] = [0, 0, Infinity]
  for (const run of runs) {
    const count = Math.max(1, Math.round((run.until - run.first) / size))
    const edge = (part: number) => run.first + Math.round((part * (run.until - run.first)) / count)
    for (let part = 0; part < count; part++) {
      const curve = curveOf(evidence, cues, rate, { first: edge(part), until: edge(part + 1) })
      const found = (peakOf(curve).at - (curve.length - 1) / 2) / evidence.coarse.perSecond
      if (Math.abs(found - run.shift) <= partTolerance) agreeing++
    }
    parts += count
    prominence = Math.min(prominence, prominenceOf(evidence, cues, rate, run))
  }
  const chance = (2 * partTolerance) / widestShift
  const byChance = rateFactors.length * combinations(parts, agreeing) * chance ** agreeing
  const confidence =
    agreeing === 0
      ? 0
      : (1 / (1 + byChance)) *
        Math.min(1, agreeing / parts / enoughParts) *
        Math.min(1, Math.max(0, prominence / certainProminence))
  return { parts, agreeing, confidence }
}

const combinations = (n: number, k: number): number => {
  let result = 1
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i
  return result
}
