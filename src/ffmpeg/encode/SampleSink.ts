/**
 * Sinks for the samples of one section: write its part of a WAV file, convert samples for ffmpeg, or meter them.
 */
import {
  type ConvertedPart,
  OutputConverter,
  convertPart,
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

/** An order to feed a programme's samples to an ffmpeg process, as floats or converted to a file's format. */
export interface FeedOrder {
  readonly kind: "feed"
  readonly from: UnconvertedPart
  /** The programme's length in frames. */
  readonly length: number
  readonly to: ConvertedPart | undefined
}

/** An order, as it is sent to a worker thread. */
export type SinkRequest = WavOrder | FeedOrder | ({ readonly kind: "listen" } & SectionMeter)

/** Carries out an order for one section. Throws file system errors. */
export interface SampleSink {
  /**
   * Processes the next samples, starting at the section's `begin`. Returns bytes for ffmpeg, if it feeds one: they may
   * be part of the block, and are valid until the next call.
   */
  take(block: Float32Array): Uint8Array | undefined
  /** Finishes the section: yields the bytes for ffmpeg that are still missing. Each is valid until the next. */
  rest?(): Iterable<Uint8Array>
  /** Returns a meter's measurement of the section. */
  heard?(): SectionMeasurement
  close?(): void
}

/** Opens the sink of an order. `allocate` provides buffers. */
export const openSink = (order: SinkRequest, section: Section, allocate: Buffer32): SampleSink => {
  switch (order.kind) {
    case "wav":
      return new WavPart(order, section, allocate)
    case "feed":
      return order.to === undefined
        ? feedingSamples(order, section)
        : feedingFinished(order, order.to, section, allocate)
    case "listen": {
      const listener = new ProgrammeMeter(order, section, allocate)
      return { take: (block) => void listener.push(block), heard: () => listener.heard() }
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

const feedingFinished = (
  { from, length }: FeedOrder,
  to: ConvertedPart,
  section: Section,
  allocate: Buffer32
): SampleSink => {
  const finisher = new OutputConverter(from, convertPart(to, from.rate, length, section), allocate)
  return { take: (block) => finisher.push(block), rest: () => finisher.rest() }
}
