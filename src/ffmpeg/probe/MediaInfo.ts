/** The length and streams of a media file, as probed. */
import { Schema } from "effect"
import { Ratio } from "../../domain/time/Ratio.ts"
import { Micros } from "../../domain/time/Units.ts"

const common = {
  /** The stream's number in the file, from 0. */
  index: Schema.NonNegativeInt,
  /** ffmpeg's codec name: `h264`, `aac`, `mov_text`. */
  codec: Schema.NonEmptyString,
  /** As in the file, mostly three letters; absent if undetermined. */
  language: Schema.optional(Schema.NonEmptyString),
  title: Schema.optional(Schema.NonEmptyString),
  /** Whether players select it by default. */
  isDefault: Schema.Boolean
}

/** A video stream; `attached` marks a cover image. */
export class VideoStream extends Schema.TaggedClass<VideoStream>()("VideoStream", {
  ...common,
  attached: Schema.Boolean,
  /** The display size in square pixels. */
  width: Schema.optional(Schema.Positive.pipe(Schema.int())),
  height: Schema.optional(Schema.Positive.pipe(Schema.int())),
  /** Frames per second; absent if unknown. */
  frameRate: Schema.optional(Ratio),
  /** The end of its last frame, from the file's start. */
  duration: Schema.optional(Micros)
}) {}

/** An audio track. */
export class AudioStream extends Schema.TaggedClass<AudioStream>()("AudioStream", {
  ...common,
  rate: Schema.Positive.pipe(Schema.int()),
  channels: Schema.Positive.pipe(Schema.int()),
  /** Bits per sample of a lossless codec; absent for lossy ones. */
  bits: Schema.optional(Schema.Positive.pipe(Schema.int())),
  /** The end of its last packet, from the file's start. */
  duration: Schema.optional(Micros)
}) {}

/** A subtitle track. */
export class SubtitleStream extends Schema.TaggedClass<SubtitleStream>()("SubtitleStream", common) {}

/** Data, attachments and other streams. */
export class OtherStream extends Schema.TaggedClass<OtherStream>()("OtherStream", {
  index: Schema.NonNegativeInt,
  kind: Schema.String
}) {}

export const MediaStream = Schema.Union(VideoStream, AudioStream, SubtitleStream, OtherStream)
export type MediaStream = typeof MediaStream.Type

/** A probed media file. */
export class MediaInfo extends Schema.Class<MediaInfo>("MediaInfo")({
  path: Schema.String,
  /** ffmpeg's names for the container: `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: Schema.NonEmptyString,
  /** The end of the longest video or audio stream, from the file's start, exact to the container's time base. */
  duration: Micros,
  /**
   * How far before time zero the first packet starts, if it does: inaudible encoder delay.
   */
  lead: Schema.optional(Micros),
  /** Whether it is a raw video stream with B frames: without a container, their order in time is unknown. */
  isUntimed: Schema.optional(Schema.Boolean),
  /**
   * The timecode of its first frame, as in the file: `01:00:00:00`, or `01:00:00;00` for drop-frame.
   */
  timecode: Schema.optional(Schema.NonEmptyString),
  /** Position of a Broadcast Wave file's first frame, in frames at its own rate from midnight. */
  timeReference: Schema.optional(Schema.NonNegativeInt),
  /** The file's own words, which a video made from it keeps. */
  notes: Schema.optional(
    Schema.Struct({ comment: Schema.optional(Schema.String), keywords: Schema.optional(Schema.String) })
  ),
  streams: Schema.Array(MediaStream)
}) {
  /** The first video stream that is not a cover. */
  get picture(): VideoStream | undefined {
    return this.streams.find(
      (stream): stream is VideoStream => stream._tag === "VideoStream" && !stream.attached
    )
  }

  /** The audio tracks, in the file's order. */
  get sounds(): ReadonlyArray<AudioStream> {
    return this.streams.filter((stream) => stream._tag === "AudioStream")
  }

  /** The subtitle tracks, in the file's order. */
  get subtitles(): ReadonlyArray<SubtitleStream> {
    return this.streams.filter((stream) => stream._tag === "SubtitleStream")
  }
}

/** Returns the audio track that players select by default. */
export const mainSound = ({ sounds }: Pick<MediaInfo, "sounds">): AudioStream | undefined =>
  sounds.find(({ isDefault }) => isDefault) ?? sounds[0]
