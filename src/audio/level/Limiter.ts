/**
 * True-peak look-ahead limiter: the gain falls before a peak arrives and recovers slowly after it. Samples below the
 * ceiling pass unchanged, bit for bit. The output depends on the samples only, not on the block size.
 */
import type { SampleRate } from "../../domain/time/Units.ts"
import { newBuffer, bufferFor, type Buffer32 } from "../kernels/BufferPool.ts"
import { InterSamplePeaks, interpolatorTaps } from "./InterSamplePeaks.ts"
import { ChannelHistory } from "../pcm/ChannelHistory.ts"
import { productsOf } from "../kernels/Kernels.ts"
import { along, readAt, writeAt, writeThrough } from "../kernels/KernelArrays.ts"
import { atOnce, buffer, kernels, lacksAt, queueAt, stateAt } from "../kernels/KernelMemory.ts"

/** How long before a peak the gain begins to fall, in seconds. */
const lookAhead = 0.005
/** Time constant of the recovery, in seconds: the gain recovers by 63 % in this time. */
const release = 0.08
/** Safety margin (0.05 dB): true-peak meters that check the result interpolate slightly differently. */
const margin = 10 ** (-0.05 / 20)

/** Frames needed before and after a frame to interpolate the intervals on both sides of it. */
const before = interpolatorTaps / 2
const behind = interpolatorTaps / 2

/** Limits one stream of interleaved samples; all channels share one gain. */
export class Limiter {
  private readonly threshold: number
  /** Look-ahead in frames: a frame's gain is settled once this many frames, itself included, have been examined. */
  private readonly window: number
  /** Fraction of the gain reduction that remains one frame later. */
  private readonly keep: number
  /** Holds samples whose gain is not settled, or that the next intervals need. */
  private readonly delay: LookaheadBuffer
  private readonly memory: LimiterMemory
  /** Frames examined. */
  private seen = 0
  private ended = false
  /** Working memory, reused from block to block. */
  private peaks: Float32Array | undefined
  private gains: Float32Array | undefined
  private readonly crests: InterSamplePeaks
  /** The gains of the frames returned last. */
  settled: SettledFrames = { frames: 0, skipped: 0, gains: undefined }

  /**
   * `ceiling` is the amplitude that the true peak never exceeds, such as 0.8414 for -1.5 dBTP. All samples are
   * multiplied by `drive` first. `allocate` provides working memory, which the limiter keeps.
   */
  constructor(
    rate: SampleRate,
    private readonly channels: number,
    ceiling: number,
    private readonly drive = 1,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.threshold = ceiling * margin
    this.window = Math.max(2, Math.round(rate * lookAhead))
    this.keep = Math.exp(-1 / (rate * release))
    this.delay = this.delayFor(allocate)
    this.memory = new LimiterMemory(this.window)
    this.crests = new InterSamplePeaks(channels, allocate)
  }

  /**
   * Takes the next frames; returns those whose gain is settled, which at first are about 5 ms fewer. The result is
   * valid until the next call.
   */
  push(block: Float32Array): Float32Array {
    const { window } = this
    const held = this.delay.take(block)
    const frames = Math.max(0, held.length / this.channels - (before + window - 1) - behind)
    const skipped = Math.min(frames, Math.max(0, window - 1 - this.seen))
    this.settled = { frames, skipped, gains: this.gainsFor(this.peaksOf(held, frames), frames) }
    return this.delay.give(held, this.settled)
  }

  /**
   * Returns the remaining frames, as if silence followed: in total, as many frames come out as went in. Do not call
   * `push` afterwards.
   */
  flush(): Float32Array {
    if (this.ended) return new Float32Array(0)
    this.ended = true
    return this.push(this.silence())
  }

  /** Returns a follower for a stem of the limited mix. It applies the same gains, so that stems add up to the mix. */
  follower(allocate: Buffer32 = newBuffer): Follower {
    return new Follower(
      this.delayFor(allocate),
      () => this.settled,
      () => this.silence()
    )
  }

  /** Returns enough silence to push out everything held. */
  private silence(): Float32Array {
    return new Float32Array((behind + this.window - 1) * this.channels)
  }

  private delayFor(allocate: Buffer32): LookaheadBuffer {
    return new LookaheadBuffer(this.channels, before, this.window - 1, this.drive, allocate)
  }

  /**
   * Finds the peak before the first and after each of the next `count` frames to examine; 0 if it does not exceed the
   * threshold. Undefined if none of them does.
   */
  private peaksOf(held: Float32Array, count: number): Float32Array | undefined {
    this.peaks = bufferFor(count + 1, this.peaks, this.allocate)
    const first = before + this.window - 2
    const highest = this.crests.above(held, first, count + 1, this.threshold, this.peaks)
    return highest === 0 ? undefined : this.peaks.subarray(0, count + 1)
  }

  /**
   * Examines `count` frames with these peaks. Returns the gains of the frames `window - 1` earlier; undefined if all
   * are 1.
   */
  private gainsFor(peaks: Float32Array | undefined, count: number): Float32Array | undefined {
    this.seen += count
    if (peaks === undefined && this.memory.isResting) return undefined
    this.gains = bufferFor(count + 1, this.gains, this.allocate)
    // Gains overwrite the peaks.
    const some = peaks ?? this.gains.fill(0, 0, count + 1).subarray(0, count + 1)
    gainsOf(some, this.threshold, this.keep, this.memory, this.gains)
    return this.gains
  }
}

