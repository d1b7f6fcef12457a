/**
 * A true-peak limiter that looks ahead: the gain is down before a peak arrives and comes back slowly after it. Below the
 * ceiling samples pass unchanged, to the bit. What comes out depends on the samples alone, not on the blocks they come in.
 */
import type { SampleRate } from "../domain/Units.ts"
import { Channel } from "./Channel.ts"
import { productsOf } from "./Kernels.ts"
import { gainsOf, LimiterMemory } from "./LimiterGains.ts"
import { newRoom, type Room, roomFor } from "./Rooms.ts"
import { crestsAbove, interpolatorTaps } from "./TruePeak.ts"

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
  /** Frames of the look-ahead: a frame's gain is settled when so many, itself among them, have been looked at. */
  private readonly window: number
  /** What is left of a gain's lack a frame later. */
  private readonly keep: number
  /** For each channel the samples whose gain is not settled or that the next intervals need. */
  private readonly lines: ReadonlyArray<Channel>
  private readonly memory: LimiterMemory
  /** Frames looked at. */
  private seen = 0
  private ended = false
  /** What a block's work is done in, kept from block to block. */
  private readonly peaks: Array<Float32Array> = []
  private gains: Float32Array | undefined
  private result: Float32Array | undefined

  /**
   * `ceiling` is the amplitude that the true peak does not pass, such as 0.8414 for -1.5 dBTP; `drive` a factor that all samples are
   * multiplied by first. Its work is done in rooms that it keeps.
   */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    ceiling: number,
    private readonly drive = 1,
    private readonly room: Room = newRoom
  ) {
    this.threshold = ceiling * margin
    this.window = Math.max(2, Math.round(rate * lookAhead))
    this.keep = Math.exp(-1 / (rate * release))
    this.lines = Array.from({ length: channels }, () => new Channel(before + this.window - 1, room))
    this.memory = new LimiterMemory(this.window)
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
    this.result = roomFor(size, this.result, this.room)
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
   * What is highest before the first and behind each of the next `count` frames that have not been looked at, 0 where it is no matter;
   * undefined where it is no matter for any of them.
   */
  private peaksOf(lines: ReadonlyArray<Float32Array>, count: number): Float32Array | undefined {
    const { threshold } = this
    const first = before + this.window - 2
    let found: Float32Array | undefined
    lines.forEach((line, channel) => {
      const peaks = (this.peaks[channel] = roomFor(count + 1, this.peaks[channel], this.room))
      if (crestsAbove(line, first, count + 1, threshold, peaks) === 0) return
      if (found === undefined) found = peaks
      else for (let i = 0; i <= count; i++) if (peaks[i]! > found[i]!) found[i] = peaks[i]!
    })
    return found?.subarray(0, count + 1)
  }

  /** Looks at `count` frames with these peaks; the gains of the frames `window - 1` before each, undefined where all are 1. */
  private gainsFor(peaks: Float32Array | undefined, count: number): Float32Array | undefined {
    this.seen += count
    if (peaks === undefined && this.memory.isResting) return undefined
    this.gains = roomFor(count + 1, this.gains, this.room)
    // Gains are written where peaks were read.
    const some = peaks ?? this.gains.fill(0, 0, count + 1).subarray(0, count + 1)
    gainsOf(some, this.threshold, this.keep, this.memory, this.gains)
    return this.gains
  }
}

const spread = (line: Float32Array, into: Float32Array, channel: number, channels: number): void => {
  for (let i = 0, at = channel; i < line.length; i++, at += channels) into[at] = line[i]!
}

const multiplied = (
  line: Float32Array,
  gains: Float32Array,
  into: Float32Array,
  channel: number,
  channels: number
): void => {
  if (channels === 1) productsOf(line, gains, into)
  else for (let i = 0, at = channel; i < line.length; i++, at += channels) into[at] = line[i]! * gains[i]!
}
