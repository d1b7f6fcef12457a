/** Builds the ffmpeg job that encodes PCM to audio files, and the orders that convert samples for WAV and FLAC. */
import { encodings, type ConvertedPart } from "../../audio/formats/OutputConversion.ts"
import { type WavOptions, wavHeader } from "../../audio/formats/WavHeader.ts"
import {
  type DigitalSource,
  digitalSourceTag,
  digitalSourceUri,
  syntheticMark
} from "../../domain/values/SyntheticMark.ts"
import type { ChannelCount } from "../../audio/pcm/Pcm.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { deliveryRate, Frames, type SampleRate } from "../../domain/time/Units.ts"
import { type Chapter, chapterOptions } from "./Chapters.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { languageCode } from "../probe/LanguageCode.ts"
import { aacCoder, mp3Level, speechBitrates } from "./LossyCodecs.ts"
import type { ConvertedFeedOrder } from "./SampleSink.ts"
import type { WavOrder } from "./WavWriter.ts"

/**
 * The samples of a programme: floats with full scale at ±1, channels interleaved. Output at 16 bits is dithered.
 */
export interface PcmFeed {
  readonly rate: SampleRate
  readonly channels: ChannelCount
  /** Whether samples that are whole 16-bit integers get no dither. */
  readonly keepsIntegers?: boolean
  /** The total length. The files have the same length, to the frame of their own rate. */
  readonly frames: Frames
}

/** The format of an audio file. Bit rates are kilobits per second for all channels together. */
export type AudioFormat =
  | {
      readonly format: "wav"
      /** Bits per sample; 32 is floating point. */
      readonly depth: 16 | 24 | 32
      /** Makes it a Broadcast Wave: the time of its first frame, in frames of the file's own rate since midnight. */
      readonly timeReference?: Frames
    }
  | { readonly format: "flac"; readonly depth: 16 | 24 }
  | { readonly format: "mp3" | "m4a" | "opus"; readonly bitrate?: number }

/** The metadata tags of a file. */
export interface AudioTags {
  readonly title?: string
  readonly artist?: string
  readonly album?: string
  readonly comment?: string
  readonly language?: LanguageTag
  /** Marks the file as synthetic speech. */
  readonly source?: DigitalSource
}

/** One file to write. */
export interface AudioSink {
  readonly path: string
  readonly format: AudioFormat
  /** Default 48 kHz, which also replaces a rate that the format does not support. */
  readonly rate?: SampleRate
  /** The file's exact length in frames of `rate`, for a feed whose lower rate cannot express it. */
  readonly frames?: Frames
  readonly tags?: AudioTags
  /** Whether only some sections of a WAV file are rendered: the others are those of the present file. */
  readonly isPatched?: boolean
}

/** Returns the length of a sink's file in frames: `frames` if set, else the feed's length, at the file's rate. */
export const framesWritten = (feed: PcmFeed, sink: AudioSink): Frames => {
  const length =
    sink.frames === undefined
      ? { frames: feed.frames, rate: feed.rate }
      : { frames: sink.frames, rate: sink.rate ?? deliveryRate }
  return Frames.make(Math.round((length.frames * rateOf(sink)) / length.rate))
}

/** A sink, with the path of the file that receives its samples. */
export interface PlacedSink {
  readonly sink: AudioSink
  readonly part: string
}

/** The header of a WAV file, and the order that writes its samples. */
export interface WavFile {
  readonly header: WavOptions
  readonly order: WavOrder
}

/** Returns how to write a sink without ffmpeg; undefined for formats other than WAV. */
export const wavFileOf = (feed: PcmFeed, { sink, part }: PlacedSink): WavFile | undefined => {
  const { format, tags = {} } = sink
  if (format.format !== "wav") return undefined
  const { rate, channels } = feed
  const { depth, timeReference } = format
  const to: ConvertedPart = { rate: rateOf(sink), frames: framesWritten(feed, sink), depth }
  const { language, source, ...texts } = tags
  const header: WavOptions = {
    rate: to.rate,
    channels,
    encoding: encodings[depth],
    frames: to.frames,
    ...(timeReference === undefined ? {} : { broadcast: { timeReference } }),
    tags: {
      ...texts,
      ...(source === undefined ? {} : { keywords: syntheticMark(source) }),
      ...(language === undefined ? {} : { language: languageCode(language) })
    }
  }
  const dataAt = wavHeader(header).length
  const from = { rate, channels, keepsIntegers: feed.keepsIntegers === true }
  return {
    header,
    order: { kind: "wav", path: sink.path, part, from, length: feed.frames, to, dataAt }
  }
}

/** Samples that ffmpeg gets as a WAV file of integers. */
export interface ConvertedFeed {
  readonly feed: PcmFeed
  readonly header: WavOptions
  readonly order: ConvertedFeedOrder
}

/** Returns the feed of a FLAC file, whose samples are those of a WAV file; undefined for other formats. */
export const flacFeedOf = (feed: PcmFeed, sink: AudioSink): ConvertedFeed | undefined => {
  if (sink.format.format !== "flac") return undefined
  const { rate, channels } = feed
  const { depth } = sink.format
  const to = { rate: rateOf(sink), frames: framesWritten(feed, sink), depth }
  const from = { rate, channels, keepsIntegers: feed.keepsIntegers === true }
  return {
    feed: { rate: to.rate, channels, frames: to.frames },
    header: { rate: to.rate, channels, encoding: encodings[depth], frames: to.frames },
    order: { kind: "converted", from, length: feed.frames, to }
  }
}

