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
  /** Held samples, one line per channel. */
  private readonly lines: ReadonlyArray<ChannelHistory>
  private result: Float32Array | undefined

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
    this.lines = Array.from({ length: channels }, () => new ChannelHistory(before + ahead, allocate))
  }

  /**
   * Takes the next frames; returns the samples that are now held, per channel. The result is valid until the next call.
   */
  take(block: Float32Array): ReadonlyArray<Float32Array> {
    const { channels } = this
    return this.lines.map((line, channel) => line.take(block, channel, channels, this.drive))
  }

  /**
   * Applies the gains to the next frames of `lines`, which `take` returned, and interleaves them. The result is valid
   * until the next call.
   */
  give(lines: ReadonlyArray<Float32Array>, { frames, skipped, gains }: SettledFrames): Float32Array {
    const { channels, before } = this
    const size = (frames - skipped) * channels
    this.result = bufferFor(size, this.result, this.allocate)
    const result = this.result.subarray(0, size)
    lines.forEach((line, channel) => {
      const settled = line.subarray(before + skipped, before + frames)
      if (gains === undefined && channels === 1) result.set(settled)
      else if (gains === undefined) spread(settled, result, channel, channels)
      else multiplied(settled, gains.subarray(skipped, frames), result, channel, channels)
    })
    for (const line of this.lines) line.release(frames)
    return result
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
