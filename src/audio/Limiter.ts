/**
 * A true-peak limiter that looks ahead: the gain is down before a peak arrives and comes back slowly after it. Below the
 * ceiling samples pass unchanged, to the bit. What comes out depends on the samples alone, not on the blocks they come in.
 */
import type { SampleRate } from "../domain/Units.ts"
import { Channel } from "./Channel.ts"
import { crestFactor, crestsAbove, interpolatorTaps, levelAt } from "./TruePeak.ts"

/** How long before a peak the gain begins to fall, in seconds. */
const lookAhead = 0.005
/** The time in which the gain comes back by 63 %, in seconds. */
const release = 0.08
/** From here on the gain is 1 again: the last hundredth of a decibel is not worth waiting for. */
const nearlyOne = 0.999
/** The interpolator and the meters that will judge the result differ by a little: this much is kept free. */
const margin = 10 ** (-0.05 / 20)

/**
 * Added and taken away again, it rounds what gains lack to a multiple of 2^-40: so their sum over the look-ahead is exact, and what was
 * long ago leaves no trace in it.
 */
const coarse = 6_144

/** Frames needed before and behind a frame to look into the intervals on both sides of it. */
const before = interpolatorTaps / 2
const behind = interpolatorTaps / 2

/** Limits one stream of interleaved samples; all channels get the same gain. */
export class Limiter {
  private readonly threshold: number
  /** Frames of the look-ahead: a frame's gain is settled when so many, itself among them, have been looked at. */
  private readonly window: number
  private readonly recovery: number
  /** For each channel the samples whose gain is not settled or that the next intervals need. */
  private readonly lines: ReadonlyArray<Channel>
  /** The least gain that the last `window` frames need, where that is not 1: a queue of rising gains with their frames, in a ring. */
  private readonly mask: number
  private readonly queueFrames: Float64Array
  private readonly queueGains: Float64Array
  private queueFirst = 0
  private queueLast = 0
  /** What the last `window` held gains lack to 1, in a ring. */
  private readonly lacks: Float64Array
  private lackSum = 0
  private lackCount = 0
  private held = 1
  /** Frames looked at. */
  private seen = 0
  private ended = false
  /** What a block's work is done in, kept from block to block. */
  private peaks = new Float32Array(0)
  private gains = new Float64Array(0)
  private result = new Float32Array(0)

