/** Final Cut Pro 7 XML (xmeml 5), for Premiere Pro and DaVinci Resolve. */
import { type FrameRate, pictureHolding } from "../../domain/time/FrameRate.ts"
import type { Timeline, TimelineClip, TimelineFilm, TimelineMarker } from "../../domain/speech/Timeline.ts"
import {
  type LaidClip,
  lanesOf,
  mediaPictures,
  mediaStart,
  picturesOf,
  sourceOffset
} from "./TimelineLanes.ts"
import { noteOf, oneLine, relativeUrl } from "../text/SingleLineText.ts"
import { timecode } from "../text/Timecode.ts"
import { type XmlContent, xmlDocument } from "../text/Xml.ts"

/**
 * Encodes an xmeml document: a sequence with the film on V1 and its sound below, then one audio track per lane. All
 * times are whole video frames, also within a clip's own file.
 */
export const xmeml = (timeline: Timeline): string => {
  const { frameRate, startFrame } = timeline
  const files = new Map<string, string>()
  let clips = 0
  const film = filmTracks(timeline)
  const tracks = lanesOf(timeline).flatMap((lane) =>
    // A track per channel: clips have one, a background may have more.
    Array.from({ length: lane.clips[0]?.clip.media.channels ?? 1 }, (_, channel): XmlContent => ({
      // Premiere's own attribute; other editors ignore it.
      "@MZ.TrackName": oneLine(lane.name),
      clipitem: lane.clips.map((laid) =>
        clipItem(frameRate, laid, `clipitem-${++clips}`, files, channel + 1)
      ),
      enabled: "TRUE",
      locked: "FALSE",
      outputchannelindex: `${(channel % 2) + 1}`
    }))
  )
  return xmlDocument("xmeml", {
    "@version": "5",
    sequence: {
      "@id": "sequence-1",
      name: oneLine(timeline.name),
      duration: `${picturesOf(timeline)}`,
      rate: rateOf(frameRate),
      timecode: timecodeOf(startFrame, frameRate),
      marker: timeline.markers.map((marker) => markerOf(frameRate, marker)),
      media: {
        video: {
          format: {
            samplecharacteristics: {
              rate: rateOf(frameRate),
              width: `${timeline.width}`,
              height: `${timeline.height}`,
              pixelaspectratio: "square",
              fielddominance: "none"
            }
          },
          track: film.video
        },
        audio: {
          numOutputChannels: "2",
          format: { samplecharacteristics: { depth: "16", samplerate: "48000" } },
          track: [...film.audio, ...tracks]
        }
      }
    }
  })
}

/** Returns the film's tracks, linked with each other as editors expect: its picture, and a track per audio channel. */
const filmTracks = (timeline: Timeline) => {
  const { film, frameRate } = timeline
  if (film === undefined) return { video: [], audio: [] }
  const channels = film.sound?.channels ?? 0
  const end = `${picturesOf(timeline)}`
  const name = oneLine(film.path.split("/").at(-1) ?? film.path)
  const kinds = ["video", ...Array.from({ length: channels }, () => "audio")]
  const items = kinds.map((kind, place): XmlContent => ({
    "@id": `film-${place}`,
    // Premiere's own attributes; without them, the tracks of a stereo pair are two mono tracks.
    ...(kind === "audio" && channels === 2 ? { "@premiereChannelType": "stereo" } : {}),
    name,
    enabled: "TRUE",
    duration: end,
    rate: rateOf(frameRate),
    start: "0",
    end,
    in: "0",
    out: end,
    file: place === 0 ? filmFile(timeline, film, name) : { "@id": "film" },
    ...(kind === "audio" ? { sourcetrack: { mediatype: "audio", trackindex: `${place}` } } : {}),
    link:
      kinds.length === 1
        ? []
        : kinds.map((mediatype, other) => ({
            linkclipref: `film-${other}`,
            mediatype,
            trackindex: `${mediatype === "video" ? 1 : other}`,
            clipindex: "1"
          }))
  }))
  const trackOf = (clipitem: XmlContent): XmlContent => ({ clipitem, enabled: "TRUE", locked: "FALSE" })
  return {
    video: items.slice(0, 1).map(trackOf),
    audio: items.slice(1).map((clipitem, channel): XmlContent => ({
      "@MZ.TrackName": "Film sound",
      ...(channels === 2
        ? {
            "@currentExplodedTrackIndex": `${channel}`,
            "@totalExplodedTrackCount": "2",
            "@premiereTrackType": "Stereo"
          }
        : {}),
      clipitem,
      enabled: timeline.background === undefined ? "TRUE" : "FALSE",
      locked: "FALSE",
      outputchannelindex: `${(channel % 2) + 1}`
    }))
  }
}

