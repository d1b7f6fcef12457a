/** A stream on its way through a limiter: held back until the gains of its frames are known. */
import { ChannelHistory } from "../pcm/ChannelHistory.ts"
import { productsOf } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32, bufferFor } from "../kernels/BufferPool.ts"

/** Frames whose gains are known. */
export interface SettledFrames {
  /** How many there are, and how many of them, in the beginning, stand before the stream's first. */
  readonly frames: number
  readonly skipped: number
  /** Undefined where all are 1. */
  readonly gains: Float32Array | undefined
}

/** Holds back one stream of interleaved samples. */
export class LookaheadBuffer {
  /** For each channel what is held. */
  private readonly lines: ReadonlyArray<ChannelHistory>
  private result: Float32Array | undefined

  /**
   * `ahead` frames at least are held back, and `before` more that were given out. Samples are multiplied by `drive`
   * when they are taken.
   */
  constructor(
    private readonly channels: number,
    private readonly before: number,
    ahead: number,
    private readonly drive: number,
    private readonly room: Buffer32 = newBuffer
  ) {
    this.lines = Array.from({ length: channels }, () => new ChannelHistory(before + ahead, room))
  }

  /** Takes the next frames; what is then held, channel by channel, valid until the next call. */
  take(block: Float32Array): ReadonlyArray<Float32Array> {
    const { channels } = this
    return this.lines.map((line, channel) => line.take(block, channel, channels, this.drive))
  }

  /** Gives out the next frames of what `take` has returned; they are valid until the next call. */
  give(lines: ReadonlyArray<Float32Array>, { frames, skipped, gains }: SettledFrames): Float32Array {
    const { channels, before } = this
    const size = (frames - skipped) * channels
    this.result = bufferFor(size, this.result, this.room)
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
