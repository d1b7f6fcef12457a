/** Look-ahead buffer: delays a stream until the limiter knows the gains of its frames. */
import { ChannelHistory } from "../pcm/ChannelHistory.ts"
import { productsOf } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32, bufferFor } from "../kernels/BufferPool.ts"

/** Frames whose gains are known. */
export interface SettledFrames {
  /** Number of frames, and how many of them are before the first frame of the stream. */
  readonly frames: number
  readonly skipped: number
  /** Undefined if all gains are 1. */
  readonly gains: Float32Array | undefined
}

/** Delays one stream of interleaved samples. */
export class LookaheadBuffer {
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