const filmFile = (timeline: Timeline, film: TimelineFilm, name: string): XmlContent => ({
  "@id": "film",
  name,
  pathurl: relativeUrl(film.path),
  rate: rateOf(film.frameRate),
  duration: `${film.pictures}`,
  timecode: timecodeOf(film.startFrame, film.frameRate),
  media: {
    video: {
      samplecharacteristics: {
        rate: rateOf(film.frameRate),
        width: `${timeline.width}`,
        height: `${timeline.height}`
      }
    },
    ...(film.sound === undefined
      ? {}
      : {
          audio: {
            samplecharacteristics: { depth: "16", samplerate: `${film.sound.rate}` },
            channelcount: `${film.sound.channels}`
          }
        })
  }
})

const clipItem = (
  frameRate: FrameRate,
  { clip, start, end }: LaidClip,
  id: string,
  files: Map<string, string>,
  channel: number
): XmlContent => {
  const from = sourceOffset(clip, frameRate)
  const known = files.get(clip.media.path)
  const file = known ?? `file-${files.size + 1}`
  files.set(clip.media.path, file)
  const length = Math.max(mediaPictures(clip, frameRate), from + end - start)
  return {
    "@id": id,
    name: oneLine(clip.name),
    enabled: "TRUE",
    duration: `${length}`,
    rate: rateOf(frameRate),
    start: `${start}`,
    end: `${end}`,
    in: `${from}`,
    out: `${from + end - start}`,
    file: known === undefined ? fileOf(frameRate, clip, file, length) : { "@id": file },
    sourcetrack: { mediatype: "audio", trackindex: `${channel}` },
    comments: { mastercomment1: noteOf(clip) }
  }
}

const fileOf = (frameRate: FrameRate, clip: TimelineClip, id: string, length: number): XmlContent => ({
  "@id": id,
  name: oneLine(clip.media.path.split("/").at(-1) ?? clip.media.path),
  pathurl: relativeUrl(clip.media.path),
  rate: rateOf(frameRate),
  duration: `${length}`,
  timecode: timecodeOf(mediaStart(clip, frameRate), frameRate),
  media: {
    audio: {
      samplecharacteristics: { depth: `${clip.media.depth}`, samplerate: `${clip.media.rate}` },
      channelcount: `${clip.media.channels}`
    }
  }
})

const markerOf = (frameRate: FrameRate, marker: TimelineMarker): XmlContent => ({
  name: oneLine(marker.name),
  comment: oneLine(marker.note),
  in: `${pictureHolding(marker.at, frameRate)}`,
  out: "-1"
})

const timecodeOf = (picture: number, frameRate: FrameRate): XmlContent => ({
  rate: rateOf(frameRate),
  string: timecode(picture, frameRate),
  frame: `${picture}`,
  displayformat: frameRate.drop ? "DF" : "NDF"
})

/** Encodes a frame rate as the integer rate of its timecode, and whether it is 1000/1001 slower. */
const rateOf = (frameRate: FrameRate): XmlContent => ({
  timebase: `${frameRate.nominal}`,
  ntsc: frameRate.rate.denominator === 1001 ? "TRUE" : "FALSE"
})
