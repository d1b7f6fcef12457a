/**
 * Sinks for the samples of one section: write its part of a WAV file or of an AAC file's segments, encode them as FLAC,
 * pass them to ffmpeg, or meter them.
 */
import type { FrameSizes } from "../../audio/formats/FlacFrames.ts"
import type { UnconvertedPart } from "../../audio/formats/OutputConversion.ts"
import {
  type SectionMeasurement,
  type SectionMeter,
  ProgrammeMeter
} from "../../audio/level/ProgrammeMeter.ts"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { RenderedSection, Section } from "../../audio/pcm/Section.ts"
import { sampleBytesOf } from "../../audio/formats/WavHeader.ts"
import { type AacOrder, AacPart, type SectionWritten } from "./aac/AacPart.ts"
import { type FlacOrder, FlacPart } from "./FlacPart.ts"
import { type WavOrder, WavPart } from "./WavWriter.ts"

/** An order to feed a programme's samples to an ffmpeg process, as floats. */
export interface FeedOrder {
  readonly kind: "feed"
  readonly from: UnconvertedPart
}

/** An order, as it is sent to a worker thread. */
export type SinkOrder =
  WavOrder | FlacOrder | AacOrder | FeedOrder | ({ readonly kind: "listen" } & SectionMeter)

/** Carries out an order for one section. Throws file system errors. */
export interface SampleSink {
  /**
   * Processes the next samples, starting at the section's `begin`. Returns bytes for ffmpeg or for a FLAC file, if it
   * makes any: they may be part of the block, and are valid until the next call.
   */
  take(block: Float32Array): Uint8Array | undefined
  /** Finishes the section: yields the bytes that are still missing. Each is valid until the next. */
  rest?(): Iterable<Uint8Array>
  /** Returns the converted samples of the last step, for a file's checksum. */
  checked?(): Uint8Array
  /** Returns a meter's measurement of the section, what is known of its frames in a FLAC file, or its end. */
  outcome?(): SectionOutcome
  close?(): void
}

/** What is known of a section once all its samples have passed; "kept" if its frames are. */
export type SectionOutcome = SectionMeasurement | FrameSizes | SectionWritten | "kept"

/** Opens the sink of an order. `allocate` provides buffers. */
export const openSink = (order: SinkOrder, section: RenderedSection, allocate: Buffer32): SampleSink => {
  if (section.isKept === true && order.kind !== "aac" && !isHashed(order, section)) return noSink
  switch (order.kind) {
    case "aac":
      return new AacPart(order, section)
    case "wav":
      return order.only?.includes(section.from) === false ? noSink : new WavPart(order, section, allocate)
    case "flac":
      return new FlacPart(order, section, allocate)
    case "feed":
      return feedingSamples(order, section)
    case "listen": {
      const listener = new ProgrammeMeter(order, section, allocate)
      return { take: (block) => void listener.push(block), outcome: () => listener.heard() }
    }
  }
}

/** Whether the checksum of a file needs the samples of a kept section. */
const isHashed = (order: SinkOrder, { isChecked }: RenderedSection): boolean =>
  order.kind === "flac" && order.isChecked && isChecked === true

const noSink: SampleSink = { take: () => undefined }

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
