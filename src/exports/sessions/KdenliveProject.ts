/**
 * Kdenlive project: MLT XML with a bin, track properties and guides of its own
 * (https://github.com/KDE/kdenlive/blob/master/dev-docs/fileformat.md).
 */
import { pictureHolding } from "../../domain/time/FrameRate.ts"
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { element, type Markup, type MarkupElement, markupDocument } from "../text/Markup.ts"
import { noteOf, oneLine } from "../text/SingleLineText.ts"
import {
  blackProducer,
  clipPictures,
  clipProducers,
  laneEntries,
  filmEntry,
  filmPicture,
  filmProducers,
  filmSoundHidden,
  filmSound,
  mixOf,
  mltSession,
  type MltSession,
  playlist,
  pictureProfile,
  properties
} from "./MltTimeline.ts"

/**
 * Encodes a project in the document version of Kdenlive 20.08 to 22.12, which later versions convert when they open it.
 * The film's picture is on V1, its own sound on the lowest sound track. A track per lane follows, and a guide per
 * flagged cue. A clip's words are its description in the bin.
 */
export const kdenlive = (timeline: Timeline): string => {
  const session = mltSession(timeline)
  const { last } = session
  const tracks = tracksOf(session)
  return markupDocument(
    element("mlt", { LC_NUMERIC: "C", version: "7.0.0", producer: "main_bin" }, [
      pictureProfile(timeline),
      blackProducer("black_track", last, { "kdenlive:playlistid": "black_track" }),
      ...filmProducers(session, { "kdenlive:id": filmBinId }),
      ...clipProducers(session, (_, number) => ({ "kdenlive:id": binId(number), "set.test_image": 1 })),
      ...binProducers(session),
      binOf(session),
      ...tracks.flatMap(({ parts }) => parts),
      element("tractor", { id: "timeline", global_feed: 1, in: 0, out: last }, [
        element("track", { producer: "black_track" }),
        ...tracks.map(({ id }) => element("track", { producer: id })),
        ...tracks.map(({ isPicture }, place) =>
          isPicture ? compositing(place + 1) : mixOf(place + 1, ownMix)
        )
      ])
    ])
  )
}

/** Marks the transitions that Kdenlive adds itself, so that it hides them from the user. */
const internal = { internal_added: 237 } as const
const ownMix = { ...internal, accepts_blanks: 1, combine: 1, always_active: 1 } as const

const compositing = (place: number): MarkupElement =>
  element(
    "transition",
    { id: `compositing${place}` },
    properties({
      a_track: 0,
      b_track: place,
      mlt_service: "qtblend",
      kdenlive_id: "qtblend",
      always_active: 1,
      ...internal
    })
  )

interface Track {
  readonly id: string
  readonly isPicture: boolean
  /** Its two playlists, and the tractor that plays both. The second playlist is for clips that overlap in a mix. */
  readonly parts: ReadonlyArray<MarkupElement>
}

/** The tracks from the bottom up: the sounds, last lane first, then the picture. */
const tracksOf = (session: MltSession): ReadonlyArray<Track> => {
  const { timeline, lanes, last } = session
  const { film } = timeline
  const filmId = properties({ "kdenlive:id": filmBinId })
  return [
    ...lanes
      .map((lane, place) =>
        trackOf(`voice${place + 1}`, lane.name, false, last, [
          ...laneEntries(session, lane, (number) => properties({ "kdenlive:id": binId(number) }))
        ])
      )
      .toReversed(),
    ...(film?.sound === undefined
      ? []
      : [
          trackOf(
            "original",
            "Original",
            false,
            last,
            [filmEntry(filmSound, last, filmId)],
            filmSoundHidden(timeline)
          )
        ]),
    ...(film === undefined
      ? []
      : [trackOf("picture", "V1", true, last, [filmEntry(filmPicture, last, filmId)])])
  ]
}

