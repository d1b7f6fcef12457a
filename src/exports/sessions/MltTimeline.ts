/**
 * MLT XML (https://www.mltframework.org/docs/mltxml/), the project format of Shotcut and the basis of Kdenlive's.
 * Producers are files, playlists are tracks, a tractor plays tracks together. All times are video frames.
 */
import { type FrameRate, pictureHolding } from "../../domain/time/FrameRate.ts"
import type { Timeline, TimelineClip } from "../../domain/speech/Timeline.ts"
import { clockTime } from "../text/Subtitles.ts"
import { element, type Markup, type MarkupElement, markupDocument } from "../text/Markup.ts"
import { oneLine } from "../text/SingleLineText.ts"
import {
  lanesOf,
  mediaPictures,
  picturesOf,
  sourceOffset,
  type TimelineLane
} from "../timelines/TimelineLanes.ts"

/** The values of an element's properties. */
type MltValues = Readonly<Record<string, string | number>>

/** A timeline with its lanes, and a number for each clip, from 1. */
export interface MltSession {
  readonly timeline: Timeline
  readonly lanes: ReadonlyArray<TimelineLane>
  readonly numbers: ReadonlyMap<TimelineClip, number>
  /** The last video frame. */
  readonly last: number
}

/** Lays a timeline out for MLT. */
export const mltSession = (timeline: Timeline): MltSession => {
  const lanes = lanesOf(timeline)
  const clips = lanes.flatMap((lane) => lane.clips.map(({ clip }) => clip))
  const numbers = new Map(clips.map((clip, place) => [clip, place + 1]))
  return { timeline, lanes, numbers, last: picturesOf(timeline) - 1 }
}

/**
 * Encodes a project for Shotcut, which `melt` plays, too. The film's picture is on V1 and its own sound on the first
 * sound track. A track per lane follows, and a marker per flagged cue. Paths are relative to the project file. MLT is
 * silent in a cut of a single video frame, which is shorter than any word.
 */
export const mlt = (timeline: Timeline): string => {
  const session = mltSession(timeline)
  const { last, lanes } = session
  const { film } = timeline
  const title = oneLine(timeline.name)
  const picture =
    film === undefined ? [] : [playlist("V1", track("video", "V1"), [filmEntry(filmPicture, last)])]
  const sounds = [
    ...(film?.sound === undefined
      ? []
      : [playlist("A1", track("audio", "Original"), [filmEntry(filmSound, last)])]),
    ...lanes.map((lane, place) =>
      playlist(`voice${place + 1}`, track("audio", lane.name), laneEntries(session, lane))
    )
  ]
  const caption = ({ name }: TimelineClip) => ({ "shotcut:caption": oneLine(name) })
  return markupDocument(
    element("mlt", { LC_NUMERIC: "C", version: "7.0.0", title, producer: "main" }, [
      pictureProfile(timeline),
      blackProducer("black", last),
      ...filmProducers(session, {}),
      ...clipProducers(session, caption),
      playlist("background", {}, [filmEntry("black", last)]),
      ...picture,
      ...sounds,
      element("tractor", { id: "main", title, in: 0, out: last }, [
        ...properties({ shotcut: 1, "shotcut:projectAudioChannels": 2, "shotcut:projectFolder": 0 }),
        ...markersOf(timeline),
        element("track", { producer: "background" }),
        ...picture.map(({ attributes: { id } }) => element("track", { producer: id, hide: "audio" })),
        ...sounds.map(({ attributes: { id } }) =>
          element("track", { producer: id, hide: id === "A1" ? filmSoundHidden(timeline) : "video" })
        ),
        ...[...picture, ...sounds].map((_, place) => mixOf(place + 1, {}))
      ])
    ])
  )
}

/** What the track of the film's own sound hides: with a background, its sound as well. */
export const filmSoundHidden = ({ background }: Timeline): "video" | "both" =>
  background === undefined ? "video" : "both"

const track = (kind: "audio" | "video", name: string): MltValues => ({
  [`shotcut:${kind}`]: 1,
  "shotcut:name": oneLine(name)
})

/** The frame rate and size of the picture. */
export const pictureProfile = ({ frameRate, width, height }: Timeline): MarkupElement =>
  element("profile", {
    description: `${width}x${height} ${frameRate.rate.numerator}/${frameRate.rate.denominator}`,
    width,
    height,
    progressive: 1,
    sample_aspect_num: 1,
    sample_aspect_den: 1,
    display_aspect_num: width,
    display_aspect_den: height,
    frame_rate_num: frameRate.rate.numerator,
    frame_rate_den: frameRate.rate.denominator,
    colorspace: 709
  })

