/** Final Cut Pro 7 XML (xmeml 5), which Premiere Pro and DaVinci Resolve read. */
import { type FrameRate, pictureAt } from "../domain/FrameRate.ts"
import type { Timeline, TimelineClip, TimelineMarker } from "../domain/Timeline.ts"
import { type LaidClip, lanesOf, mediaPictures, mediaStart, picturesOf, sourceOffset } from "./Lanes.ts"
import { noteOf, oneLine, relativeUrl } from "./PlainText.ts"
import { timecode } from "./Timecode.ts"
import { type XmlContent, xmlDocument } from "./Xml.ts"

/** An xmeml document: a sequence with an audio track per lane. Times are whole pictures, a clip's in its own file. */
export const xmeml = (timeline: Timeline): string => {
  const { frameRate, startFrame } = timeline
  const files = new Map<string, string>()
  let clips = 0
  const tracks = lanesOf(timeline).map((lane): XmlContent => ({
    // The name is Premiere's own attribute; others pass over it.
    "@MZ.TrackName": oneLine(lane.name),
    clipitem: lane.clips.map((laid) => clipItem(frameRate, laid, `clipitem-${++clips}`, files)),
    enabled: "TRUE",
    locked: "FALSE",
    outputchannelindex: "1"
  }))
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
          }
        },
        audio: {
          numOutputChannels: "2",
          format: { samplecharacteristics: { depth: "16", samplerate: "48000" } },
          track: tracks
        }
      }
    }
  })
}

const clipItem = (
  frameRate: FrameRate,
  { clip, start, end }: LaidClip,
  id: string,
  files: Map<string, string>
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
    sourcetrack: { mediatype: "audio", trackindex: "1" },
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
      samplecharacteristics: { depth: "16", samplerate: `${clip.media.rate}` },
      channelcount: `${clip.media.channels}`
    }
  }
})

const markerOf = (frameRate: FrameRate, marker: TimelineMarker): XmlContent => ({
  name: oneLine(marker.name),
  comment: oneLine(marker.note),
  in: `${pictureAt(marker.at, frameRate)}`,
  out: "-1"
})

const timecodeOf = (picture: number, frameRate: FrameRate): XmlContent => ({
  rate: rateOf(frameRate),
  string: timecode(picture, frameRate),
  frame: `${picture}`,
  displayformat: frameRate.drop ? "DF" : "NDF"
})

/** A rate as the whole number that timecode counts, and whether it runs 1000/1001 as fast. */
const rateOf = (frameRate: FrameRate): XmlContent => ({
  timebase: `${frameRate.nominal}`,
  ntsc: frameRate.rate.denominator === 1001 ? "TRUE" : "FALSE"
})
