/** Timeline lanes: assigns a timeline's clips to tracks so that no two clips of a track share a video frame. */
import { Equal } from "effect"
import { type FrameRate, pictureHolding, picturesHolding } from "../../domain/time/FrameRate.ts"
import type {
  Timeline,
  TimelineClip,
  TimelineFilm,
  TimelineMedia,
  TimelineTrack
} from "../../domain/speech/Timeline.ts"
import { type Frames, frames, type Millis, millis, type SampleRate } from "../../domain/time/Units.ts"

/** A clip's range in video frames from the beginning of the film; at least one frame long. */
export interface LaidClip {
  readonly clip: TimelineClip
  readonly start: number
  /** Frame after the last one. */
  readonly end: number
}

/** Clips of one speaker that do not overlap. */
export interface TimelineLane {
  /** The speaker's name; from the second lane on, with a number. */
  readonly name: string
  readonly speaker: string
  /** In order of start. */
  readonly clips: ReadonlyArray<LaidClip>
  /** Whether it holds music and effects. */
  readonly isBackground: boolean
}

/**
 * Returns a timeline's lanes: the background, then speaker by speaker. Each clip covers every video frame in which it
 * is heard, up to the film's last. Its file includes the silence from the first of these frames to its first word. A
 * clip that shares a frame with the one before goes to another lane.
 */
export const lanesOf = (timeline: Timeline): ReadonlyArray<TimelineLane> => [
  ...backgroundLane(timeline),
  ...timeline.tracks.flatMap((track) => {
    const lanes: Array<Array<LaidClip>> = []
    for (const laid of clipsLaid(timeline, track)) {
      const free = lanes.find((lane) => (lane.at(-1)?.end ?? 0) <= laid.start)
      if (free === undefined) lanes.push([laid])
      else free.push(laid)
    }
    return lanes.map((clips, place) => ({
      name: place === 0 ? track.name : `${track.name} ${place + 1}`,
      speaker: track.name,
      clips,
      isBackground: false
    }))
  })
]

/** The background's parts, on the whole video frames that they fill. */
const backgroundLane = (timeline: Timeline): ReadonlyArray<TimelineLane> => {
  const { background, frameRate } = timeline
  if (background === undefined) return []
  const { name, clips } = background
  const last = filmPictures(timeline) ?? Infinity
  return [
    {
      name,
      speaker: name,
      isBackground: true,
      clips: clips.map((clip) => {
        const start = pictureHolding(clip.at, frameRate)
        const left = start + mediaPictures(clip, frameRate) - sourceOffset(clip, frameRate)
        const end = Math.min(last, left, pictureHolding(millis(clip.at + clip.duration), frameRate))
        return { clip, start, end: Math.max(start + 1, end) }
      })
    }
  ]
}

/** A span of time in which something is heard. */
interface Span {
  readonly start: Millis
  readonly end: Millis
}

/**
 * Returns how many audio frames a file needs to fill all video frames that it covers. Editors reject an edit longer
 * than its media.
 */
export const framesUnder = (span: Span, frameRate: FrameRate, rate: SampleRate): Frames => {
  const { start, end } = picturesUnder(span, frameRate)
  const { numerator, denominator } = frameRate.rate
  return frames(Math.ceil(((end - start) * rate * denominator) / numerator))
}

/**
 * Returns the audio frame, from the beginning of the film, at which the video frame containing `at` begins. It is never
 * after `at`.
 */
export const pictureStart = (at: Millis, frameRate: FrameRate, rate: SampleRate): Frames =>
  frames((pictureHolding(at, frameRate) * rate * frameRate.rate.denominator) / frameRate.rate.numerator)

const picturesUnder = (span: Span, frameRate: FrameRate) => {
  const start = pictureHolding(span.start, frameRate)
  return { start, end: Math.max(start + 1, picturesHolding(span.end, frameRate)) }
}

/**
 * Returns the timeline's length in video frames: the film's, else the frames that cover its duration; longer if a clip
 * ends later.
 */
export const picturesOf = (timeline: Timeline): number =>
  Math.max(
    1,
    filmPictures(timeline) ?? picturesHolding(timeline.duration, timeline.frameRate),
    ...timeline.tracks.map((track) =>
      clipsLaid(timeline, track).reduce((most, { end }) => Math.max(most, end), 0)
    )
  )

/** Returns the film's length in the timeline's video frames. */
const filmPictures = ({ film, frameRate }: Timeline): number | undefined =>
  film === undefined ? undefined : Math.max(1, Math.round(film.pictures * perOwnPicture(film, frameRate)))

/** Returns the film's first frame by its own timecode, in the timeline's video frames. */
export const filmStart = (film: TimelineFilm, frameRate: FrameRate): number =>
  Math.round(film.startFrame * perOwnPicture(film, frameRate))

/** Whether the film has the timeline's frame rate. */
export const countsAsFilm = (film: TimelineFilm, frameRate: FrameRate): boolean =>
  Equal.equals(film.frameRate.rate, frameRate.rate)

const perOwnPicture = (film: TimelineFilm, frameRate: FrameRate): number =>
  countsAsFilm(film, frameRate) ? 1 : frameRate.rate.value / film.frameRate.rate.value

/** Returns the video frame at which a clip's source begins, counted from midnight by the file's time reference. */
export const sourcePicture = ({ media, sourceIn }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(media.timeReference + sourceIn, media, frameRate))

/** Returns the video frame at which a clip's source begins, counted from the start of the file. */
export const sourceOffset = ({ media, sourceIn }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(sourceIn, media, frameRate))

/** Returns the video frame at which a clip's file begins, counted from midnight by its time reference. */
export const mediaStart = ({ media }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(media.timeReference, media, frameRate))

/** Returns how many video frames a clip's whole file fills completely. */
export const mediaPictures = ({ media }: TimelineClip, frameRate: FrameRate): number =>
  Math.floor(picturesIn(media.length, media, frameRate))

const picturesIn = (frames: number, media: TimelineMedia, { rate }: FrameRate): number =>
  (frames * rate.numerator) / (media.rate * rate.denominator)

const clipsLaid = (timeline: Timeline, { clips }: TimelineTrack): ReadonlyArray<LaidClip> => {
  const last = filmPictures(timeline) ?? Infinity
  return clips
    .map((clip) => {
      const span = { start: clip.at, end: millis(clip.at + clip.duration) }
      const { start, end } = picturesUnder(span, timeline.frameRate)
      return { clip, start, end: Math.max(start + 1, Math.min(end, last)) }
    })
    .sort((a, b) => a.start - b.start || a.end - b.end || a.clip.cue - b.clip.cue)
}
