/** Sinks for the samples of one section: write its part of a WAV file, pass them to ffmpeg, or meter them. */
import {
  type ConvertedPart,
  convertPart,
  OutputConverter,
  type UnconvertedPart
} from "../../audio/formats/OutputConversion.ts"
import {
  type SectionMeasurement,
  type SectionMeter,
  ProgrammeMeter
} from "../../audio/level/ProgrammeMeter.ts"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { sampleBytesOf } from "../../audio/formats/WavHeader.ts"
import { type WavOrder, WavPart } from "./WavWriter.ts"

/** An order to feed a programme's samples to an ffmpeg process, as floats. */
export interface FeedOrder {
  readonly kind: "feed"
  readonly from: UnconvertedPart
}

/** An order to feed the samples of a WAV file. */
export interface ConvertedFeedOrder {
  readonly kind: "converted"
  readonly from: UnconvertedPart
  /** The programme's length in frames. */
  readonly length: number
  readonly to: ConvertedPart
}

/** An order, as it is sent to a worker thread. */
export type SinkOrder =
  WavOrder | FeedOrder | ConvertedFeedOrder | ({ readonly kind: "listen" } & SectionMeter)

/** Carries out an order for one section. Throws file system errors. */
export interface SampleSink {
  /**
   * Processes the next samples, starting at the section's `begin`. Returns bytes for ffmpeg, if it makes any: they may
   * be part of the block, and are valid until the next call.
   */
  take(block: Float32Array): Uint8Array | undefined
  /** Finishes the section: yields the bytes that are still missing. Each is valid until the next. */
  rest?(): Iterable<Uint8Array>
  /** Returns a meter's measurement of the section, once all its samples have passed. */
  outcome?(): SectionMeasurement
  close?(): void
}

/** Opens the sink of an order. `allocate` provides buffers. */
export const openSink = (order: SinkOrder, section: Section, allocate: Buffer32): SampleSink => {
  switch (order.kind) {
    case "wav":
      return new WavPart(order, section, allocate)
    case "feed":
      return feedingSamples(order, section)
    case "converted": {
      const { from, to, length } = order
      const converter = new OutputConverter(from, convertPart(to, from.rate, length, section), allocate)
      return { take: (block) => converter.push(block), rest: () => converter.rest() }
    }
    case "listen": {
      const listener = new ProgrammeMeter(order, section, allocate)
      return { take: (block) => void listener.push(block), outcome: () => listener.heard() }
    }
  }
}

const feedingSamples = ({ from: { channels } }: FeedOrder, { begin, from, to }: Section): SampleSink => {
  let at = begin
  return {
    take: (block) => {
      const frames = block.length / channels
      const first = Math.min(frames, Math.max(0, from - at))
      const last = Math.min(frames, Math.max(0, to - at))
      at += frames
      return sampleBytesOf(block.subarray(first * channels, last * channels))
    }
  }
}
