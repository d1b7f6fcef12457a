/** OpenTimelineIO (OTIO), the open interchange format for timelines: https://opentimeline.io */
import { type FrameRate, pictureHolding } from "../../domain/time/FrameRate.ts"
import type { Timeline, TimelineClip, TimelineFilm, TimelineMarker } from "../../domain/speech/Timeline.ts"
import { filmStart, type LaidClip, type TimelineLane, lanesOf, picturesOf } from "./TimelineLanes.ts"
import { oneLine, relativeUrl } from "../text/SingleLineText.ts"

/**
 * Encodes an OTIO file: the film as a video and an audio track, then one audio track per lane. Clips and gaps are whole
 * numbers of video frames. A clip's start in its file is counted in audio frames, so it is exact to the sample. Values
 * without a standard field are in the metadata under `dubwright`.
 */
export const otio = (timeline: Timeline): string =>
  `${JSON.stringify(
    {
      OTIO_SCHEMA: "Timeline.1",
      name: oneLine(timeline.name),
      global_start_time: pictures(timeline.startFrame, timeline.frameRate),
      metadata: {},
      tracks: {
        OTIO_SCHEMA: "Stack.1",
        name: "tracks",
        source_range: null,
        effects: [],
        markers: timeline.markers.map((marker) => markerOf(timeline.frameRate, marker)),
        enabled: true,
        metadata: {},
        children: [
          ...filmTracks(timeline),
          ...lanesOf(timeline).map((lane) => trackOf(timeline.frameRate, lane))
        ]
      }
    },
    null,
    2
  )}\n`

/** The film's picture track and, if it has sound, its audio track, each from end to end. */
const filmTracks = (timeline: Timeline) => {
  const { film, background } = timeline
  if (film === undefined) return []
  return [
    { name: "Film", kind: "Video", enabled: true },
    ...(film.sound === undefined
      ? []
      : [{ name: "Film sound", kind: "Audio", enabled: background === undefined }])
  ].map((track) => ({
    OTIO_SCHEMA: "Track.1",
    name: track.name,
    kind: track.kind,
    source_range: null,
    effects: [],
    markers: [],
    enabled: track.enabled,
    metadata: {},
    children: [filmClip(timeline, film)]
  }))
}

const filmClip = (timeline: Timeline, film: TimelineFilm) => {
  const name = oneLine(film.path.split("/").at(-1) ?? film.path)
  return {
    OTIO_SCHEMA: "Clip.1",
    name,
    source_range: range(
      pictures(filmStart(film, timeline.frameRate), timeline.frameRate),
      pictures(picturesOf(timeline), timeline.frameRate)
    ),
    media_reference: {
      OTIO_SCHEMA: "ExternalReference.1",
      name,
      target_url: relativeUrl(film.path),
      available_range: range(
        pictures(film.startFrame, film.frameRate),
        pictures(film.pictures, film.frameRate)
      ),
      metadata: {}
    },
    effects: [],
    markers: [],
    enabled: true,
    metadata: {}
  }
}

const trackOf = (frameRate: FrameRate, lane: TimelineLane) => {
  let reached = 0
  return {
    OTIO_SCHEMA: "Track.1",
    name: oneLine(lane.name),
    kind: "Audio",
    source_range: null,
    effects: [],
    markers: [],
    enabled: true,
    metadata: { dubwright: { speaker: lane.speaker } },
    children: lane.clips.flatMap((laid) => {
      const silence = laid.start - reached
      reached = laid.end
      return [...(silence > 0 ? [gapOf(silence, frameRate)] : []), clipOf(laid, frameRate)]
    })
  }
}

const clipOf = ({ clip, start, end }: LaidClip, frameRate: FrameRate) => ({
  OTIO_SCHEMA: "Clip.1",
  name: oneLine(clip.name),
  source_range: range(
    samples(clip.media.timeReference + clip.sourceIn, clip),
    pictures(end - start, frameRate)
  ),
  media_reference: {
    OTIO_SCHEMA: "ExternalReference.1",
    name: oneLine(clip.media.path.split("/").at(-1) ?? clip.media.path),
    target_url: relativeUrl(clip.media.path),
    available_range: range(samples(clip.media.timeReference, clip), samples(clip.media.length, clip)),
    metadata: {}
  },
  effects: [],
  markers: [],
  enabled: true,
  metadata: {
    dubwright: {
      cue: clip.cue,
      text: clip.text,
      speed: clip.speed,
      flags: clip.flags,
      at: clip.at,
      duration: clip.duration
    }
  }
})

const gapOf = (length: number, frameRate: FrameRate) => ({
  OTIO_SCHEMA: "Gap.1",
  name: "",
  source_range: range(pictures(0, frameRate), pictures(length, frameRate)),
  effects: [],
  markers: [],
  enabled: true,
  metadata: {}
})

const markerOf = (frameRate: FrameRate, marker: TimelineMarker) => ({
  OTIO_SCHEMA: "Marker.2",
  name: oneLine(marker.name),
  color: "RED",
  comment: oneLine(marker.note),
  marked_range: range(pictures(pictureHolding(marker.at, frameRate), frameRate), pictures(1, frameRate)),
  metadata: {}
})

const range = (start: RationalTime, duration: RationalTime) => ({
  OTIO_SCHEMA: "TimeRange.1",
  start_time: start,
  duration
})

interface RationalTime {
  readonly OTIO_SCHEMA: "RationalTime.1"
  readonly rate: number
  readonly value: number
}

const pictures = (count: number, { rate }: FrameRate): RationalTime => ({
  OTIO_SCHEMA: "RationalTime.1",
  rate: rate.value,
  value: count
})

const samples = (count: number, { media }: TimelineClip): RationalTime => ({
  OTIO_SCHEMA: "RationalTime.1",
  rate: media.rate,
  value: count
})