  /**
   * `ceiling` is the amplitude that the true peak does not pass, such as 0.8414 for -1.5 dBTP; `drive` a factor that all samples are
   * multiplied by first.
   */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    ceiling: number,
    private readonly drive = 1
  ) {
    this.threshold = ceiling * margin
    this.window = Math.max(2, Math.round(rate * lookAhead))
    this.recovery = 1 - Math.exp(-1 / (rate * release))
    this.lines = Array.from({ length: channels }, () => new Channel(before + this.window - 1))
    const ring = 2 ** Math.ceil(Math.log2(this.window + 1))
    this.mask = ring - 1
    this.queueFrames = new Float64Array(ring)
    this.queueGains = new Float64Array(ring)
    this.lacks = new Float64Array(ring)
  }

  /**
   * Takes the next frames and gives out those whose gain is settled: about 5 ms fewer in the beginning. What is given out is valid
   * until the next call.
   */
  push(block: Float32Array): Float32Array {
    const { channels, window } = this
    const lines = this.lines.map((line, channel) => line.take(block, channel, channels, this.drive))
    const ready = Math.max(0, lines[0]!.length - (before + window - 1) - behind)
    const skipped = Math.min(ready, Math.max(0, window - 1 - this.seen))
    const size = (ready - skipped) * channels
    if (size > this.result.length) this.result = new Float32Array(size)
    const result = this.result.subarray(0, size)
    const gains = this.gainsFor(this.peaksOf(lines, ready), ready)
    lines.forEach((line, channel) => {
      const settled = line.subarray(before + skipped, before + ready)
      if (gains === undefined && channels === 1) result.set(settled)
      else if (gains === undefined) spread(settled, result, channel, channels)
      else multiplied(settled, gains.subarray(skipped, ready), result, channel, channels)
    })
    for (const line of this.lines) line.release(ready)
    return result
  }

  /** What is left, as if silence followed: in all as many frames come out as went in. Nothing may be pushed afterwards. */
  flush(): Float32Array {
    if (this.ended) return new Float32Array(0)
    this.ended = true
    return this.push(new Float32Array((behind + this.window - 1) * this.channels))
  }

  /**
   * The highest level in and around each of the next `count` frames that have not been looked at, 0 where it is no matter; undefined
   * where it is no matter for any of them.
   */
  private peaksOf(lines: ReadonlyArray<Float32Array>, count: number): Float32Array | undefined {
    const shift = before + this.window - 1
    const tested = this.threshold / crestFactor
    let peaks: Float32Array | undefined
    for (const line of lines)
      crestsAbove(line, shift - 1, count + 1, tested, (first, crests) => {
        for (let at = 0; at < crests.length; at++) {
          const peak = crests[at]!
          if (peak <= this.threshold || levelAt(line, first + at) <= tested) continue
          const i = first + at - shift
          peaks ??= this.noPeaks(count)
          if (i >= 0 && peak > peaks[i]!) peaks[i] = peak
          if (i + 1 < count && peak > peaks[i + 1]!) peaks[i + 1] = peak
        }
      })
    return peaks
  }

  private noPeaks(count: number): Float32Array {
    if (count > this.peaks.length) this.peaks = new Float32Array(count)
    return this.peaks.fill(0, 0, count)
  }

  private allOnes(count: number): Float64Array {
    if (count > this.gains.length) this.gains = new Float64Array(count)
    return this.gains.fill(1, 0, count)
  }

  /** Looks at `count` frames with these peaks; the gains of the frames `window - 1` before each, undefined where all are 1. */
  private gainsFor(peaks: Float32Array | undefined, count: number): Float64Array | undefined {
    const { threshold, window, recovery, mask, queueFrames, queueGains, lacks } = this
    const share = 1 / window
    let gains: Float64Array | undefined
    let { queueFirst, queueLast, lackSum, lackCount, held, seen } = this
    for (let i = 0; i < count; i++, seen++) {
      const peak = peaks === undefined ? 0 : peaks[i]!
      if (peak === 0 && queueFirst === queueLast && held === 1 && lackCount === 0) {
        // Nothing loud for a while, and nothing is held.
        const next = nextPeak(peaks, i, count)
        seen += next - 1 - i
        i = next - 1
        continue
      }
      if (peak > 0) {
        const needed = threshold / peak
        while (queueLast > queueFirst && queueGains[(queueLast - 1) & mask]! >= needed) queueLast--
        queueFrames[queueLast & mask] = seen
        queueGains[queueLast & mask] = needed
        queueLast++
      }
      if (queueLast > queueFirst && queueFrames[queueFirst & mask]! <= seen - window) queueFirst++

      const recovered = held + (1 - held) * recovery
      held = recovered > nearlyOne ? 1 : recovered
      if (queueLast > queueFirst && queueGains[queueFirst & mask]! < held)
        held = queueGains[queueFirst & mask]!
      const lack = 1 - held + coarse - coarse
      const old = lacks[(seen - window) & mask]!
      lackCount += (lack > 0 ? 1 : 0) - (old > 0 ? 1 : 0)
      lackSum = lackCount === 0 ? 0 : lackSum + lack - old
      lacks[(seen - window) & mask] = 0
      lacks[seen & mask] = lack
      if (lackCount > 0) (gains ??= this.allOnes(count))[i] = 1 - lackSum * share
    }
    this.queueFirst = queueFirst
    this.queueLast = queueLast
    this.lackSum = lackSum
    this.lackCount = lackCount
    this.held = held
    this.seen = seen
    return gains
  }
}

const spread = (line: Float32Array, into: Float32Array, channel: number, channels: number): void => {
  for (let i = 0, at = channel; i < line.length; i++, at += channels) into[at] = line[i]!
}

const multiplied = (
  line: Float32Array,
  gains: Float64Array,
  into: Float32Array,
  channel: number,
  channels: number
): void => {
  if (channels === 1) for (let i = 0; i < line.length; i++) into[i] = line[i]! * gains[i]!
  else for (let i = 0, at = channel; i < line.length; i++, at += channels) into[at] = line[i]! * gains[i]!
}

/** The first frame behind `from` that has a peak, or `count`. */
const nextPeak = (peaks: Float32Array | undefined, from: number, count: number): number => {
  if (peaks === undefined) return count
  let next = from + 1
  while (next < count && peaks[next] === 0) next++
  return next
}
