/**
 * The methods of two well-known tools, reimplemented from their sources for comparison.
 *
 * - ffsubsync (https://github.com/smacke/ffsubsync): speech and subtitle as ±1 every 10 ms; the shift and rate with the
 *   highest cross-correlation, within 60 s. The sums equal those of its Fourier transform.
 * - alass (https://github.com/kaegi/alass): speech and subtitle as intervals. First it finds the rate with the most
 *   overlap, without splits. Then it finds the shifts by dynamic programming: an overlap counts by its share of the
 *   longer interval, and each split costs 0.7 % of the smaller number of intervals.
 *
 * ffsubsync's method gets all frame-rate pairs. alass's gets only the six that its source tries: when overlap alone
 * counts, larger factors make cues longer and always win. Both get dubwright's speech or speech found by its energy,
 * whichever gives the better result. Both return a rate, and a shift of each cue.
 */
import { type BandLevels, bandCount } from "../../src/audio/sync/SoundBands.ts"
import type { TimedSpan } from "../../src/audio/sync/CueEvidence.ts"
import { rateFactors } from "../../src/audio/sync/FrameRatePairs.ts"

/** The result of a method: a rate, and a shift per cue in seconds. */
export interface Aligned {
  readonly rate: number
  readonly shifts: ReadonlyArray<number>
}

/** Speech by energy: above the middle between quiet and loud moments of the surrounding minute, with a hangover. */
export const energySpeech = ({ bands, steps }: BandLevels): Uint8Array => {
  const levels = new Float32Array(steps)
  for (let t = 0; t < steps; t++) {
    let power = 0
    for (let band = 1; band < bandCount; band++) power += 10 ** (bands[t * bandCount + band]! / 20)
    levels[t] = 10 * Math.log10(power)
  }
  const speech = new Uint8Array(steps)
  const half = 3_000
  let until = -1
  let threshold = 0
  for (let t = 0; t < steps; t++) {
    if (t % 500 === 0) {
      const near = levels.slice(Math.max(0, t - half), t + half).sort()
      const quiet = near[Math.floor(near.length * 0.1)]!
      const loud = near[Math.floor(near.length * 0.95)]!
      threshold = quiet + Math.max(3, 0.5 * (loud - quiet))
    }
    if (levels[t]! > threshold) until = t + 10
    speech[t] = t < until ? 1 : 0
  }
  return speech
}

/** The widest shift that ffsubsync's method tries, in steps of 10 ms. */
const widest = 6_000

/** ffsubsync's method. */
export const byCorrelation = (speech: Uint8Array, cues: ReadonlyArray<TimedSpan>): Aligned => {
  const rates = rateFactors.map((rate) => ({
    rate,
    spans: cues.map(
      ({ start, end }) => [Math.round(start * rate * 100), Math.round(end * rate * 100)] as const
    )
  }))
  const edges = rates.flatMap(({ spans }) => spans.flat())
  const before = widest - edges.reduce((least, edge) => Math.min(least, edge), 0)
  const until = edges.reduce((most, edge) => Math.max(most, edge), 0) + widest
  /** `sums[before + t]` is the sum of the sound's steps before t: 1 for each step with speech, -1 for each other. */
  const sums = new Int32Array(before + until + 1)
  for (let t = 0; t < until; t++)
    sums[before + t + 1] = sums[before + t]! + (t >= speech.length ? 0 : speech[t] === 1 ? 1 : -1)
  const scores = new Int32Array(2 * widest + 1)
  const add = (start: number, end: number, times: number) => {
    const [from, to] = [before - widest + start, before - widest + end]
    for (let k = 0; k < scores.length; k++) scores[k] = scores[k]! + times * (sums[to + k]! - sums[from + k]!)
  }
  let best = { score: -Infinity, rate: 1, shift: 0 }
  for (const { rate, spans } of rates) {
    scores.fill(0)
    // Each step up to the end of the subtitle counts -1; each step in a cue counts 2 more.
    add(0, spans.at(-1)![1], -1)
    for (const [start, end] of spans) add(start, end, 2)
    for (let k = 0; k < scores.length; k++)
      if (scores[k]! > best.score) best = { score: scores[k]!, rate, shift: (k - widest) / 100 }
  }
  return { rate: best.rate, shifts: cues.map(() => best.shift) }
}

/** The widest shift that alass's method tries here, in steps of 10 ms. */
const reach = 12_000
const lags = 2 * reach + 1

/** A stretch of time in whole steps, so that all sums are exact. */
interface Steps {
  readonly start: number
  readonly end: number
}

/** Returns the score of two spans from their lengths, if the longer contains the shorter. */
type Scoring = (one: number, other: number) => number

/** For the rate, alass counts the overlap only; for the shifts, it prefers spans of like lengths. */
const overlapOnly: Scoring = (one, other) => Math.min(one, other)
const likeLengths: Scoring = (one, other) => Math.min(one, other) / Math.max(one, other)

