/**
 * Mixer: sums clips onto a timeline, block by block. Memory depends only on how many clips play at once. Samples are
 * added as 32-bit floats, always in the order of the events' `order`. So neither the block size nor the order in which
 * simultaneous events are added changes a bit of the result.
 */
import type { Frames } from "../../domain/time/Units.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"
import { addedTo, pannedTo } from "../kernels/Kernels.ts"

/** A clip on the timeline. */
export interface MixEvent {
  /** Frame of the first sample. */
  readonly at: Frames
  readonly samples: Float32Array
  /** Amplitude factor; 1 leaves samples unchanged. */
  readonly gain: number
  /** Position in a stereo mix, from -1 (left) to 1 (right), at constant power; ignored in mono. */
  readonly pan: number
  /** Unique among the events; decides which of two simultaneous samples is added first. */
  readonly order: number
  /** Index of the stem that also receives it; no stem if absent. */
  readonly stem?: number | undefined
}

/** Range, channels and stems of a mix. */
export interface MixPlan {
  /** First frame of the result, default 0; anything before it is cut off. */
  readonly from?: number
  /** Frame after the last one; anything from here on is cut off. */
  readonly length: number
  readonly channels: 1 | 2
  /** Number of stems rendered besides the mix. */
  readonly stems: number
}

/** The next frames of each output, channels interleaved: the mix first, then the stems. */
export type MixBlock = readonly [Float32Array, ...ReadonlyArray<Float32Array>]

/** Mixes step by step: `add` the events that begin before the end of the next block, then `render` it. */
export class Mixer {
  /** The next frame to render. */
  position: number
  private readonly first: number
  private sounding: Array<MixEvent> = []
  /** Output buffers, reused from block to block. */
  private outputs: ReadonlyArray<Float32Array> = []

  constructor(
    private readonly plan: MixPlan,
    private readonly allocate: Buffer32 = newBuffer
  ) {
    this.first = plan.from ?? 0
    this.position = this.first
  }

  /**
   * Adds an event that begins at `position` or later, or earlier before the first block is rendered. Throws a
   * RangeError if it begins in frames already rendered.
   */
  add(event: MixEvent): void {
    if (event.at < this.position && this.position > this.first)
      throw new RangeError(`event at frame ${event.at} was added after frame ${this.position} was reached`)
    let place = this.sounding.length
    while (place > 0 && this.sounding[place - 1]!.order > event.order) place--
    this.sounding.splice(place, 0, event)
  }

  /**
   * Renders the next `count` frames of each output, fewer at the end. Every event that begins in them must have been
   * added. The result is valid until the next call.
   */
  render(count: number): MixBlock {
    const { channels, length } = this.plan
    const from = this.position
    const to = Math.min(length, from + count)
    const [whole, ...stems] = this.silent((to - from) * channels)
    for (const event of this.sounding) {
      const stem = event.stem === undefined ? undefined : stems[event.stem]
      for (const output of stem === undefined ? [whole] : [whole, stem])
        sum(output, event, from, to, channels)
    }
    this.position = to
    if (this.sounding.length > 0)
      this.sounding = this.sounding.filter((event) => event.at + event.samples.length > to)
    return [whole, ...stems]
  }

  /** Returns silent outputs of `size` samples each. */
  private silent(size: number): MixBlock {
    if (size > (this.outputs[0]?.length ?? -1))
      this.outputs = Array.from({ length: this.plan.stems + 1 }, () => this.allocate(size))
    const [whole, ...stems] = this.outputs.map((output) => output.subarray(0, size).fill(0))
    return [whole!, ...stems]
  }
}

/** Returns a channel's factor (0 left, 1 right). At the centre both are 0.707, which keeps the power constant. */
export const panGain = (pan: number, channel: number): number => {
  const angle = ((Math.max(-1, Math.min(1, pan)) + 1) * Math.PI) / 4
  return channel === 0 ? Math.cos(angle) : Math.sin(angle)
}

const sum = (output: Float32Array, event: MixEvent, from: number, to: number, channels: 1 | 2): void => {
  const { at, samples, gain, pan } = event
  const first = Math.max(from, at)
  const count = Math.min(to, at + samples.length) - first
  const into = (first - from) * channels
  if (channels === 2)
    pannedTo(samples, first - at, count, output, into, gain * panGain(pan, 0), gain * panGain(pan, 1))
  else if (gain === 1) addedTo(samples, first - at, count, output, into, 1)
  else for (let i = 0; i < count; i++) output[into + i]! += samples[first - at + i]! * gain
}
