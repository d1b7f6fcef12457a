/**
 * Aligns a subtitle with its film: finds the rate of its times, the shift of each of its pieces, and the confidence of
 * the result.
 *
 * 1. The pieces are searched at every usual rate with coarse evidence (`PieceSearch.ts`); the best rate wins.
 * 2. With fine evidence, shifts are refined to a fraction of 10 ms, and the rate to a usual one or to a slow drift.
 * 3. The subtitle is divided into parts of about 18 cues (`partCues`), and each part is aligned separately. The
 *    confidence is high if chance is unlikely to explain how many parts agree with the whole.
 */
import { type ShiftedRun, bestRuns, chanceSpread } from "./PieceSearch.ts"
import {
  atRate,
  certainProminence,
  curveOf,
  doubtfulCues,
  joined,
  type AlignedRuns,
  prominenceOf,
  type SupportedRuns,
  supported,
  widestShift
} from "./AlignmentSupport.ts"
import type { EvidenceLevels, TimedSpan } from "./CueEvidence.ts"
import { rateFactors } from "./FrameRatePairs.ts"
import { ShiftTotals } from "./ShiftTotals.ts"

/** How a subtitle fits its film: a time t of a run's cues is heard at `rate * t + shift`. */
export interface FilmAlignment {
  readonly rate: number
  /** In order; together they contain all cues. At least one. */
  readonly runs: ReadonlyArray<ShiftedRun>
  /** From 0 (a guess) to 1 (certain). */
  readonly confidence: number
  /** How many parts of the subtitle were placed separately, and how many of them agree with the alignment. */
  readonly parts: number
  readonly agreeing: number
  /** The share of cues in stretches where the film's sound does not support the alignment. */
  readonly doubtful: number
}

/** Fewer cues than this give no result. */
export const leastCues = 8

/** Aligns cues with the evidence of a film; undefined if there are too few cues. Cues must be in order of start. */
export const alignToFilm = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>
): FilmAlignment | undefined => {
  if (cues.length < leastCues) return undefined
  let found: AlignedRuns | undefined
  let best = -Infinity
  const spread = chanceSpread({ evidence: evidence.coarse, cues, reach: widestShift })
  for (const rate of likelyRates(evidence, cues, spread)) {
    const { runs, score } = runsAt(evidence, cues, rate, spread)
    if (score > best) [best, found] = [score, { rate, runs }]
  }
  if (found === undefined) return undefined
  const refined = refine(evidence, cues, found)
  const kept = supported(evidence, cues, refined, spread)
  // `supported` has divided the cues between the pieces again, with coarse shifts.
  const model = refined.runs.length === 1 ? refined : refine(evidence, cues, kept)
  return { ...model, ...agreement(evidence, cues, { ...model, dropped: kept.dropped }) }
}

const runsAt = (evidence: EvidenceLevels, cues: ReadonlyArray<TimedSpan>, rate: number, spread: number) =>
  bestRuns({ evidence: evidence.coarse, cues: atRate(cues, rate), reach: widestShift, spread })

/** In longer subtitles, groups of cues that are spread over the film show which rates are possible. */
const screenedCues = 200
const groupCues = 25

/** Rates whose evidence in those groups is at least this share of the best rate's are searched in full. */
const likelyShare = 0.9

/** The rates that are searched in full. After decoding, full searches take most of the time for a long film. */
const likelyRates = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  spread: number
): ReadonlyArray<number> => {
  if (cues.length <= screenedCues) return rateFactors
  const groups = screenedCues / groupCues
  const chosen = Array.from({ length: groups }, (_, k) => {
    const first = Math.round((k * (cues.length - groupCues)) / (groups - 1))
    return cues.slice(first, first + groupCues)
  }).flat()
  const scores = rateFactors.map((rate) => runsAt(evidence, chosen, rate, spread).score)
  const least = likelyShare * Math.max(...scores)
  return rateFactors.filter((_, k) => scores[k]! >= least)
}

/** How far fine shifts are searched around coarse ones, in seconds. */
const fineReach = 0.6

/** How far the first and the last cue may drift apart if the rate is not a usual one, in seconds each way. */
const driftReach = 0.6

/** Steps of the drift of the first or last cue, in seconds. */
const driftStep = 0.02

/** A usual rate within this share of the best evidence is preferred to a drift. */
const rateTolerance = 0.06

/**
 * A usual rate near 1 must have this many times the evidence of rate 1. Measured in 32 films of 6 to 9 minutes with
 * subtitles that are off by 0.1 %: the right rate had 1.46 to 2.25 times as much, a wrong one at most 0.84 times.
 */
const usualGain = 1.2

