/**
 * A finished dub as an editor's timeline: the film and its own sound, then one track per speaker with one clip per cue.
 */
import { Schema } from "effect"
import { FrameRate } from "../time/FrameRate.ts"
import { Flag } from "./Placement.ts"
import { Frames, Millis, SampleRate } from "../time/Units.ts"

/** The audio file from which a clip is cut. */
export class TimelineMedia extends Schema.Class<TimelineMedia>("TimelineMedia")({
  /** Relative to the timeline file, with forward slashes, so that the folder can be moved. */
  path: Schema.NonEmptyString,
  rate: SampleRate,
  /** Bits per sample. */
  depth: Schema.Literal(16, 24, 32),
  channels: Schema.Positive.pipe(Schema.int()),
  length: Frames,
  /**
   * The file's time reference: the position of its first frame, in frames at its own rate since midnight; 0 if absent.
   */
  timeReference: Frames
}) {}

/**
 * The film under the dub: the picture on V1, its own sound on A1. Video frames are counted at the film's own rate,
 * which differs from the timeline's if the manifest sets another rate.
 */
export class TimelineFilm extends Schema.Class<TimelineFilm>("TimelineFilm")({
  /** Like `TimelineMedia.path`, but absolute if no relative path exists. */
  path: Schema.NonEmptyString,
  frameRate: FrameRate,
  /** Timecode of its first video frame, as a frame number; 0 if the film has no timecode. */
  startFrame: Schema.NonNegativeInt,
  /** Length in video frames. */
  pictures: Schema.Positive.pipe(Schema.int()),
  /** The sound track that players select by default. Absent for a silent film. */
  sound: Schema.optional(
    Schema.Struct({
      rate: Schema.Positive.pipe(Schema.int()),
      channels: Schema.Positive.pipe(Schema.int())
    })
  )
}) {}

/**
 * One cue's speech. The file already plays at the final speed: `speed` is informative, and editors must not apply it.
 */
export class TimelineClip extends Schema.Class<TimelineClip>("TimelineClip")({
  /** The source cue's number. */
  cue: Schema.NonNegativeInt,
  name: Schema.NonEmptyString,
  media: TimelineMedia,
  /** The first frame used, from the start of the file. */
  sourceIn: Frames,
  /**
   * Where the clip starts in the film. `sourceIn` is the audio frame at the start of the video frame that contains this
   * position. The file contains the silence in between, so cuts on whole video frames keep the speech sample-accurate.
   */
  at: Millis,
  /** More than 0. */
  duration: Millis.pipe(
    Schema.filter((duration) => duration > 0 || "a clip's duration must be more than 0 ms")
  ),
  /** Speed factor of the speech in the file, relative to the recording; 1 is unchanged. */
  speed: Schema.Positive,
  /** The source's text. */
  text: Schema.String,
  flags: Schema.Array(Flag)
}) {}

/** A speaker's clips, in any order. Overlapping clips are laid out in lanes. */
export class TimelineTrack extends Schema.Class<TimelineTrack>("TimelineTrack")({
  name: Schema.NonEmptyString,
  clips: Schema.Array(TimelineClip)
}) {}

/** A marker: a point of the timeline to review. */
export class TimelineMarker extends Schema.Class<TimelineMarker>("TimelineMarker")({
  at: Millis,
  name: Schema.NonEmptyString,
  note: Schema.String
}) {}

export class Timeline extends Schema.Class<Timeline>("Timeline")({
  name: Schema.NonEmptyString,
  /** The spoken language as a tag, if it is known. */
  language: Schema.optional(Schema.NonEmptyString),
  duration: Millis,
  film: Schema.optional(TimelineFilm),
  frameRate: FrameRate,
  /** Number of the first video frame: 90,000 for 01:00:00:00 at 25 frames per second. */
  startFrame: Schema.NonNegativeInt,
  /** Size of the picture in pixels. */
  width: Schema.Positive.pipe(Schema.int()),
  height: Schema.Positive.pipe(Schema.int()),
  tracks: Schema.Array(TimelineTrack),
  /** Music and effects, in the parts between which they pause. If present, the film's own sound is muted. */
  background: Schema.optional(TimelineTrack),
  markers: Schema.Array(TimelineMarker)
}) {}
