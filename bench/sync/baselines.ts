/**
 * The methods of two well-known tools, written again by their sources, as something to compare with.
 *
 * - ffsubsync (https://github.com/smacke/ffsubsync): speech and subtitle as ±1 every 10 ms; the shift and rate with the
 *   highest cross-correlation, within 60 s. The sums are the same as by its Fourier transform.
 * - alass (https://github.com/kaegi/alass): speech and subtitle as intervals; overlaps are rated by overlap / longer
 *   length. The rate by a search without splits, then splits by dynamic programming with a penalty of 0.7 % of the
 *   smaller number of intervals each.
 *
 * Both are given all frame-rate pairs, and speech by its energy, as their voice detectors find it. The times of both
 * are shifts per cue, after a rate.
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

/** ffsubsync's method. */
export const byCorrelation = (speech: Uint8Array, cues: ReadonlyArray<TimedSpan>): Aligned => {
  const sums = new Float64Array(speech.length + 1)
  for (let t = 0; t < speech.length; t++) sums[t + 1] = sums[t]! + (speech[t] === 1 ? 1 : -1)
  const at = (step: number) => sums[Math.max(0, Math.min(speech.length, step))]!
  let best = { score: -Infinity, rate: 1, shift: 0 }
  for (const rate of rateFactors) {
    const spans = cues.map(
      ({ start, end }) => [Math.round(start * rate * 100), Math.round(end * rate * 100)] as const
    )
    const last = spans.at(-1)![1]
    for (let lag = -6_000; lag <= 6_000; lag++) {
      let score = -(at(last + lag) - at(lag))
      for (const [start, end] of spans) score += 2 * (at(end + lag) - at(start + lag))
      if (score > best.score) best = { score, rate, shift: lag / 100 }
    }
  }
  return { rate: best.rate, shifts: cues.map(() => best.shift) }
}

/** Seconds per step of the shifts that alass's method tries here, and their range. */
const lagStep = 0.02
const lagReach = 120

/** alass's method. */
export const bySplits = (speech: Uint8Array, cues: ReadonlyArray<TimedSpan>): Aligned => {
  const spans = intervalsOf(speech)
  let best = { score: -Infinity, rate: 1 }
  for (const rate of rateFactors) {
    const total = new Float64Array(2 * Math.round(lagReach / lagStep) + 1)
    for (const cue of cues) {
      const row = ratings(spans, cue, rate)
      for (let k = 0; k < row.length; k++) total[k] = total[k]! + row[k]!
    }
    const score = total.reduce((most, one) => Math.max(most, one), 0)
    if (score > best.score) best = { score, rate }
  }
  const penalty = 0.007 * Math.min(cues.length, spans.length)
  const lags = 2 * Math.round(lagReach / lagStep) + 1
  let totals = new Float64Array(lags)
  const from: Array<Int32Array> = []
  for (const cue of cues) {
    let top = 0
    for (let k = 1; k < lags; k++) if (totals[k]! > totals[top]!) top = k
    const row = ratings(spans, cue, best.rate)
    const by = new Int32Array(lags)
    const next = new Float64Array(lags)
    for (let k = 0; k < lags; k++) {
      const jumps = totals[k]! < totals[top]! - penalty
      by[k] = jumps ? top : k
      next[k] = row[k]! + (jumps ? totals[top]! - penalty : totals[k]!)
    }
    from.push(by)
    totals = next
  }
  let lag = 0
  for (let k = 1; k < lags; k++) if (totals[k]! > totals[lag]!) lag = k
  const shifts = new Array<number>(cues.length)
  for (let cue = cues.length - 1; cue >= 0; cue--) {
    shifts[cue] = lag * lagStep - lagReach
    lag = from[cue]![lag]!
  }
  return { rate: best.rate, shifts }
}

/** Speech as intervals of at least half a second, as alass has them. */
const intervalsOf = (speech: Uint8Array): ReadonlyArray<TimedSpan> => {
  const spans: Array<TimedSpan> = []
  let from = -1
  for (let t = 0; t <= speech.length; t++) {
    if (speech[t] === 1 && from < 0) from = t
    if (speech[t] !== 1 && from >= 0) {
      if (t - from >= 50) spans.push({ start: from / 100, end: t / 100 })
      from = -1
    }
  }
  return spans
}

/** The sum of overlap / longer length with all speech, at every shift: a trapezoid per pair, summed by its bends. */
const ratings = (spans: ReadonlyArray<TimedSpan>, cue: TimedSpan, rate: number): Float64Array => {
  const count = 2 * Math.round(lagReach / lagStep) + 1
  const bends = new Float64Array(count + 2)
  const start = cue.start * rate
  const length = (cue.end - cue.start) * rate
  const bend = (lag: number, slope: number) => {
    const at = Math.round((lag + lagReach) / lagStep)
    if (at < count) bends[Math.max(0, at)] = bends[Math.max(0, at)]! + slope
    // What bent before the first shift has risen since.
    if (at < 0) before += slope * -at
  }
  let before = 0
  for (const span of spans) {
    if (span.start - length - start > lagReach || span.end - start < -lagReach) continue
    const slope = lagStep / Math.max(length, span.end - span.start)
    const short = Math.min(length, span.end - span.start)
    const rise = span.start - length - start
    const fall = span.end - start
    bend(rise, slope)
    bend(rise + short, -slope)
    bend(fall - short, -slope)
    bend(fall, slope)
  }
  const row = new Float64Array(count)
  let [slope, value] = [0, before]
  for (let k = 0; k < count; k++) {
    row[k] = value
    slope += bends[k]!
    value += slope
  }
  return row
}