/**
 * The size in bytes of the packets that ffmpeg passes between its threads. Each handover costs as much as encoding some
 * hundred samples.
 */
const packetBytes = 1_048_576

/** Chapters, and the file with them in ffmpeg's metadata format. */
export interface ChapterFile {
  /** The path of the metadata file. */
  readonly path: string
  /** The chapters in it. */
  readonly chapters: ReadonlyArray<Chapter>
}

/** Builds the job that encodes a WAV file, by default from standard input. */
export const encodeJob = (
  feed: PcmFeed,
  sinks: ReadonlyArray<PlacedSink>,
  chapters: ChapterFile | undefined,
  source = "stdin"
): FfmpegJob => ({
  purpose: `encode ${sinks.map(({ sink }) => sink.path).join(", ")}`,
  inputs: [
    {
      source,
      options: ["-f", "wav"],
      newer: [{ from: { major: 4, minor: 4 }, options: ["-max_size", `${packetBytes}`] }]
    },
    // Chapters in ffmpeg's metadata format.
    ...(chapters === undefined ? [] : [{ source: chapters.path, options: ["-f", "ffmetadata"] }])
  ],
  filters: [],
  outputs: sinks.map((placed) => outputOf(feed, placed, chapters?.chapters ?? [])),
  encodes: sinks.length
})

const outputOf = (feed: PcmFeed, { sink, part }: PlacedSink, chapters: ReadonlyArray<Chapter>) => ({
  target: part,
  options: [
    "-map",
    "0:a:0",
    ...(chapters.length === 0 ? [] : chapterOptions(sink.format.format, chapters)),
    ...filterOf(feed, sink),
    ...codecOf(feed, sink),
    ...tagsOf(sink.tags ?? {}, sink.format.format),
    "-y"
  ]
})

const filterOf = (feed: PcmFeed, sink: AudioSink): ReadonlyArray<string> => {
  const level = sink.format.format === "mp3" ? mp3Level(bitrateOf(feed, sink.format), rateOf(sink)) : []
  const filters = [...lengthened(feed, sink), ...level]
  return filters.length === 0 ? [] : ["-af", filters.join(",")]
}

/** Filters that resample if needed, then pad or trim to the exact length, which no resampler guarantees. */
const lengthened = (feed: PcmFeed, sink: AudioSink): ReadonlyArray<string> => {
  const length = framesWritten(feed, sink)
  return rateOf(sink) === feed.rate && length === feed.frames
    ? []
    : [`aresample=${rateOf(sink)}`, "apad", `atrim=end_sample=${length}`]
}

/** Returns the rate of a sink's file in hertz. */
export const rateOf = ({ format, rate }: AudioSink): SampleRate => {
  const wanted = rate ?? deliveryRate
  const possible = ratesOf[format.format]
  return possible === undefined || possible.includes(wanted) ? wanted : deliveryRate
}

/** The rates in hertz that encoders with a fixed set support. */
const ratesOf: Readonly<Partial<Record<AudioFormat["format"], ReadonlyArray<number>>>> = {
  opus: [8_000, 12_000, 16_000, 24_000, 48_000],
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  m4a: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000]
}

const codecOf = (feed: PcmFeed, { format }: AudioSink): ReadonlyArray<string> => {
  switch (format.format) {
    case "wav":
      // Written without ffmpeg.
      return []
    case "flac":
      return ["-c:a", "flac", "-f", "flac"]
    case "mp3":
      return ["-c:a", "libmp3lame", "-b:a", `${bitrateOf(feed, format)}k`, "-f", "mp3"]
    case "m4a":
      return [
        ...["-c:a", "aac", ...aacCoder("a:0"), "-b:a", `${bitrateOf(feed, format)}k`],
        ...["-f", "ipod"]
      ]
    case "opus":
      return ["-c:a", "libopus", "-b:a", `${bitrateOf(feed, format)}k`, "-f", "opus"]
  }
}

/** A format whose bit rate can be chosen. */
type LossyFormat = Extract<AudioFormat, { readonly bitrate?: number }>

/** Kilobits per second for all channels. */
const bitrateOf = ({ channels }: PcmFeed, { format, bitrate }: LossyFormat): number =>
  bitrate ?? speechBitrates[format === "m4a" ? "aac" : format] * channels

/** Returns the options that write tags. Some formats read the file's language, some the stream's: both are set. */
const tagsOf = ({ language, source, ...texts }: AudioTags, format: AudioFormat["format"]) => [
  ...Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : ["-metadata", `${name}=${text}`]
  ),
  // M4A has no tags of any name.
  ...(source === undefined
    ? []
    : format === "m4a"
      ? ["-metadata", `keywords=${syntheticMark(source)}`]
      : ["-metadata", `${digitalSourceTag}=${digitalSourceUri(source)}`]),
  ...(language === undefined
    ? []
    : [
        "-metadata",
        `language=${languageCode(language)}`,
        "-metadata:s:a:0",
        `language=${languageCode(language)}`
      ])
]
