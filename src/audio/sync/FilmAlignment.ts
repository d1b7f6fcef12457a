/**
 * Aligns a subtitle with its film: finds the rate of its times, the shift of each of its pieces, and the confidence of
 * the result.
 *
 * 1. The pieces are searched at every usual rate with coarse evidence; the best rate wins.
 * 2. With fine evidence, shifts are refined to a fraction of 10 ms, and the rate to a usual one or to a slow drift.
 * 3. The subtitle is divided into parts of about 18 cues (`partCues`), and each part is aligned separately. The
 *    confidence is high if chance is unlikely to explain how many parts agree with the whole.
 */
import { evidenceRow, type EvidenceLevels, type TimedSpan, type FilmEvidence } from "./CueEvidence.ts"
import { rateFactors } from "./FrameRatePairs.ts"

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
export const minCues = 8

/** Aligns cues with the evidence of a film; undefined if there are too few cues. Cues must be in order of start. */
export const alignToFilm = (
  evidence: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>
): FilmAlignment | undefined => {
  if (cues.length < minCues) return undefined
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
    const { at, peak } = peakOf(totalsOf(fine, cues, rate, run, base - widest, 2 * widest + 1))
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

/**
 * Finds the parts of an alignment that the film's sound supports. It measures how prominent a run's shift is among all
 * shifts, and finds the cues that do not fit at the shift of their run.
 */

/** Runs of cues, and the rate of their times. */
interface AlignedRuns {
  readonly rate: number
  readonly runs: ReadonlyArray<ShiftedRun>
}

/** Returns the cues with their times at another rate. */
const atRate = (cues: ReadonlyArray<TimedSpan>, rate: number): ReadonlyArray<TimedSpan> =>
  rate === 1 ? cues : cues.map(({ start, end }) => ({ start: start * rate, end: end * rate }))

/** The widest shift that is searched, in seconds. */
const widestShift = 120

/** Neighbours whose shifts differ by less than this are one run, in seconds. */
const minBreak = 0.2

/** Joins neighbours with about the same shift. */
const joined = ({ rate, runs }: AlignedRuns): AlignedRuns => {
  const kept: Array<ShiftedRun> = []
  for (const run of runs) {
    const last = kept.at(-1)
    if (last === undefined || Math.abs(last.shift - run.shift) >= minBreak) kept.push(run)
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
const curveOf = (
  { coarse }: EvidenceLevels,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  run: Pick<ShiftedRun, "first" | "until">,
  around = 0,
  reach = widestShift
): Float64Array => {
  const widest = Math.round(reach * coarse.perSecond)
  const from = Math.round(around * coarse.perSecond) - widest
  return totalsOf(coarse, cues, rate, run, from, 2 * widest + 1)
}

/** The evidence of a run's cues at `shifts` shifts from `from` steps on. */
const totalsOf = (
  evidence: FilmEvidence,
  cues: ReadonlyArray<TimedSpan>,
  rate: number,
  { first, until }: Pick<ShiftedRun, "first" | "until">,
  from: number,
  shifts: number
): Float64Array => {
  const totals = new Float64Array(shifts)
  const row = new Float64Array(shifts)
  for (let cue = first; cue < until; cue++) {
    const { start, end } = cues[cue]!
    evidenceRow(evidence, { start: start * rate, end: end * rate }, from, row)
    for (let k = 0; k < shifts; k++) totals[k] = totals[k]! + row[k]!
  }
  return totals
}

/** Shifts nearer than this to a peak belong to it, in seconds. */
const peakWidth = 1

/**
 * How far a run's peak at its shift exceeds the next highest peak, in standard deviations of the evidence elsewhere.
 * `curve` is the evidence for the run.
 */
const prominenceOf = (
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
const certainProminence = (cues: number, isWhole: boolean): number =>
  isWhole ? certainWhole : leastProminence(cues) + 0.1
const certainWhole = 2.5

/** An alignment, and runs that were found but are not prominent. */
interface SupportedRuns extends AlignedRuns {
  readonly dropped: ReadonlyArray<ShiftedRun>
}

/** Keeps the runs that are prominent, or the most prominent one, and divides the cues between them anew. */
const supported = (
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
 * `groupSize`: cues scored together. `minSupport`: minimum evidence for a group at its place, in units of the spread
 * of its evidence at places up to 30 s away. In the benchmark's films, the median support in groups of 6 was 4.8 for
 * cues in their place, and 0.8 for others.
 */
const groupSize = 12
const minSupport = 3
const elsewhere = 30

/**
 * If there are pieces, a smaller group that fits this much better elsewhere is in doubt: it may be a piece that was not
 * found.
 */
const smallGroup = 8
const maxAdvantage = -3

/** If a run of this many cues is dropped, its cues are in doubt, because chance produces few such runs. */
const leastDropped = { whole: 9, pieces: 5 } as const

/** Counts the cues in groups that the sound does not support, and in dropped runs. */
const doubtfulCues = (
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
      if (supportOf(curveOf(evidence, cues, rate, group, shift, elsewhere), evidence) < minSupport)
        doubted.fill(1, group.first, group.until)
    }
    if (runs.length === 1) continue
    const few = Math.min(smallGroup, until - first)
    for (let from = first; from + few <= until; from += Math.max(1, few >> 1))
      if (
        prominenceOf(curveOf(evidence, cues, rate, { first: from, until: from + few }), evidence, shift) <
        maxAdvantage
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

/**
 * Finds how a subtitle must be shifted, cue by cue, to fit its film. Each cue may have its own shift, but each change
 * of the shift costs a fixed penalty. The penalty doubles if a cue then starts before the previous one. So changes
 * remain only where the film or the subtitle has a break. The method follows alass (https://github.com/kaegi/alass),
 * with two differences. Cues are rated by graded evidence instead of other cues, and the penalty is derived from the
 * gain that chance would bring.
 */

/** A run of cues with one shift. */
interface ShiftedRun {
  /** The first cue, and the one after the last. */
  readonly first: number
  readonly until: number
  /** Seconds to add. */
  readonly shift: number
}

/** The best shifts. */
interface FoundRuns {
  readonly runs: ReadonlyArray<ShiftedRun>
  /** The evidence for them, less the penalties, in units of the spread that one cue's evidence has by chance. */
  readonly score: number
}

/** A search: the cues in order, and the widest shift in seconds. */
interface PieceQuestion {
  readonly evidence: FilmEvidence
  readonly cues: ReadonlyArray<TimedSpan>
  readonly reach: number
  /** The spread of one cue's evidence by chance: `chanceSpread`. */
  readonly spread: number
  /** The shifts that are tried; all within reach if absent. */
  readonly allowed?: ReadonlyArray<number>
}

/** The spread of one cue's evidence over all shifts, as a root mean square over the cues. Rates hardly change it. */
const chanceSpread = ({ evidence, cues, reach }: Omit<PieceQuestion, "spread" | "allowed">): number => {
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
const bestRuns = ({ evidence, cues, reach, spread, allowed }: PieceQuestion): FoundRuns => {
  const widest = Math.round(reach * evidence.perSecond)
  const shifts = 2 * widest + 1
  const totals = new Float64Array(shifts)
  const row = new Float64Array(shifts)
  const breaks: Array<Break> = [{ first: 0, shift: 0, before: 0 }]
  /** For each shift, the place of its run in `breaks`. */
  const breakOf = new Int32Array(shifts)
  /** The shifts whose totals exceed those of all lower shifts. */
  const records = new Int32Array(shifts)
  let recordCount = 0
  /** The shifts of runs that lead, and their totals after a change. */
  const leaderAt = new Int32Array(shifts)
  const led = new Float64Array(shifts)
  const places = allowed?.map((shift) => Math.round(shift * evidence.perSecond) + widest)
  const isBarred = (k: number) => places?.every((place) => Math.abs(place - k) > 1) ?? false
  const barred = Array.from(totals.keys()).filter(isBarred)
  let best = 0
  for (let cue = 0; cue < cues.length; cue++) {
    evidenceRow(evidence, cues[cue]!, -widest, row)
    for (const k of barred) row[k] = -Infinity
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
      for (let k = from; k < until; k++) {
        let total = totals[k]!
        if (total < highest) {
          total = highest
          breakOf[k] = made
        }
        total += row[k]!
        totals[k] = total
        if (total > most) {
          most = total
          records[recordCount++] = k
        }
      }
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
