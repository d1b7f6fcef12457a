/** The frame rate and start frame of a job's film, for editor timelines and timecodes. */
import { Either, Equal } from "effect"
import type { TimelineFilm } from "../../../domain/speech/Timeline.ts"
import { type FrameRate, frameRateNamed, frameRateOf } from "../../../domain/time/FrameRate.ts"
import { deliveryRate, type Frames, frames } from "../../../domain/time/Units.ts"
import { pictureOf } from "../../../exports/text/Timecode.ts"
import { type MediaInfo, mainSound, type VideoStream } from "../../../ffmpeg/probe/MediaInfo.ts"
import type { Job } from "../../load/Job.ts"

/** The frame rate, first frame number and size of a film. */
export interface VideoTimebase {
  readonly frameRate: FrameRate
  /** The number of the first frame: 90,000 for 01:00:00:00 at 25 frames per second. */
  readonly startFrame: number
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** The film's own properties; absent if the job has no film, or its file no picture. */
  readonly film?: Omit<TimelineFilm, "path">
}

/**
 * Returns the timebase from the manifest, else from the video, else 25 frames per second from 00:00:00:00. Left: why
 * the manifest's start timecode is invalid.
 */
export const timebaseOf = (
  { timeline }: Pick<Job, "timeline">,
  video: MediaInfo | undefined
): Either.Either<VideoTimebase, string> => {
  const picture = video?.picture
  const frameRate =
    timeline.frameRate !== undefined
      ? frameRateNamed(timeline.frameRate)
      : picture?.frameRate === undefined
        ? frameRateNamed("25")
        : frameRateOf(picture.frameRate, video?.timecode?.includes(";") ?? false)
  const start =
    timeline.start === undefined
      ? Either.right(ownStart(video, frameRate))
      : pictureOf(timeline.start, frameRate)
  return start.pipe(
    Either.mapBoth({
      onLeft: ({ message }) => `timeline.start: ${message}`,
      onRight: (startFrame): VideoTimebase => ({
        frameRate,
        startFrame,
        width: picture?.width ?? 1920,
        height: picture?.height ?? 1080,
        ...(video?.picture === undefined ? {} : { film: filmOf(video, video.picture, frameRate) })
      })
    })
  )
}

/** A film has the length of its picture; its sound may be longer by part of an encoder block. */
const filmOf = (video: MediaInfo, picture: VideoStream, fallback: FrameRate): Omit<TimelineFilm, "path"> => {
  const frameRate =
    picture.frameRate === undefined
      ? fallback
      : frameRateOf(picture.frameRate, video.timecode?.includes(";") ?? false)
  const sound = mainSound(video)
  const seconds = (picture.duration ?? video.duration) / 1_000_000
  return {
    frameRate,
    startFrame: ownStart(video, frameRate),
    pictures: Math.max(1, Math.round(seconds * frameRate.rate.value)),
    ...(sound === undefined ? {} : { sound: { rate: sound.rate, channels: sound.channels } })
  }
}

/**
 * Returns the number of a video's first frame by its own timecode; 0 if it has none, or one that is invalid at this
 * rate.
 */
const ownStart = (video: MediaInfo | undefined, frameRate: FrameRate): number => {
  const { timecode, picture } = video ?? {}
  return timecode === undefined ||
    picture?.frameRate === undefined ||
    !Equal.equals(picture.frameRate, frameRate.rate)
    ? 0
    : Either.getOrElse(pictureOf(timecode, frameRate), () => 0)
}

/** Returns the audio frames at 48 kHz between timecode 00:00:00:00 and the film's first frame. */
export const framesBeforeStart = ({ frameRate: { rate }, startFrame }: VideoTimebase): Frames =>
  frames((startFrame * deliveryRate * rate.denominator) / rate.numerator)
