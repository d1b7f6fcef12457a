/**
 * A true-peak limiter that looks ahead: the gain is down before a peak arrives and comes back slowly after it. Below the
 * ceiling samples pass unchanged, to the bit. What comes out depends on the samples alone, not on the blocks they come in.
 */
import type { SampleRate } from "../domain/Units.ts"
import { interpolatorGain, interpolatorTaps, peakBetween } from "./TruePeak.ts"

/** How long before a peak the gain begins to fall, in seconds. */
const lookAhead = 0.005
/** The time in which the gain comes back by 63 %, in seconds. */
const release = 0.08
/** The interpolator and the meters that will judge the result differ by a little: this much is kept free. */
const margin = 10 ** (-0.05 / 20)

/** Frames needed before and behind a frame to look into the intervals on both sides of it. */
const before = interpolatorTaps / 2
const behind = interpolatorTaps / 2

/** Limits one stream of interleaved samples; all channels get the same gain. */
export class Limiter {
  private readonly threshold: number
  private readonly window: number
  private readonly recovery: number
  /** Samples from `before` frames ahead of the first not yet looked at, for each channel. */
  private history: ReadonlyArray<Float32Array>
  /** Interleaved samples that have been looked at and wait for their gain. */
  private readonly waiting: Float32Array
  /** The gain that each of the last `window` frames needs, by frame modulo window; and the least of them, as a queue. */
  private readonly queueFrames: Float64Array
  private readonly queueGains: Float64Array
  private queueFirst = 0
  private queueLast = 0
  /** What the last `window` held gains lack to 1, by frame modulo window. */
  private readonly lacks: Float64Array
  private lackSum = 0
  private lackCount = 0
  private held = 1
  /** Frames looked at, and frames given out. */
  private seen = 0
  private given = 0
  private ended = false

  /** `ceiling` is the amplitude that the true peak does not pass, such as 0.8414 for -1.5 dBTP. */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    ceiling: number
  ) {
    this.threshold = ceiling * margin
    this.window = Math.max(2, Math.round(rate * lookAhead))
    this.recovery = 1 - Math.exp(-1 / (rate * release))
    this.history = Array.from({ length: channels }, () => new Float32Array(before))
    this.waiting = new Float32Array(this.window * channels)
    this.queueFrames = new Float64Array(this.window)
    this.queueGains = new Float64Array(this.window)
    this.lacks = new Float64Array(this.window)
  }

  /** Takes the next frames and gives out those whose gain is settled: about 5 ms fewer in the beginning. */
  push(block: Float32Array): Float32Array {
    const fresh = block.length / this.channels
    const lines = this.history.map((past, channel) => {
      const line = new Float32Array(past.length + fresh)
      line.set(past)
      for (let i = 0, at = channel; i < fresh; i++, at += this.channels) line[past.length + i] = block[at]!
      return line
    })
    const ready = Math.max(0, lines[0]!.length - before - behind)
    const result = this.limited(lines, this.peaksOf(lines, ready), ready)
    this.history = lines.map((line) => line.slice(ready))
    return result
  }

  /** What is left, as if silence followed: in all as many frames come out as went in. Nothing may be pushed afterwards. */
  flush(): Float32Array {
    if (this.ended) return new Float32Array(0)
    this.ended = true
    const total = this.seen + this.history[0]!.length - before
    const rest = this.push(new Float32Array((behind + this.window) * this.channels))
    const extra = this.given - total
    return extra > 0 ? rest.slice(0, rest.length - extra * this.channels) : rest
  }

  /** The highest level in and around each of the first `count` frames. */
  private peaksOf(lines: ReadonlyArray<Float32Array>, count: number): Float32Array {
    const peaks = new Float32Array(count)
    const stretch = 32
    for (const line of lines)
      for (let from = 0; from < count; from += stretch) {
        const to = Math.min(count, from + stretch)
        let highest = 0
        for (let i = from; i < to + before + behind; i++) {
          const level = Math.abs(line[i]!)
          if (level > highest) highest = level
        }
        if (highest * interpolatorGain() <= this.threshold) continue
        let left = peakBetween(line, from - 1 + before)
        for (let i = from; i < to; i++) {
          const right = peakBetween(line, i + before)
          const level = Math.max(left, right, Math.abs(line[i + before]!))
          if (level > peaks[i]!) peaks[i] = level
          left = right
        }
      }
    return peaks
  }

  private limited(lines: ReadonlyArray<Float32Array>, peaks: Float32Array, count: number): Float32Array {
    const { channels, window } = this
    const delay = window - 1
    const result = new Float32Array(Math.max(0, this.seen + count - delay - this.given) * channels)
    let into = 0
    for (let i = 0; i < count; i++) {
      const slot = this.seen % window
      const gain = this.gainFor(peaks[i]!)
      for (let channel = 0; channel < channels; channel++)
        this.waiting[slot * channels + channel] = lines[channel]![i + before]!
      this.seen++
      if (this.seen <= delay) continue
      const from = ((this.seen - 1 - delay) % window) * channels
      for (let channel = 0; channel < channels; channel++) {
        const sample = this.waiting[from + channel]!
        result[into++] = gain === 1 ? sample : sample * gain
      }
      this.given++
    }
    return result
  }

  /** Takes the peak of the frame `seen` and gives the gain of the frame `window - 1` before it. */
  private gainFor(peak: number): number {
    const { window, queueFrames, queueGains, lacks } = this
    const needed = peak > this.threshold ? this.threshold / peak : 1
    while (this.queueLast > this.queueFirst && queueGains[(this.queueLast - 1) % window]! >= needed)
      this.queueLast--
    if (this.queueLast > this.queueFirst && queueFrames[this.queueFirst % window]! <= this.seen - window)
      this.queueFirst++
    queueFrames[this.queueLast % window] = this.seen
    queueGains[this.queueLast % window] = needed
    this.queueLast++
    const least = queueGains[this.queueFirst % window]!

    const recovered = this.held + (1 - this.held) * this.recovery
    this.held = Math.min(least, recovered > 0.99999 ? 1 : recovered)
    const slot = this.seen % window
    const lack = 1 - this.held
    const old = lacks[slot]!
    this.lackCount += (lack > 0 ? 1 : 0) - (old > 0 ? 1 : 0)
    this.lackSum = this.lackCount === 0 ? 0 : this.lackSum + lack - old
    lacks[slot] = lack
    return this.lackCount === 0 ? 1 : 1 - this.lackSum / window
  }
}