const trackOf = (
  id: string,
  name: string,
  isPicture: boolean,
  last: number,
  entries: ReadonlyArray<Markup>,
  hide = isPicture ? "audio" : "video"
): Track => {
  const audio = isPicture ? {} : { "kdenlive:audio_track": 1 }
  const [first, second] = [`${id}_a`, `${id}_b`]
  return {
    id,
    isPicture,
    parts: [
      playlist(first, audio, entries),
      playlist(second, audio, []),
      element("tractor", { id, in: 0, out: last }, [
        ...properties({ ...audio, "kdenlive:track_name": oneLine(name), "kdenlive:timeline_active": 1 }),
        ...[first, second].map((producer) => element("track", { hide, producer }))
      ])
    ]
  }
}

/** The film's number in the bin; clips follow. */
const filmBinId = 2
const binId = (number: number): number => filmBinId + number

/** The whole files, as the bin shows them. Kdenlive keeps them separate from the clips on the tracks. */
const binProducers = (session: MltSession): ReadonlyArray<MarkupElement> => {
  const { timeline, last } = session
  const { film } = timeline
  const name = oneLine(film?.path.split("/").at(-1) ?? "")
  return [
    ...(film === undefined
      ? []
      : [
          element(
            "producer",
            { id: "bin_film", in: 0, out: last },
            properties({
              length: last + 1,
              eof: "pause",
              resource: film.path,
              mlt_service: "avformat-novalidate",
              "kdenlive:clipname": name,
              "kdenlive:folderid": -1,
              "kdenlive:id": filmBinId
            })
          )
        ]),
    ...clipProducers(
      session,
      (clip, number) => ({
        "kdenlive:clipname": oneLine(clip.name),
        "kdenlive:description": noteOf(clip),
        "kdenlive:folderid": clipFolder,
        "kdenlive:id": binId(number)
      }),
      binClip
    )
  ]
}

/** The bin's folder with the clips. */
const clipFolder = 1

const binClip = (number: number): string => `bin_clip${number}`

/** The bin: document properties, then the files. */
const binOf = ({ timeline, numbers, last }: MltSession): MarkupElement =>
  playlist(
    "main_bin",
    {
      [`kdenlive:folder.-1.${clipFolder}`]: "clips",
      "kdenlive:docproperties.version": "1.04",
      "kdenlive:docproperties.kdenliveversion": "22.12.3",
      // Kdenlive names a folder of its cache after this id, which must be a number.
      "kdenlive:docproperties.documentid": documentId(timeline.name),
      "kdenlive:docproperties.profile": profileName(timeline),
      "kdenlive:docproperties.audioChannels": 2,
      "kdenlive:docproperties.guides": guidesOf(timeline),
      xml_retain: 1
    },
    [
      ...(timeline.film === undefined ? [] : [filmEntry("bin_film", last)]),
      ...[...numbers].map(([clip, number]) =>
        filmEntry(binClip(number), clipPictures(clip, timeline.frameRate) - 1)
      )
    ]
  )

/** The flagged cues. */
const guidesOf = ({ markers, frameRate }: Timeline): string =>
  JSON.stringify(
    markers.map(({ at, name, note }) => ({
      comment: oneLine(`${name} ${note}`),
      pos: pictureHolding(at, frameRate),
      type: 0
    }))
  )

/**
 * The name of one of Kdenlive's profiles. For other sizes and rates, returns a name unknown to Kdenlive, which
 * then reads the profile element. Without a name, Kdenlive would use its default profile.
 */
const profileName = ({ width, height, frameRate: { nominal, rate } }: Timeline): string => {
  const size = sizes[`${width}x${height}`]
  const hundreds = rate.denominator === 1001 ? fractional[nominal] : nominal
  return size === undefined || hundreds === undefined || !common.includes(hundreds)
    ? `dubwright_${width}x${height}_${rate.numerator}_${rate.denominator}`
    : `${size}p_${hundreds}`
}

const sizes: Readonly<Record<string, string>> = {
  "1280x720": "atsc_720",
  "1920x1080": "atsc_1080",
  "2560x1440": "qhd_1440",
  "3840x2160": "uhd_2160"
}
const fractional: Readonly<Record<number, number>> = { 24: 2398, 30: 2997, 60: 5994 }
const common: ReadonlyArray<number> = [2398, 24, 25, 2997, 30, 50, 5994, 60]

/** Twelve digits from a name, the same in each run. */
const documentId = (name: string): number =>
  [...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 900_000_000_000, 7) +
  100_000_000_000
