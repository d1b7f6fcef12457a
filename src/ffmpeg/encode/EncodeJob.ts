/** How PCM becomes audio files in one pass: the job that ffmpeg is given, and what is written without it. */
import { encodings, type ConvertedPart } from "../../audio/formats/OutputConversion.ts"
import { type WavOptions, wavHeader } from "../../audio/formats/WavHeader.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { deliveryRate, Frames, type SampleRate } from "../../domain/time/Units.ts"
import { type Chapter, oggChapters } from "./Chapters.ts"
import type { FfmpegJob, JobOutput } from "../process/FfmpegJob.ts"
import { languageCode } from "../probe/LanguageCode.ts"
import { aacCoder, mp3Level, speechBitrates } from "./LossyCodecs.ts"
import type { WavOrder } from "./WavWriter.ts"

/**
 * The samples that are fed: floats, ±1 at full scale, interleaved where there are two channels; dithered where 16 bit
 * are written.
 */
export interface PcmFeed {
  readonly rate: SampleRate
  readonly channels: 1 | 2
  /** How long all of it is. The results are as long, to the frame of their own rate. */
  readonly frames: Frames
}

/** What is written. Bit rates are kilobits a second for all channels together. */
export type AudioFormat =
  | {
      readonly format: "wav"
      /** 32 is floating point. */
      readonly depth: 16 | 24 | 32
      /** Makes it a Broadcast Wave: where its first frame stands, in frames of the file's own rate since midnight. */
      readonly timeReference?: Frames
    }
  | { readonly format: "flac"; readonly depth: 16 | 24 }
  | { readonly format: "mp3" | "m4a" | "opus"; readonly bitrate?: number }

/** What a file says of itself. */
export interface AudioTags {
  readonly title?: string
  readonly artist?: string
  readonly album?: string
  readonly comment?: string
  readonly language?: LanguageTag
}

/** One file to be written. */
export interface AudioSink {
  readonly path: string
  readonly format: AudioFormat
  /** 48 kHz where absent. Opus and MP3 that cannot have a rate get 48 kHz. */
  readonly rate?: SampleRate
  /** The file's exact length in frames of `rate`, where a feed at a lower rate cannot say it as exactly. */
  readonly frames?: Frames
  readonly tags?: AudioTags
}

/** How many frames a sink's file has: as it asks, else the feed's length at the file's rate, to the nearest frame. */
const framesWritten = (feed: PcmFeed, sink: AudioSink): Frames => {
  const length =
    sink.frames === undefined
      ? { frames: feed.frames, rate: feed.rate }
      : { frames: sink.frames, rate: sink.rate ?? deliveryRate }
  return Frames.make(Math.round((length.frames * rateOf(sink)) / length.rate))
}

/** A sink with the place where it is written until it is whole. */
export interface PlacedSink {
  readonly sink: AudioSink
  readonly part: string
}

/** A WAV file as it is begun, and what is to be written into it. */
export interface WavFile {
  readonly header: WavOptions
  readonly order: WavOrder
}

/** How a sink is written without ffmpeg; undefined for what only ffmpeg can write. */
export const wavFileOf = (feed: PcmFeed, { sink, part }: PlacedSink): WavFile | undefined => {
  const { format, tags = {} } = sink
  if (format.format !== "wav") return undefined
  const { rate, channels } = feed
  const { depth, timeReference } = format
  const to: ConvertedPart = { rate: rateOf(sink), frames: framesWritten(feed, sink), depth }
  const { language, ...texts } = tags
  const header: WavOptions = {
    rate: to.rate,
    channels,
    encoding: encodings[depth],
    frames: to.frames,
    ...(timeReference === undefined ? {} : { broadcast: { timeReference } }),
    tags: { ...texts, ...(language === undefined ? {} : { language: languageCode(language) }) }
  }
  const dataAt = wavHeader(header).length
  const from = { rate, channels }
  return {
    header,
    order: { kind: "wav", path: sink.path, part, from, length: feed.frames, to, dataAt }
  }
}

/**
 * What a sink must be given where floats are finished before ffmpeg gets them: FLAC of 16 bit, the same samples as in a
 * WAV.
 */
export const finishedFor = (feed: PcmFeed, sink: AudioSink): ConvertedPart | undefined =>
  sink.format.format === "flac" && sink.format.depth === 16
    ? { rate: rateOf(sink), frames: framesWritten(feed, sink), depth: 16 }
    : undefined

/** What an ffmpeg is fed, as a WAV: floats as they come, or 16-bit integers that are finished. */
export interface FedPcm extends PcmFeed {
  readonly encoding: "float32" | "int16"
}

/** What the ffmpeg is fed that encodes sinks which must be given this. */
export const fedPcm = (feed: PcmFeed, finished: ConvertedPart | undefined): FedPcm =>
  finished === undefined
    ? { ...feed, encoding: "float32" }
    : { ...feed, rate: finished.rate, frames: Frames.make(finished.frames), encoding: "int16" }

