/** Final Cut Pro X XML (FCPXML 1.9), which Final Cut Pro and DaVinci Resolve read. */
import { type FrameRate, pictureAt } from "../domain/FrameRate.ts"
import type { Timeline, TimelineMarker, TimelineMedia } from "../domain/Timeline.ts"
import { type LaidClip, type Lane, lanesOf, picturesOf } from "./Lanes.ts"
import { noteOf, oneLine, relativeUrl } from "./PlainText.ts"
import { type XmlContent, xmlDocument } from "./Xml.ts"

/**
 * An FCPXML document: a gap as long as the film, and connected to it the clips, each lane of the timeline in a lane of
 * its own below it and with its speaker's role. Every time is a whole number of pictures as an exact fraction of a
 * second; a clip's start in its file is exact to the sample.
 */
export const finalCutXml = (timeline: Timeline): string => {
  const { frameRate, startFrame } = timeline
  const lanes = lanesOf(timeline)
  const assets = assetsOf(lanes)
  const time = (pictures: number) => pictureTime(pictures, frameRate)
  const length = time(picturesOf(timeline))
  const gap: XmlContent = {
    "@name": "Gap",
    "@offset": time(startFrame),
    "@start": time(startFrame),
    "@duration": length,
    "asset-clip": lanes.flatMap((lane, place) =>
      lane.clips.map((laid) =>
        clipOf(timeline, lane, -place - 1, laid, assets.get(laid.clip.media.path)?.id ?? "")
      )
    ),
    marker: timeline.markers.map((marker) => markerOf(timeline, marker))
  }
  return xmlDocument("fcpxml", {
    "@version": "1.9",
    resources: {
      format: {
        "@id": "r1",
        "@frameDuration": time(1),
        "@width": `${timeline.width}`,
        "@height": `${timeline.height}`
      },
      asset: [...assets.values()].map(assetOf)
    },
    library: {
      event: {
        "@name": oneLine(timeline.name),
        project: {
          "@name": oneLine(timeline.name),
          sequence: {
            "@format": "r1",
            "@duration": length,
            "@tcStart": time(startFrame),
            "@tcFormat": frameRate.drop ? "DF" : "NDF",
            "@audioLayout": "stereo",
            "@audioRate": "48k",
            spine: { gap }
          }
        }
      }
    }
  })
}

const clipOf = (
  { frameRate, startFrame }: Timeline,
  lane: Lane,
  level: number,
  { clip, start, end }: LaidClip,
  asset: string
): XmlContent => ({
  "@ref": asset,
  "@lane": `${level}`,
  "@offset": pictureTime(startFrame + start, frameRate),
  "@name": oneLine(clip.name),
  "@start": sampleTime(clip.media.timeReference + clip.sourceIn, clip.media),
  "@duration": pictureTime(end - start, frameRate),
  // A full stop parts a role from its subrole.
  "@audioRole": `dialogue.${oneLine(lane.speaker).replaceAll(".", " ")}`,
  note: noteOf(clip)
})

const markerOf = ({ frameRate, startFrame }: Timeline, marker: TimelineMarker): XmlContent => ({
  "@start": pictureTime(startFrame + pictureAt(marker.at, frameRate), frameRate),
  "@duration": pictureTime(1, frameRate),
  "@value": oneLine(marker.name),
  "@note": oneLine(marker.note)
})

interface Asset {
  readonly id: string
  readonly media: TimelineMedia
}

/** The files that clips are cut from, by their paths. */
const assetsOf = (lanes: ReadonlyArray<Lane>): ReadonlyMap<string, Asset> => {
  const assets = new Map<string, Asset>()
  for (const { clip } of lanes.flatMap(({ clips }) => clips)) {
    const { media } = clip
    if (!assets.has(media.path)) assets.set(media.path, { id: `r${assets.size + 2}`, media })
  }
  return assets
}

const assetOf = ({ id, media }: Asset): XmlContent => ({
  "@id": id,
  "@name": oneLine(media.path.split("/").at(-1) ?? media.path),
  "@start": sampleTime(media.timeReference, media),
  "@duration": sampleTime(media.length, media),
  "@hasAudio": "1",
  "@audioSources": "1",
  "@audioChannels": `${media.channels}`,
  "@audioRate": `${media.rate}`,
  "media-rep": { "@kind": "original-media", "@src": relativeUrl(media.path) }
})

/** A length of pictures in seconds, as an exact fraction: `1001/30000s`, or `5s` where it is whole. */
const pictureTime = (pictures: number, { rate }: FrameRate): string =>
  fraction(pictures * rate.denominator, rate.numerator)

const sampleTime = (frames: number, { rate }: TimelineMedia): string => fraction(frames, rate)

/** Fractions of one rate keep its denominator, as editors write them. */
const fraction = (numerator: number, denominator: number): string =>
  numerator % denominator === 0 ? `${numerator / denominator}s` : `${numerator}/${denominator}s`