/** Refines the shifts and the rate. */
const refine = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  model: AlignedRuns
): AlignedRuns => {
  const half = Math.max(1, (cues.at(-1)!.start - cues[0]!.start) / 2)
  const fit = (rate: number) => fitAt(evidence, cues, model, rate)
  const usual = rateFactors
    .filter(
      (rate) => Math.abs(rate - model.rate) * half < 2 * fineReach || Math.abs(rate / model.rate - 1) < 0.0015
    )
    .map(fit)
  let best = usual.reduce((most, one) => (one.score > most.score ? one : most))
  const one = usual.find(({ rate }) => rate === 1)
  if (one !== undefined && best.score < one.score * usualGain) best = one
  // If there are pieces, an apparent drift is usually a piece that contains cues of another one.
  const isWhole = model.runs.length === 1
  for (let drift = -driftReach; isWhole && drift <= driftReach; drift += driftStep) {
    const free = fit(model.rate + drift / half)
    if (free.score * (1 - rateTolerance) > best.score) best = free
  }
  return joined({ rate: best.rate, runs: best.runs })
}

interface Fit extends AlignedRuns {
  readonly score: number
}

/** The best fine shifts of a model's runs at a rate; each run keeps the place of its middle. */
const fitAt = (
  { fine }: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  model: AlignedRuns,
  rate: number
): Fit => {
  const widest = Math.round(fineReach * fine.perSecond)
  let score = 0
  const runs = model.runs.map((run) => {
    let middle = 0
    for (let cue = run.first; cue < run.until; cue++) middle += cues[cue]!.start / (run.until - run.first)
    const shift = run.shift + (model.rate - rate) * middle
    const base = Math.round(shift * fine.perSecond)
    const sum = new ShiftTotals(fine, 2 * widest + 1, base - widest)
    for (let cue = run.first; cue < run.until; cue++) {
      const { start, end } = cues[cue]!
      sum.add(sum.rowOf({ start: start * rate, end: end * rate }))
    }
    const { at, peak } = peakOf(sum.totals)
    score += peak
    return { ...run, shift: (base + at - widest) / fine.perSecond }
  })
  return { rate, runs, score }
}

/** The highest point of a curve. A parabola through the three highest steps finds points between steps. */
const peakOf = (values: Float64Array): { readonly at: number; readonly peak: number } => {
  let at = 0
  for (let k = 1; k < values.length; k++) if (values[k]! > values[at]!) at = k
  const peak = values[at]!
  const [before, after] = [values[at - 1], values[at + 1]]
  if (before === undefined || after === undefined) return { at, peak }
  const bend = before - 2 * peak + after
  return { at: bend < 0 ? at + (before - after) / (2 * bend) : at, peak }
}

/** Cues in a part that is placed by itself; fewer if the subtitle is short. */
const partCues = 18

/**
 * Weight of doubtful cues if all cues have one shift. In dense speech over music, up to a third of the cues of a
 * fitting subtitle are doubtful. `sync: auto` also checks them separately.
 */
const doubtOfWhole = 1 / 3

/** How far a part's own place may differ from the whole's, in seconds. */
const partTolerance = 0.35

/** Share of agreeing parts that suffices for full confidence: the others may be silent, or have no cues. */
const enoughParts = 0.4

/**
 * Returns how many parts agree with their run, and the resulting confidence. It is low if the run's peak is not
 * prominent, or few parts agree. If h of n parts agree, chance alone would give C(n, h) q^h such agreements at any of
 * the rates. q is the share of all shifts that count as agreement. Stretches of cues that the sound does not support
 * lower it.
 */
const agreement = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  { rate, runs, dropped }: SupportedRuns
): Omit<FilmAlignment, "rate" | "runs"> => {
  const size = Math.max(4, Math.min(partCues, Math.floor(cues.length / 4)))
  let [parts, agreeing, prominence] = [0, 0, Infinity]
  for (const run of runs) {
    const count = Math.max(1, Math.round((run.until - run.first) / size))
    const whole = new Float64Array(2 * Math.round(widestShift * evidence.coarse.perSecond) + 1)
    const edge = (part: number) => run.first + Math.round((part * (run.until - run.first)) / count)
    for (let part = 0; part < count; part++) {
      const curve = curveOf(evidence, cues, rate, { first: edge(part), until: edge(part + 1) })
      const found = (peakOf(curve).at - (curve.length - 1) / 2) / evidence.coarse.perSecond
      if (Math.abs(found - run.shift) <= partTolerance) agreeing++
      for (let k = 0; k < curve.length; k++) whole[k] = whole[k]! + curve[k]!
    }
    parts += count
    const least = certainProminence(run.until - run.first, runs.length === 1)
    prominence = Math.min(prominence, prominenceOf(whole, evidence, run.shift) / least)
  }
  const doubtful = doubtfulCues(evidence, cues, { rate, runs, dropped }) / cues.length
  const chance = (2 * partTolerance) / widestShift
  const byChance = rateFactors.length * combinations(parts, agreeing) * chance ** agreeing
  const confidence =
    agreeing === 0
      ? 0
      : (1 / (1 + byChance)) *
        Math.min(1, agreeing / parts / enoughParts) *
        Math.min(1, Math.max(0, prominence)) *
        (1 - doubtful * (runs.length === 1 ? doubtOfWhole : 1))
  return { parts, agreeing, confidence, doubtful }
}

const combinations = (n: number, k: number): number => {
  let result = 1
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i
  return result
}
