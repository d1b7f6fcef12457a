/** Final Cut Pro X XML (FCPXML 1.9), for Final Cut Pro and DaVinci Resolve. */
import { type FrameRate, pictureHolding } from "../../domain/time/FrameRate.ts"
import type { Timeline, TimelineFilm, TimelineMarker, TimelineMedia } from "../../domain/speech/Timeline.ts"
import { countsAsFilm, type LaidClip, type TimelineLane, lanesOf, picturesOf } from "./TimelineLanes.ts"
import { noteOf, oneLine, relativeUrl } from "../text/SingleLineText.ts"
import { type XmlContent, xmlDocument } from "../text/Xml.ts"

/**
 * Encodes an FCPXML document. The spine holds the film with its own sound, or a gap without a film. Clips are connected
 * to it: one FCPXML lane per timeline lane, below the spine, with the speaker's role.
 *
 * Final Cut Pro requires every edit to be a whole number of video frames, as an exact fraction of a second. A clip's
 * start in its file is exact to the sample.
 */
export const finalCutXml = (timeline: Timeline): string => {
  const { film, frameRate, startFrame } = timeline
  const lanes = lanesOf(timeline)
  const assets = assetsOf(lanes)
  const time = (pictures: number) => pictureTime(pictures, frameRate)
  const length = time(picturesOf(timeline))
  const local = localTime(timeline)
  const connected: XmlContent = {
    "asset-clip": lanes.flatMap((lane, place) =>
      lane.clips.map((laid) =>
        clipOf(timeline, local, lane, -place - 1, laid, assets.get(laid.clip.media.path)?.id ?? "")
      )
    ),
    marker: timeline.markers.map((marker) => markerOf(timeline, local, marker))
  }
  const placed = { "@offset": time(startFrame), "@start": local(0), "@duration": length }
  const spine: XmlContent =
    film === undefined
      ? { gap: { "@name": "Gap", ...placed, ...connected } }
      : {
          "asset-clip": {
            "@ref": filmAsset,
            "@name": nameOf(film),
            ...placed,
            // Its own sound is in the background.
            ...(timeline.background === undefined ? {} : { "@srcEnable": "video" }),
            ...(countsAsFilm(film, frameRate) ? {} : { "conform-rate": { "@scaleEnabled": "0" } }),
            ...connected
          }
        }
  const ownFormat = film !== undefined && !countsAsFilm(film, frameRate)
  const format = (id: string, rate: FrameRate): XmlContent => ({
    "@id": id,
    "@frameDuration": pictureTime(1, rate),
    "@width": `${timeline.width}`,
    "@height": `${timeline.height}`
  })
  return xmlDocument("fcpxml", {
    "@version": "1.9",
    resources: {
      format: [format("r1", frameRate), ...(ownFormat ? [format(filmFormat, film.frameRate)] : [])],
      asset: [
        ...(film === undefined ? [] : [filmAssetOf(film, ownFormat ? filmFormat : "r1")]),
        ...[...assets.values()].map(assetOf)
      ]
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
            spine
          }
        }
      }
    }
  })
}

/** Ids of the film's asset, and of its format if its frame rate differs from the timeline's. */
const filmAsset = "film"
const filmFormat = "film-format"

const nameOf = ({ path }: { readonly path: string }): string => oneLine(path.split("/").at(-1) ?? path)

/**
 * Returns a function that converts a video frame to the spine element's local time, which positions connected clips and
 * markers. That is the film's own timecode.
 */
const localTime = ({ film, frameRate, startFrame }: Timeline): ((picture: number) => string) => {
  if (film === undefined) return (picture) => pictureTime(startFrame + picture, frameRate)
  if (countsAsFilm(film, frameRate)) return (picture) => pictureTime(film.startFrame + picture, frameRate)
  const own = film.frameRate.rate
  const { numerator, denominator } = frameRate.rate
  return (picture) =>
    reduced(
      film.startFrame * own.denominator * numerator + picture * denominator * own.numerator,
      own.numerator * numerator
    )
}

const filmAssetOf = (film: TimelineFilm, format: string): XmlContent => ({
  "@id": filmAsset,
  "@name": nameOf(film),
  "@start": pictureTime(film.startFrame, film.frameRate),
  "@duration": pictureTime(film.pictures, film.frameRate),
  "@hasVideo": "1",
  "@format": format,
  ...(film.sound === undefined
    ? {}
    : {
        "@hasAudio": "1",
        "@audioSources": "1",
        "@audioChannels": `${film.sound.channels}`,
        "@audioRate": `${film.sound.rate}`
      }),
  "media-rep": { "@kind": "original-media", "@src": relativeUrl(film.path) }
})

const clipOf = (
  { frameRate }: Timeline,
  local: (picture: number) => string,
  lane: TimelineLane,
  level: number,
  { clip, start, end }: LaidClip,
  asset: string
): XmlContent => ({
  "@ref": asset,
  "@lane": `${level}`,
  "@offset": local(start),
  "@name": oneLine(clip.name),
  "@start": sampleTime(clip.media.timeReference + clip.sourceIn, clip.media),
  "@duration": pictureTime(end - start, frameRate),
  // A full stop separates a role from its subrole.
  "@audioRole": lane.isBackground ? "effects" : `dialogue.${oneLine(lane.speaker.replaceAll(".", " "))}`,
  note: noteOf(clip)
})

const markerOf = ({ frameRate }: Timeline, local: (picture: number) => string, marker: TimelineMarker) => ({
  "@start": local(pictureHolding(marker.at, frameRate)),
  "@duration": pictureTime(1, frameRate),
  "@value": oneLine(marker.name),
  "@note": oneLine(marker.note)
})

interface Asset {
  readonly id: string
  readonly media: TimelineMedia
}

/** Returns the files used by clips, by path. */
const assetsOf = (lanes: ReadonlyArray<TimelineLane>): ReadonlyMap<string, Asset> => {
  const assets = new Map<string, Asset>()
  for (const { clip } of lanes.flatMap(({ clips }) => clips)) {
    const { media } = clip
    if (!assets.has(media.path)) assets.set(media.path, { id: `r${assets.size + 2}`, media })
  }
  return assets
}

const assetOf = ({ id, media }: Asset): XmlContent => ({
  "@id": id,
  "@name": nameOf(media),
  "@start": sampleTime(media.timeReference, media),
  "@duration": sampleTime(media.length, media),
  "@hasAudio": "1",
  "@audioSources": "1",
  "@audioChannels": `${media.channels}`,
  "@audioRate": `${media.rate}`,
  "media-rep": { "@kind": "original-media", "@src": relativeUrl(media.path) }
})

/** Converts a number of video frames to seconds as an exact fraction: `1001/30000s`, or `5s` if whole. */
const pictureTime = (pictures: number, { rate }: FrameRate): string =>
  fraction(pictures * rate.denominator, rate.numerator)

const sampleTime = (frames: number, { rate }: TimelineMedia): string => fraction(frames, rate)

/** Fractions of one rate keep its denominator, as editors write them. */
const fraction = (numerator: number, denominator: number): string =>
  numerator % denominator === 0 ? `${numerator / denominator}s` : `${numerator}/${denominator}s`

/** Reduces a fraction of mixed rates to lowest terms, because denominators have 32 bits. */
const reduced = (numerator: number, denominator: number): string => {
  const divisor = greatestDivisor(numerator, denominator)
  return fraction(numerator / divisor, denominator / divisor)
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))