/** Named properties of an element. */
export const properties = (values: MltValues): ReadonlyArray<MarkupElement> =>
  Object.entries(values).map(([name, value]) =>
    element("property", { name }, value === "" ? [] : [`${value}`])
  )

/** A source of frames, such as a file, with its length in video frames. */
const producer = (id: string, length: number, resource: string, values: MltValues): MarkupElement =>
  element(
    "producer",
    { id, in: 0, out: length - 1 },
    properties({ length, eof: "pause", resource, mlt_service: "avformat-novalidate", ...values })
  )

/** Ids of the film's two producers. */
export const filmPicture = "film_picture"
export const filmSound = "film_sound"

/** The film's picture and its sound, as two producers of the same file. */
export const filmProducers = (
  { timeline: { film }, last }: MltSession,
  values: MltValues
): ReadonlyArray<MarkupElement> =>
  film === undefined
    ? []
    : [
        producer(filmPicture, last + 1, film.path, { audio_index: -1, "set.test_audio": 1, ...values }),
        ...(film.sound === undefined
          ? []
          : [producer(filmSound, last + 1, film.path, { video_index: -1, "set.test_image": 1, ...values })])
      ]

/** One producer per clip, for its file. */
export const clipProducers = (
  { timeline, numbers }: MltSession,
  valuesOf: (clip: TimelineClip, number: number) => MltValues,
  idOf: (number: number) => string = clipId
): ReadonlyArray<MarkupElement> =>
  [...numbers].map(([clip, number]) =>
    producer(idOf(number), clipPictures(clip, timeline.frameRate), clip.media.path, {
      audio_index: 0,
      video_index: -1,
      ...valuesOf(clip, number)
    })
  )

const clipId = (number: number): string => `clip${number}`

/** The length of a clip's file in video frames. */
export const clipPictures = (clip: TimelineClip, frameRate: FrameRate): number =>
  Math.max(1, mediaPictures(clip, frameRate))

/** A black picture without sound, as long as the film. */
export const blackProducer = (id: string, last: number, values: MltValues = {}): MarkupElement =>
  producer(id, last + 1, "black", {
    mlt_service: "color",
    mlt_image_format: "rgba",
    "set.test_audio": 0,
    ...values
  })

/** A track. */
export const playlist = (id: string, values: MltValues, entries: ReadonlyArray<Markup>): MarkupElement =>
  element("playlist", { id }, [...properties(values), ...entries])

/** A whole producer as an entry of a track. */
export const filmEntry = (id: string, last: number, inside: ReadonlyArray<Markup> = []): MarkupElement =>
  element("entry", { producer: id, in: 0, out: last }, inside)

/** A lane's clips as entries of a track, with blanks between them. */
export const laneEntries = (
  { timeline, numbers }: MltSession,
  { clips }: TimelineLane,
  inside: (number: number) => ReadonlyArray<Markup> = () => []
): ReadonlyArray<MarkupElement> => {
  let reached = 0
  return clips.flatMap(({ clip, start, end }) => {
    const blank = start - reached
    reached = end
    const number = numbers.get(clip) ?? 0
    const from = sourceOffset(clip, timeline.frameRate)
    return [
      ...(blank > 0 ? [element("blank", { length: blank })] : []),
      element("entry", { producer: clipId(number), in: from, out: from + end - start - 1 }, inside(number))
    ]
  })
}

/** Adds a track's sound to that of the tracks below, at full level. */
export const mixOf = (place: number, values: MltValues): MarkupElement =>
  element(
    "transition",
    { id: `mix${place}` },
    properties({ a_track: 0, b_track: place, mlt_service: "mix", always_active: 1, sum: 1, ...values })
  )

/** The flagged cues, as Shotcut's markers. */
const markersOf = ({ markers, frameRate }: Timeline): ReadonlyArray<MarkupElement> =>
  markers.length === 0
    ? []
    : [
        element(
          "properties",
          { name: "shotcut:markers" },
          markers.map(({ at, name, note }, place) => {
            const clock = clockTime(pictureTime(pictureHolding(at, frameRate), frameRate), ".")
            const values = { text: oneLine(`${name} ${note}`), start: clock, end: clock, color: "#da4453" }
            return element("properties", { name: place }, properties(values))
          })
        )
      ]

/** Milliseconds, rounded, at which a video frame begins. */
const pictureTime = (picture: number, { rate }: FrameRate): number =>
  Math.round((picture * 1000 * rate.denominator) / rate.numerator)
