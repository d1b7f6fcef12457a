/**
 * A true-peak limiter that looks ahead: the gain is down before a peak arrives and comes back slowly after it. Below
 * the ceiling samples pass unchanged, to the bit. What comes out depends on the samples alone, not on the blocks they
 * come in.
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { LookaheadBuffer, type SettledFrames } from "./LookaheadBuffer.ts"
import { gainsOf, LimiterMemory } from "./LimiterGains.ts"
import { newBuffer, type Buffer32, bufferFor } from "../kernels/BufferPool.ts"
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
  /** Holds the samples whose gain is not settled or that the next intervals need. */
  private readonly delay: LookaheadBuffer
  private readonly memory: LimiterMemory
  /** Frames looked at. */
  private seen = 0
  private ended = false
  /** What a block's work is done in, kept from block to block. */
  private readonly peaks: Array<Float32Array> = []
  private gains: Float32Array | undefined
  private settled: SettledFrames = { frames: 0, skipped: 0, gains: undefined }

  /**
   * `ceiling` is the amplitude that the true peak does not pass, such as 0.8414 for -1.5 dBTP; `drive` a factor that
   * all samples are multiplied by first. Its work is done in rooms that it keeps.
   */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    ceiling: number,
    private readonly drive = 1,
    private readonly room: Buffer32 = newBuffer
  ) {
    this.threshold = ceiling * margin
    this.window = Math.max(2, Math.round(rate * lookAhead))
    this.keep = Math.exp(-1 / (rate * release))
    this.delay = this.delayFor(room)
    this.memory = new LimiterMemory(this.window)
  }

  /**
   * Takes the next frames and gives out those whose gain is settled: about 5 ms fewer in the beginning. What is given
   * out is valid until the next call.
   */
  push(block: Float32Array): Float32Array {
    const { window } = this
    const lines = this.delay.take(block)
    const frames = Math.max(0, lines[0]!.length - (before + window - 1) - behind)
    const skipped = Math.min(frames, Math.max(0, window - 1 - this.seen))
    this.settled = { frames, skipped, gains: this.gainsFor(this.peaksOf(lines, frames), frames) }
    return this.delay.give(lines, this.settled)
  }

  /**
   * What is left, as if silence followed: in all as many frames come out as went in. Nothing may be pushed afterwards.
   */
  flush(): Float32Array {
    if (this.ended) return new Float32Array(0)
    this.ended = true
    return this.push(this.silence())
  }

  /** For a stem of what is limited: it gets the same gains, so that stems add up to the whole. */
  follower(room: Buffer32 = newBuffer): Follower {
    return new Follower(
      this.delayFor(room),
      () => this.settled,
      () => this.silence()
    )
  }

  /** What brings out all that is held. */
  private silence(): Float32Array {
    return new Float32Array((behind + this.window - 1) * this.channels)
  }

  private delayFor(room: Buffer32): LookaheadBuffer {
    return new LookaheadBuffer(this.channels, before, this.window - 1, this.drive, room)
  }

  /**
   * What is highest before the first and behind each of the next `count` frames that have not been looked at, 0 where
   * it is no matter; undefined where it is no matter for any of them.
   */
  private peaksOf(lines: ReadonlyArray<Float32Array>, count: number): Float32Array | undefined {
    const { threshold } = this
    const first = before + this.window - 2
    let found: Float32Array | undefined
    lines.forEach((line, channel) => {
      const peaks = (this.peaks[channel] = bufferFor(count + 1, this.peaks[channel], this.room))
      if (crestsAbove(line, first, count + 1, threshold, peaks) === 0) return
      if (found === undefined) found = peaks
      else for (let i = 0; i <= count; i++) if (peaks[i]! > found[i]!) found[i] = peaks[i]!
    })
    return found?.subarray(0, count + 1)
  }

  /**
   * Looks at `count` frames with these peaks; the gains of the frames `window - 1` before each, undefined where all are
   * 1.
   */
  private gainsFor(peaks: Float32Array | undefined, count: number): Float32Array | undefined {
    this.seen += count
    if (peaks === undefined && this.memory.isResting) return undefined
    this.gains = bufferFor(count + 1, this.gains, this.room)
    // Gains are written where peaks were read.
    const some = peaks ?? this.gains.fill(0, 0, count + 1).subarray(0, count + 1)
    gainsOf(some, this.threshold, this.keep, this.memory, this.gains)
    return this.gains
  }
}

/** Goes along with a limiter: takes and gives as many frames as that does, each time after it. */
class Follower {
  constructor(
    private readonly delay: LookaheadBuffer,
    private readonly settled: () => SettledFrames,
    private readonly silence: () => Float32Array
  ) {}

  /**
   * Takes the frames of a stem that the limiter has just taken of the whole; what is given out is valid until the next
   * call.
   */
  push(block: Float32Array): Float32Array {
    return this.delay.give(this.delay.take(block), this.settled())
  }

  /** What is left when the limiter has been flushed. */
  flush(): Float32Array {
    return this.push(this.silence())
  }
}
