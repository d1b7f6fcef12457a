/** How a film counts its pictures: what editors' timelines and timecodes go by. */
import { Either } from "effect"
import { type FrameRate, frameRateNamed, frameRateOf } from "../domain/FrameRate.ts"
import { deliveryRate, type Frames, frames } from "../domain/Units.ts"
import { pictureOf } from "../exports/Timecode.ts"
import type { MediaInfo } from "../ffmpeg/MediaInfo.ts"
import type { Job } from "./Job.ts"

/** A film's counting. */
export interface Reel {
  readonly frameRate: FrameRate
  /** The number of the first picture: 90,000 for 01:00:00:00 at 25 frames a second. */
  readonly startFrame: number
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** As the manifest says, else as the video counts, else 25 pictures a second from 00:00:00:00; or what is wrong, in words. */
export const reelOf = ({ timeline }: Job, video: MediaInfo | undefined): Either.Either<Reel, string> => {
  const picture = video?.picture
  const frameRate =
    timeline.frameRate !== undefined
      ? frameRateNamed(timeline.frameRate)
      : picture?.frameRate === undefined
        ? frameRateNamed("25")
        : frameRateOf(picture.frameRate)
  return pictureOf(timeline.start ?? "00:00:00:00", frameRate).pipe(
    Either.mapBoth({
      onLeft: ({ message }) => `timeline.start: ${message}`,
      onRight: (startFrame): Reel => ({
        frameRate,
        startFrame,
        width: picture?.width ?? 1920,
        height: picture?.height ?? 1080
      })
    })
  )
}

/** Frames at 48 kHz between midnight and the film's first picture. */
export const framesBeforeStart = ({ frameRate: { rate }, startFrame }: Reel): Frames =>
  frames((startFrame * deliveryRate * rate.denominator) / rate.numerator)
