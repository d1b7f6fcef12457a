/** A finished dub as an editor's timeline: the film and its own sound, then a track per speaker with a clip per cue. */
import { Schema } from "effect"
import { FrameRate } from "../time/FrameRate.ts"
import { Flag } from "./Placement.ts"
import { Frames, Millis, SampleRate } from "../time/Units.ts"

/** The audio file that a clip is cut from. */
export class TimelineMedia extends Schema.Class<TimelineMedia>("TimelineMedia")({
  /** Relative to the timeline's own file, with forward slashes, so that the folder can be moved. */
  path: Schema.NonEmptyString,
  rate: SampleRate,
  /** Bits of a sample. */
  depth: Schema.Literal(16, 24, 32),
  channels: Schema.Positive.pipe(Schema.int()),
  length: Frames,
  /**
   * The time reference in the file: where its first frame stands, in frames of its own rate since midnight; 0 for none.
   */
  timeReference: Frames
}) {}

/**
 * The film under the dub: the picture on V1, its own sound on A1. Picture numbers count at the film's own rate, which
 * differs from the timeline's where the manifest sets another.
 */
export class TimelineFilm extends Schema.Class<TimelineFilm>("TimelineFilm")({
  /** As `TimelineMedia.path`; absolute where no relative path leads there. */
  path: Schema.NonEmptyString,
  frameRate: FrameRate,
  /** The number of its first picture by its own timecode; 0 where it has none. */
  startFrame: Schema.NonNegativeInt,
  /** Its length in pictures. */
  pictures: Schema.Positive.pipe(Schema.int()),
  /** The sound track that players choose; absent for a silent film. */
  sound: Schema.optional(
    Schema.Struct({
      rate: Schema.Positive.pipe(Schema.int()),
      channels: Schema.Positive.pipe(Schema.int())
    })
  )
}) {}

/** One cue's speech. The file holds it as it is heard: a speed is told, not applied by the editor. */
export class TimelineClip extends Schema.Class<TimelineClip>("TimelineClip")({
  /** The source cue's number. */
  cue: Schema.NonNegativeInt,
  name: Schema.NonEmptyString,
  media: TimelineMedia,
  /** The first frame that is used, from the file's beginning. */
  sourceIn: Frames,
  /**
   * Where it is heard, from the beginning of the film. `sourceIn` is the frame heard at the start of the picture that
   * holds this position: the silence from there to here is in the file, so an edit on whole pictures keeps the speech
   * exact to the sample.
   */
  at: Millis,
  /** More than 0. */
  duration: Millis.pipe(Schema.filter((duration) => duration > 0 || "a clip lasts more than 0 ms")),
  /** How much faster than recorded the speech in the file is; 1 is as recorded. */
  speed: Schema.Positive,
  /** The source's wording. */
  text: Schema.String,
  flags: Schema.Array(Flag)
}) {}

/** A speaker's clips, in any order; those that overlap are laid out in lanes. */
export class TimelineTrack extends Schema.Class<TimelineTrack>("TimelineTrack")({
  name: Schema.NonEmptyString,
  clips: Schema.Array(TimelineClip)
}) {}

/** Something to look at. */
export class TimelineMarker extends Schema.Class<TimelineMarker>("TimelineMarker")({
  at: Millis,
  name: Schema.NonEmptyString,
  note: Schema.String
}) {}

export class Timeline extends Schema.Class<Timeline>("Timeline")({
  name: Schema.NonEmptyString,
  duration: Millis,
  film: Schema.optional(TimelineFilm),
  frameRate: FrameRate,
  /** The number of the first picture: 90,000 for 01:00:00:00 at 25 frames a second. */
  startFrame: Schema.NonNegativeInt,
  /** The picture's size in pixels. */
  width: Schema.Positive.pipe(Schema.int()),
  height: Schema.Positive.pipe(Schema.int()),
  tracks: Schema.Array(TimelineTrack),
  markers: Schema.Array(TimelineMarker)
}) {}
