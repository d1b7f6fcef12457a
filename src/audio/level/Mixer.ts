/**
 * The mix: clips summed onto a timeline, block by block, in memory that depends on how many clips sound at once and on
 * nothing else. Samples are added in floats of 32 bit, always in the order of the events' `order`: so neither the block
 * size nor the sequence of events that begin together changes a bit of the result.
 */
import type { Frames } from "../../domain/time/Units.ts"
import { addTo } from "../kernels/Kernels.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"

/** A clip on the timeline. */
export interface MixEvent {
  /** The frame of its first sample. */
  readonly at: Frames
  readonly samples: Float32Array
  /** Amplitude factor, 1 leaves it. */
  readonly gain: number
  /** Place in a stereo mix, from -1 (left) to 1 (right), with constant power; of no effect in mono. */
  readonly pan: number
  /** Unique among the events: decides which of two simultaneous samples is added first. */
  readonly order: number
  /** The stem that also gets it, from 0; none where absent. */
  readonly stem?: number | undefined
}

/** What is mixed. */
export interface MixPlan {
  /** The frame with which the result begins, 0 where absent: what sounds before is cut off. */
  readonly from?: number
  /** The frame behind its last, exactly; what sounds beyond is cut off. */
  readonly length: number
  readonly channels: 1 | 2
  /** How many stems are made beside the whole. */
  readonly stems: number
}

/** The next frames of each output, channels interleaved: the whole first, then the stems. */
export type MixBlock = readonly [Float32Array, ...ReadonlyArray<Float32Array>]

/** Mixes step by step: `add` what begins before the next frames, then `render` them. */
export class Mixer {
  /** The frame that is rendered next. */
  position: number
  private readonly first: number
  private sounding: Array<MixEvent> = []
  /** What is mixed into, block after block. */
  private outputs: ReadonlyArray<Float32Array> = []

  constructor(
    private readonly plan: MixPlan,
    private readonly room: Buffer32 = newBuffer
  ) {
    this.first = plan.from ?? 0
    this.position = this.first
  }

  /**
   * Takes an event that begins at `position` or later, or before the result does. Throws a RangeError for one that
   * should have begun before.
   */
  add(event: MixEvent): void {
    if (event.at < this.position && this.position > this.first)
      throw new RangeError(`an event at frame ${event.at} came when frame ${this.position} was mixed already`)
    let place = this.sounding.length
    while (place > 0 && this.sounding[place - 1]!.order > event.order) place--
    this.sounding.splice(place, 0, event)
  }

  /**
   * The next `count` frames of each output, fewer at the end. Every event that begins in them must have been added.
   * They are valid until the next call.
   */
  render(count: number): MixBlock {
    const { channels, length } = this.plan
    const from = this.position
    const to = Math.min(length, from + count)
    const [whole, ...stems] = this.silent((to - from) * channels)
    for (const event of this.sounding) {
      const stem = event.stem === undefined ? undefined : stems[event.stem]
      for (let channel = 0; channel < channels; channel++) {
        const gain = channels === 1 ? event.gain : event.gain * panGain(event.pan, channel)
        sum(whole, event, gain, from, to, channel, channels)
        if (stem !== undefined) sum(stem, event, gain, from, to, channel, channels)
      }
    }
    this.position = to
    if (this.sounding.length > 0)
      this.sounding = this.sounding.filter((event) => event.at + event.samples.length > to)
    return [whole, ...stems]
  }

  /** The outputs, of so many samples each, with nothing in them. */
  private silent(size: number): MixBlock {
    if (size > (this.outputs[0]?.length ?? -1))
      this.outputs = Array.from({ length: this.plan.stems + 1 }, () => this.room(size))
    const [whole, ...stems] = this.outputs.map((output) => output.subarray(0, size).fill(0))
    return [whole!, ...stems]
  }
}

/** The factor of a channel (0 left, 1 right): at the centre both take 0.707, so that the power stays. */
export const panGain = (pan: number, channel: number): number => {
  const angle = ((Math.max(-1, Math.min(1, pan)) + 1) * Math.PI) / 4
  return channel === 0 ? Math.cos(angle) : Math.sin(angle)
}

const sum = (
  output: Float32Array,
  event: MixEvent,
  gain: number,
  from: number,
  to: number,
  channel: number,
  channels: number
): void => {
  const { at, samples } = event
  const first = Math.max(from, at)
  const last = Math.min(to, at + samples.length)
  if (channels === 1 && gain === 1)
    return addTo(output, first - from, samples, first - at, Math.max(0, last - first))
  for (let frame = first, into = (first - from) * channels + channel; frame < last; frame++, into += channels)
    output[into]! += samples[frame - at]! * gain
}
