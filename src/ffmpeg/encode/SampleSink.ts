/**
 * Work on the samples of a section that needs no ffmpeg: its part of a WAV file is written, what ffmpeg gets is
 * finished, measures are taken.
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

/** The samples of one programme that an ffmpeg is given: as they come, or finished for the file that it encodes. */
export interface FeedOrder {
  readonly kind: "feed"
  readonly from: UnconvertedPart
  /** How many frames the programme has. */
  readonly length: number
  readonly to: ConvertedPart | undefined
}

/** What is to be done, as it is said to a thread. */
export type SinkRequest = WavOrder | FeedOrder | ({ readonly kind: "listen" } & SectionMeter)

/** Does it for one section. What the file system refuses is thrown. */
export interface SampleSink {
  /** Takes the next samples, from where the section's begin on; they may change as soon as it has returned. */
  take(block: Float32Array): void
  /** Brings it to its end, and returns what was heard. */
  finish(): SectionMeasurement | undefined
  close(): void
}

/** `feed` is given the bytes for ffmpeg, which are valid until it has returned; samples are kept in `room`. */
export const openSink = (
  order: SinkRequest,
  section: Section,
  feed: (bytes: Uint8Array) => void,
  room: Buffer32
): SampleSink => {
  switch (order.kind) {
    case "wav":
      return new WavPart(order, section, room)
    case "feed":
      return order.to === undefined
        ? feedingSamples(order, section, feed)
        : feedingFinished(order, order.to, section, feed, room)
    case "listen": {
      const listener = new ProgrammeMeter(order, section, room)
      return {
        take: (block) => listener.push(block),
        finish: () => listener.heard(),
        close: () => undefined
      }
    }
  }
}

const feedingSamples = (
  { from: { channels } }: FeedOrder,
  { begin, from, to }: Section,
  feed: (bytes: Uint8Array) => void
): SampleSink => {
  let at = begin
  return {
    take: (block) => {
      const frames = block.length / channels
      const first = Math.min(frames, Math.max(0, from - at))
      const last = Math.min(frames, Math.max(0, to - at))
      at += frames
      feed(sampleBytesOf(block.subarray(first * channels, last * channels)))
    },
    finish: () => undefined,
    close: () => undefined
  }
}

const feedingFinished = (
  { from, length }: FeedOrder,
  to: ConvertedPart,
  section: Section,
  feed: (bytes: Uint8Array) => void,
  room: Buffer32
): SampleSink => {
  const finisher = new OutputConverter(from, convertPart(to, from.rate, length, section), room)
  return {
    take: (block) => feed(finisher.push(block)),
    finish: () => {
      for (const bytes of finisher.rest()) feed(bytes)
      return undefined
    },
    close: () => undefined
  }
}