/** Applies a limiter's gains to a stem: takes and returns as many frames as the limiter, each time after it. */
class Follower {
  constructor(
    private readonly delay: LookaheadBuffer,
    private readonly settled: () => SettledFrames,
    private readonly silence: () => Float32Array
  ) {}

  /**
   * Takes the frames of the stem that match the ones the limiter has just taken. The result is valid until the next
   * call.
   */
  push(block: Float32Array): Float32Array {
    return this.delay.give(this.delay.take(block), this.settled())
  }

  /** Returns the remaining frames; call it after the limiter's `flush`. */
  flush(): Float32Array {
    return this.push(this.silence())
  }
}

/** Frames whose gains are known. */
interface SettledFrames {
  /** Number of frames, and how many of them are before the first frame of the stream. */
  readonly frames: number
  readonly skipped: number
  /** Undefined if all gains are 1. */
  readonly gains: Float32Array | undefined
}

/** Delays one stream of interleaved samples. */
class LookaheadBuffer {
  private readonly held: ChannelHistory
  private result: Float32Array | undefined
  /** Frames returned by the last call, which are still held. */
  private returned = 0

  /**
   * Holds at least `ahead` frames not yet returned, and `before` already returned ones. Samples are multiplied by
   * `drive` when taken.
   */
  constructor(
    private readonly channels: number,
    private readonly before: number,
    ahead: number,
    private readonly drive: number,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.held = new ChannelHistory((before + ahead) * channels, allocate)
  }

  /** Takes the next frames; returns all samples that are now held. The result is valid until the next call. */
  take(block: Float32Array): Float32Array {
    this.held.release(this.returned * this.channels)
    this.returned = 0
    return this.held.take(block, 0, 1, this.drive)
  }

  /**
   * Applies the gains to the next frames of `held`, which `take` returned. The result is valid until the next call.
   * Unless there are gains, it is a part of `held`.
   */
  give(held: Float32Array, { frames, skipped, gains }: SettledFrames): Float32Array {
    const { channels, before } = this
    this.returned = frames
    const settled = held.subarray((before + skipped) * channels, (before + frames) * channels)
    if (gains === undefined) return settled
    this.result = bufferFor(settled.length, this.result, this.allocate)
    const result = this.result.subarray(0, settled.length)
    multiplied(settled, gains.subarray(skipped, frames), result, channels)
    return result
  }
}

const multiplied = (
  samples: Float32Array,
  gains: Float32Array,
  into: Float32Array,
  channels: number
): void => {
  if (channels === 1) return productsOf(samples, gains, into)
  for (let frame = 0, at = 0; frame < gains.length; frame++) {
    const gain = gains[frame]!
    for (const end = at + channels; at < end; at++) into[at] = samples[at]! * gain
  }
}

/** State of a limiter that persists from block to block. */
export class LimiterMemory {
  readonly state = new Int32Array(6)
  /** Gain reductions (1 - gain) of the last `window` frames. */
  readonly lacks: Int32Array
  /** Gain reductions that frames within the look-ahead need. */
  readonly queue: Int32Array
  readonly mask: number

  /** `window` is the look-ahead in frames, at most 1,000. */
  constructor(readonly window: number) {
    const places = 2 ** Math.ceil(Math.log2(window + 1))
    this.lacks = new Int32Array(window)
    this.queue = new Int32Array(4 * places)
    this.mask = places - 1
  }

  /** Whether no gain reduction is active or upcoming. */
  get isResting(): boolean {
    const [, , first, last, sum] = this.state
    return first === last && sum === 0
  }
}

/**
 * Writes gains to the beginning of `gains`. `peaks` holds the levels before the first frame and after each one, 0 where
 * irrelevant. With the gain applied, no level exceeds `threshold`. Gains are held for the look-ahead and averaged over
 * it; the reduction (1 - gain) decays by the factor `keep` per frame.
 */
export const gainsOf = (
  peaks: Float32Array,
  threshold: number,
  keep: number,
  memory: LimiterMemory,
  gains: Float32Array
): void => {
  const { window, mask } = memory
  const state = new Int32Array(buffer, stateAt, memory.state.length)
  const queue = new Int32Array(buffer, queueAt, memory.queue.length)
  const lacks = new Int32Array(buffer, lacksAt, window + atOnce)
  state.set(memory.state)
  queue.set(memory.queue)
  lacks.set(memory.lacks)
  along(peaks.length - 1, (some, done) => {
    const out = writeAt(gains, done)
    const from = readAt(peaks, done, some, 0, 1)
    kernels.limited(from, out, some, lacksAt, window, queueAt, mask, stateAt, threshold, keep)
    writeThrough(out, some, gains, done)
    lacks.copyWithin(0, some, some + window)
  })
  memory.state.set(state)
  memory.queue.set(queue)
  memory.lacks.set(lacks.subarray(0, window))
}