/** The factors between 25, 24 and 23.976 frames per second, without a change first. */
const alassFactors = [1, 25 / 24, 25 / 23.976, 24 / 25, 24 / 23.976, 23.976 / 25, 23.976 / 24] as const

/** alass's method. */
export const bySplits = (speech: Uint8Array, cues: ReadonlyArray<TimedSpan>): Aligned => {
  const heard = intervalsOf(speech)
  let rate = 1
  let best = -Infinity
  for (const factor of alassFactors) {
    let most = 0
    for (const value of ratings(heard, separated(cues, factor).spans, overlapOnly))
      most = Math.max(most, value)
    if (most > best) [best, rate] = [most, factor]
  }
  const { spans, spanOf } = separated(cues, rate)
  const offsets = splitOffsets(heard, spans)
  return { rate, shifts: spanOf.map((span) => offsets[span]! / 100) }
}

/**
 * The best shift of each span: by dynamic programming, where a change of the shift costs a penalty, and spans keep
 * their order.
 */
const splitOffsets = (heard: ReadonlyArray<Steps>, spans: ReadonlyArray<Steps>): ReadonlyArray<number> => {
  const penalty = 0.007 * Math.min(heard.length, spans.length)
  let totals = new Float64Array(lags)
  const before: Array<Int32Array> = []
  spans.forEach((span, at) => {
    const row = ratings(heard, [span], likeLengths)
    const next = new Float64Array(lags)
    const from = new Int32Array(lags)
    // A span may follow the previous one at any shift at which that one has ended.
    const gap = at === 0 ? 0 : span.start - spans[at - 1]!.end
    let [reached, top] = [-1, 0]
    for (let k = 0; k < lags; k++) {
      for (; reached < Math.min(lags - 1, k + gap); reached++)
        if (reached < 0 || totals[reached + 1]! > totals[top]!) top = reached + 1
      const jumps = totals[top]! - penalty > totals[k]!
      from[k] = jumps ? top : k
      next[k] = row[k]! + (jumps ? totals[top]! - penalty : totals[k]!)
    }
    before.push(from)
    totals = next
  })
  let lag = 0
  for (let k = 1; k < lags; k++) if (totals[k]! > totals[lag]!) lag = k
  const offsets = new Array<number>(spans.length)
  for (let span = spans.length - 1; span >= 0; span--) {
    offsets[span] = lag - reach
    lag = before[span]![lag]!
  }
  return offsets
}

/** Cues at a rate, those that overlap as one span, and the span of each cue. */
const separated = (cues: ReadonlyArray<TimedSpan>, rate: number) => {
  const spans: Array<Steps> = []
  const spanOf = cues.map((cue) => {
    const start = Math.round(cue.start * rate * 100)
    const end = Math.max(start + 1, Math.round(cue.end * rate * 100))
    const last = spans.at(-1)
    if (last === undefined || start >= last.end) spans.push({ start, end })
    else spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    return spans.length - 1
  })
  return { spans, spanOf }
}

/** Speech as intervals of at least half a second, as alass has them. */
const intervalsOf = (speech: Uint8Array): ReadonlyArray<Steps> => {
  const spans: Array<Steps> = []
  let from = -1
  for (let t = 0; t <= speech.length; t++) {
    if (speech[t] === 1 && from < 0) from = t
    if (speech[t] !== 1 && from >= 0) {
      if (t - from >= 50) spans.push({ start: from, end: t })
      from = -1
    }
  }
  return spans
}

/**
 * Returns the sum of the spans' scores at every shift. For a span, each interval of speech adds a trapezoid: none until
 * it touches the span, all of the score while one contains the other. The second differences of all trapezoids are
 * summed twice.
 */
const ratings = (
  heard: ReadonlyArray<Steps>,
  spans: ReadonlyArray<Steps>,
  scoring: Scoring
): Float64Array => {
  const row = new Float64Array(lags)
  /** Value and slope at the first shift. */
  let [value, slope] = [0, 0]
  const bend = (lag: number, by: number) => {
    const at = lag + reach
    if (at >= lags) return
    if (at >= 0) row[at] = row[at]! + by
    else {
      slope += by
      value += by * -at
    }
  }
  for (const { start, end } of spans)
    for (const one of heard) {
      if (one.start - end > reach || one.end - start < -reach) continue
      const shorter = Math.min(end - start, one.end - one.start)
      const steep = scoring(end - start, one.end - one.start) / shorter
      bend(one.start - end, steep)
      bend(one.start - end + shorter, -steep)
      bend(one.end - start - shorter, -steep)
      bend(one.end - start, steep)
    }
  for (let k = 0; k < lags; k++) {
    slope += row[k]!
    row[k] = value
    value += slope
  }
  return row
}
