/** A timeline counted in pictures: lanes in which no two clips touch the same picture. */
import { Equal } from "effect"
import { type FrameRate, pictureHolding, picturesHolding } from "../domain/time/FrameRate.ts"
import type {
  Timeline,
  TimelineClip,
  TimelineFilm,
  TimelineMedia,
  TimelineTrack
} from "../domain/speech/Timeline.ts"
import { type Frames, frames, type Millis, millis, type SampleRate } from "../domain/time/Units.ts"

/** A clip in pictures from the beginning of the film; it lasts one at least. */
export interface LaidClip {
  readonly clip: TimelineClip
  readonly start: number
  /** Past its last picture. */
  readonly end: number
}

/** Clips of one speaker that follow each other. */
export interface TimelineLane {
  /** The speaker's name; with a number from the second lane on. */
  readonly name: string
  readonly speaker: string
  /** In order of their start. */
  readonly clips: ReadonlyArray<LaidClip>
}

/**
 * A timeline's lanes, speaker by speaker. Each clip covers all pictures in which it is heard, up to the film's last;
 * its file holds the silence from the first of them to its first word. A clip that shares a picture with the one before
 * goes to a further lane.
 */
export const lanesOf = (timeline: Timeline): ReadonlyArray<TimelineLane> =>
  timeline.tracks.flatMap((track) => {
    const lanes: Array<Array<LaidClip>> = []
    for (const laid of clipsLaid(timeline, track)) {
      const free = lanes.find((lane) => (lane.at(-1)?.end ?? 0) <= laid.start)
      if (free === undefined) lanes.push([laid])
      else free.push(laid)
    }
    return lanes.map((clips, place) => ({
      name: place === 0 ? track.name : `${track.name} ${place + 1}`,
      speaker: track.name,
      clips
    }))
  })

/** From when to when something is heard. */
interface Span {
  readonly start: Millis
  readonly end: Millis
}

/**
 * How many frames a file must hold at least to fill all pictures on which it is laid: editors refuse an edit past its
 * media.
 */
export const framesUnder = (span: Span, frameRate: FrameRate, rate: SampleRate): Frames => {
  const { start, end } = picturesUnder(span, frameRate)
  const { numerator, denominator } = frameRate.rate
  return frames(Math.ceil(((end - start) * rate * denominator) / numerator))
}

/**
 * The sample frame at which the picture that holds a position begins, from the beginning of the film; never after the
 * position.
 */
export const pictureStart = (at: Millis, frameRate: FrameRate, rate: SampleRate): Frames =>
  frames((pictureHolding(at, frameRate) * rate * frameRate.rate.denominator) / frameRate.rate.numerator)

const picturesUnder = (span: Span, frameRate: FrameRate) => {
  const start = pictureHolding(span.start, frameRate)
  return { start, end: Math.max(start + 1, picturesHolding(span.end, frameRate)) }
}

/**
 * How many pictures the timeline has: the film's, else all that hold its length; more only where a clip lies past them.
 */
export const picturesOf = (timeline: Timeline): number =>
  Math.max(
    1,
    filmPictures(timeline) ?? picturesHolding(timeline.duration, timeline.frameRate),
    ...timeline.tracks.map((track) =>
      clipsLaid(timeline, track).reduce((most, { end }) => Math.max(most, end), 0)
    )
  )

/** The film's length in the timeline's pictures. */
const filmPictures = ({ film, frameRate }: Timeline): number | undefined =>
  film === undefined ? undefined : Math.max(1, Math.round(film.pictures * perOwnPicture(film, frameRate)))

/** The number of the film's first picture by its own timecode, in the timeline's pictures. */
export const filmStart = (film: TimelineFilm, frameRate: FrameRate): number =>
  Math.round(film.startFrame * perOwnPicture(film, frameRate))

/** Whether the timeline counts pictures as its film does. */
export const countsAsFilm = (film: TimelineFilm, frameRate: FrameRate): boolean =>
  Equal.equals(film.frameRate.rate, frameRate.rate)

const perOwnPicture = (film: TimelineFilm, frameRate: FrameRate): number =>
  countsAsFilm(film, frameRate) ? 1 : frameRate.rate.value / film.frameRate.rate.value

/** The picture at which a clip's source begins, counted from midnight by the file's time reference. */
export const sourcePicture = ({ media, sourceIn }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(media.timeReference + sourceIn, media, frameRate))

/** The picture at which a clip's source begins, counted from the file's first frame. */
export const sourceOffset = ({ media, sourceIn }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(sourceIn, media, frameRate))

/** The picture at which a clip's file begins, counted from midnight by its time reference. */
export const mediaStart = ({ media }: TimelineClip, frameRate: FrameRate): number =>
  Math.round(picturesIn(media.timeReference, media, frameRate))

/** The pictures that a clip's whole file fills to their end. */
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
