/** What a media file holds. */
import { Schema } from "effect"
import { Ratio } from "../../domain/time/Ratio.ts"
import { Micros } from "../../domain/time/Units.ts"

const common = {
  /** The stream's number in the file, from 0. */
  index: Schema.NonNegativeInt,
  /** ffmpeg's name: `h264`, `aac`, `mov_text`. */
  codec: Schema.NonEmptyString,
  /** As the file writes it, mostly three letters; absent where it is undetermined. */
  language: Schema.optional(Schema.NonEmptyString),
  title: Schema.optional(Schema.NonEmptyString),
  /** Whether players choose it unasked. */
  isDefault: Schema.Boolean
}

/** A picture; `attached` is a cover, not a film. */
export class VideoStream extends Schema.TaggedClass<VideoStream>()("VideoStream", {
  ...common,
  attached: Schema.Boolean,
  /** As it is shown, in square pixels. */
  width: Schema.optional(Schema.Positive.pipe(Schema.int())),
  height: Schema.optional(Schema.Positive.pipe(Schema.int())),
  /** Pictures a second; absent where it varies or is not known. */
  frameRate: Schema.optional(Ratio),
  /** When its last picture ends, from the file's start. */
  duration: Schema.optional(Micros)
}) {}

/** A sound track. */
export class AudioStream extends Schema.TaggedClass<AudioStream>()("AudioStream", {
  ...common,
  rate: Schema.Positive.pipe(Schema.int()),
  channels: Schema.Positive.pipe(Schema.int()),
  /** When its last packet ends, from the file's start. */
  duration: Schema.optional(Micros)
}) {}

/** A subtitle track. */
export class SubtitleStream extends Schema.TaggedClass<SubtitleStream>()("SubtitleStream", common) {}

/** Data, attachments and whatever else a file carries. */
export class OtherStream extends Schema.TaggedClass<OtherStream>()("OtherStream", {
  index: Schema.NonNegativeInt,
  kind: Schema.String
}) {}

export const MediaStream = Schema.Union(VideoStream, AudioStream, SubtitleStream, OtherStream)
export type MediaStream = typeof MediaStream.Type

/** A media file, probed. */
export class MediaInfo extends Schema.Class<MediaInfo>("MediaInfo")({
  path: Schema.String,
  /** ffmpeg's names of the container: `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: Schema.NonEmptyString,
  /** The end of the longest picture or sound, from the file's start: exact to the container's own time base. */
  duration: Micros,
  /**
   * How long before its zero the first packet lies, where it does: what an encoder's delay put there, and nobody hears.
   */
  lead: Schema.optional(Micros),
  /**
   * The timecode of its first picture, as the file writes it: `01:00:00:00`, or `01:00:00;00` where numbers are
   * dropped.
   */
  timecode: Schema.optional(Schema.NonEmptyString),
  streams: Schema.Array(MediaStream)
}) {
  /** The film's picture, if there is one. */
  get picture(): VideoStream | undefined {
    return this.streams.find(
      (stream): stream is VideoStream => stream._tag === "VideoStream" && !stream.attached
    )
  }

  /** The sound tracks, in the file's order. */
  get sounds(): ReadonlyArray<AudioStream> {
    return this.streams.filter((stream) => stream._tag === "AudioStream")
  }

  /** The subtitle tracks, in the file's order. */
  get subtitles(): ReadonlyArray<SubtitleStream> {
    return this.streams.filter((stream) => stream._tag === "SubtitleStream")
  }
}

/** The sound track that players choose by themselves. */
export const mainSound = ({ sounds }: Pick<MediaInfo, "sounds">): AudioStream | undefined =>
  sounds.find(({ isDefault }) => isDefault) ?? sounds[0]
