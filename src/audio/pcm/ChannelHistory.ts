/** One channel of a stream, with as much of its past as filters need. */
import { scaledOf } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"

/**
 * Holds the samples of one channel that are still needed, oldest first. One array serves the whole stream: the result
 * of `take` is valid until the next call.
 */
export class ChannelHistory {
  private line: Float32Array
  private held: number

  /** Starts with `past` samples of silence. */
  constructor(
    past: number,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.line = allocate(past).fill(0)
    this.held = past
  }

  /** Appends a channel's samples from an interleaved block, multiplied by `gain`; returns all held samples. */
  take(block: Float32Array, channel: number, channels: number, gain: number): Float32Array {
    const from = this.held
    const to = from + block.length / channels
    if (to > this.line.length) {
      const longer = this.allocate(to)
      longer.set(this.line.subarray(0, from))
      this.line = longer
    }
    const { line } = this
    if (channels === 1 && gain === 1) line.set(block, from)
    else if (channels === 1) scaledOf(block, gain, line, from)
    else for (let i = from, at = channel; i < to; i++, at += channels) line[i] = block[at]! * gain
    this.held = to
    return line.subarray(0, to)
  }

  /** Drops the oldest `count` samples. */
  release(count: number): void {
    this.line.copyWithin(0, count, this.held)
    this.held -= count
  }
}
