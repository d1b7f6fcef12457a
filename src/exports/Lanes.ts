/** A timeline counted in pictures: lanes in which no two clips touch the same picture. */
import { type FrameRate, pictureAt, picturesHolding } from "../domain/FrameRate.ts"
import type { Timeline, TimelineClip, TimelineMedia, TimelineTrack } from "../domain/Timeline.ts"
import { type Frames, frames, type Millis, millis, type SampleRate } from "../domain/Units.ts"

/** A clip in pictures from the beginning of the film; it lasts one at least. */
export interface LaidClip {
  readonly clip: TimelineClip
  readonly start: number
  /** Past its last picture. */
  readonly end: number
}

/** Clips of one speaker that follow each other. */
export interface Lane {
  /** The speaker's name; with a number from the second lane on. */
  readonly name: string
  readonly speaker: string
  /** In order of their start. */
  readonly clips: ReadonlyArray<LaidClip>
}

/**
 * A timeline's lanes, speaker by speaker. Each clip's start and end are the pictures nearest to its own, so that none is
 * off by more than half a picture and no error adds up; what overlaps is kept whole in a further lane.
 */
export const lanesOf = (timeline: Timeline): ReadonlyArray<Lane> =>
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

/** How many frames a file must hold at least to fill all pictures on which it is laid: editors refuse an edit past its media. */
export const framesUnder = (span: Span, frameRate: FrameRate, rate: SampleRate): Frames => {
  const { start, end } = picturesUnder(span, frameRate)
  const { numerator, denominator } = frameRate.rate
  return frames(Math.ceil(((end - start) * rate * denominator) / numerator))
}

const picturesUnder = (span: Span, frameRate: FrameRate) => {
  const start = pictureAt(span.start, frameRate)
  return { start, end: Math.max(start + 1, pictureAt(span.end, frameRate)) }
}

/** How many pictures the timeline has: all that the film lasts, and all that is heard. */
export const picturesOf = (timeline: Timeline): number =>
  Math.max(
    1,
    picturesHolding(timeline.duration, timeline.frameRate),
    ...timeline.tracks.map((track) =>
      clipsLaid(timeline, track).reduce((most, { end }) => Math.max(most, end), 0)
    )
  )

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

const clipsLaid = ({ frameRate }: Timeline, { clips }: TimelineTrack): ReadonlyArray<LaidClip> =>
  clips
    .map((clip) => ({
      clip,
      ...picturesUnder({ start: clip.at, end: millis(clip.at + clip.duration) }, frameRate)
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end || a.clip.cue - b.clip.cue)