/**
 * Bytes that ffmpeg hands from one of its threads to the next at once: each time costs as much as encoding some hundred
 * samples.
 */
const packetBytes = 1_048_576

/** Chapters as ffmpeg takes them. */
export interface ChapterFile {
  /** A file in ffmpeg's metadata format. */
  readonly path: string
  /** The same chapters. */
  readonly chapters: ReadonlyArray<Chapter>
}

/** The job; `major` is the ffmpeg's version where it is known. */
export const encodeJob = (
  feed: FedPcm,
  sinks: ReadonlyArray<PlacedSink>,
  chapters: ChapterFile | undefined,
  major: number | undefined
): FfmpegJob => ({
  purpose: `encode ${sinks.map(({ sink }) => sink.path).join(", ")}`,
  inputs: [
    {
      source: "stdin",
      options: ["-f", "wav", ...(knowsPackets(major) ? ["-max_size", `${packetBytes}`] : [])]
    },
    ...(chapters === undefined ? [] : [{ source: chapters.path, options: ["-f", "ffmetadata"] }])
  ],
  filters: [],
  outputs: sinks.map((placed) => outputOf(feed, placed, chapters?.chapters ?? [])),
  encodes: sinks.length
})

/**
 * From version 5 on a WAV may be read in packets of a size that is asked for; builds between versions do not tell
 * theirs.
 */
const knowsPackets = (major: number | undefined): boolean => major !== undefined && major >= 5

const outputOf = (
  feed: PcmFeed,
  { sink, part }: PlacedSink,
  chapters: ReadonlyArray<Chapter>
): JobOutput => ({
  target: part,
  options: [
    "-map",
    "0:a:0",
    ...(chapters.length === 0 ? [] : chaptersOf(sink.format, chapters)),
    ...filterOf(feed, sink),
    ...codecOf(feed, sink),
    ...tagsOf(sink.tags ?? {}),
    "-y"
  ]
})

const filterOf = (feed: PcmFeed, sink: AudioSink): ReadonlyArray<string> => {
  const level = sink.format.format === "mp3" ? mp3Level(bitrateOf(feed, sink.format), rateOf(sink)) : []
  const filters = [...lengthened(feed, sink), ...level]
  return filters.length === 0 ? [] : ["-af", filters.join(",")]
}

/** Resampled where needed, then padded or cut to the exact length, which no resampler promises. */
const lengthened = (feed: PcmFeed, sink: AudioSink): ReadonlyArray<string> => {
  const length = framesWritten(feed, sink)
  return rateOf(sink) === feed.rate && length === feed.frames
    ? []
    : [`aresample=${rateOf(sink)}`, "apad", `atrim=end_sample=${length}`]
}

const rateOf = ({ format, rate }: AudioSink): SampleRate => {
  const wanted = rate ?? deliveryRate
  const possible = ratesOf[format.format]
  return possible === undefined || possible.includes(wanted) ? wanted : deliveryRate
}

/** The only rates that some encoders take, in hertz. */
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
      return [
        "-c:a",
        "flac",
        "-sample_fmt",
        format.depth === 16 ? "s16" : "s32",
        ...(format.depth === 24 ? ["-bits_per_raw_sample", "24"] : []),
        "-f",
        "flac"
      ]
    case "mp3":
      return ["-c:a", "libmp3lame", "-b:a", `${bitrateOf(feed, format)}k`, "-f", "mp3"]
    case "m4a":
      return ["-c:a", "aac", ...aacCoder("a:0"), "-b:a", `${bitrateOf(feed, format)}k`, "-f", "ipod"]
    case "opus":
      return ["-c:a", "libopus", "-b:a", `${bitrateOf(feed, format)}k`, "-f", "opus"]
  }
}

type LossyFormat = Extract<AudioFormat, { readonly bitrate?: number }>

/** Kilobits a second. */
const bitrateOf = ({ channels }: PcmFeed, { format, bitrate }: LossyFormat): number =>
  bitrate ?? speechBitrates[format === "m4a" ? "aac" : format] * channels

/**
 * ffmpeg writes an Ogg's chapters a second late where they begin in a second's latter half: they are given as the tags
 * that they are.
 */
const chaptersOf = ({ format }: AudioFormat, chapters: ReadonlyArray<Chapter>): ReadonlyArray<string> =>
  format === "opus"
    ? ["-map_chapters", "-1", ...oggChapters(chapters).flatMap((tag) => ["-metadata", tag])]
    : ["-map_chapters", "1"]

/** Formats differ in whether they take tags of the file or of its stream: both are given. */
const tagsOf = ({ language, ...texts }: AudioTags): ReadonlyArray<string> => [
  ...Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : ["-metadata", `${name}=${text}`]
  ),
  ...(language === undefined
    ? []
    : [
        "-metadata",
        `language=${languageCode(language)}`,
        "-metadata:s:a:0",
        `language=${languageCode(language)}`
      ])
]
