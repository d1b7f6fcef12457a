/** CMX 3600 edit decision lists (EDL), which every editor reads. */
import { Array } from "effect"
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { filmStart, type LaidClip, lanesOf, picturesOf, sourcePicture } from "./TimelineLanes.ts"
import { noteOf, oneLine } from "../text/SingleLineText.ts"
import { timecode } from "../text/Timecode.ts"

/** Maximum number of events: event numbers have three digits (https://xmil.biz/EDL-X/CMX3600.pdf). */
const maxEvents = 999

/**
 * Encodes a timeline as EDLs with at most 999 events each. The film comes first: its picture on V, its sound on A. If
 * there is a background, it replaces the film's sound, since an EDL cannot mute it. Then one event per clip, in order
 * of start. Lanes are the next audio channels A2, A3 and so on (from A if nothing is below them). Source timecode comes
 * from the file's own time reference.
 */
export const edl = (timeline: Timeline): ReadonlyArray<string> => {
  const { film, background } = timeline
  const [bed] = background?.clips ?? []
  const isStereo = (bed?.media.channels ?? 1) > 1
  const below = bed !== undefined && isStereo ? 1 : bed === undefined && film?.sound !== undefined ? 1 : 0
  const events = lanesOf(timeline)
    .flatMap((lane, place) =>
      lane.clips.map((laid) => ({
        laid,
        place: lane.isBackground ? 0 : place + below,
        channel: lane.isBackground && isStereo ? "AA" : place + below === 0 ? "A" : `A${place + below + 1}`
      }))
    )
    .sort((a, b) => a.laid.start - b.laid.start || a.place - b.place)
    .map(({ laid, channel }): Event => clipEvent(timeline, laid, channel))
  const all = [...filmEvents(timeline), ...events]
  const parts = all.length === 0 ? [[]] : Array.chunksOf(all, maxEvents)
  return parts.map((part, place) =>
    [
      `TITLE: ${oneLine(timeline.name)}${place === 0 ? "" : `-${place + 1}`}`,
      `FCM: ${timeline.frameRate.drop ? "DROP FRAME" : "NON-DROP FRAME"}`,
      "",
      ...part.flatMap((event, number) => eventLines(timeline, event, number + 1)),
      ""
    ].join("\n")
  )
}

interface Event {
  readonly channel: string
  /** The source's first video frame. */
  readonly from: number
  readonly start: number
  readonly end: number
  readonly comments: ReadonlyArray<string>
}

const filmEvents = (timeline: Timeline): ReadonlyArray<Event> => {
  const { film, frameRate, background } = timeline
  if (film === undefined) return []
  const comments = [
    `* FROM CLIP NAME: ${oneLine(film.path.split("/").at(-1) ?? film.path)}`,
    `* SOURCE FILE: ${oneLine(film.path)}`
  ]
  return ["V", ...(film.sound === undefined || background !== undefined ? [] : ["A"])].map((channel) => ({
    channel,
    from: filmStart(film, frameRate),
    start: 0,
    end: picturesOf(timeline),
    comments
  }))
}

const clipEvent = ({ frameRate, startFrame }: Timeline, { clip, start, end }: LaidClip, channel: string) => ({
  channel,
  from: sourcePicture(clip, frameRate),
  start,
  end,
  comments: [
    `* FROM CLIP NAME: ${oneLine(clip.name)}`,
    `* SOURCE FILE: ${oneLine(clip.media.path)}`,
    `* COMMENT: ${noteOf(clip)}`,
    ...(clip.flags.length === 0
      ? []
      : [`* LOC: ${timecode(startFrame + start, frameRate)} RED ${clip.flags.join(" ")}`])
  ]
})

const eventLines = (
  { frameRate, startFrame }: Timeline,
  { channel, from, start, end, comments }: Event,
  number: number
): ReadonlyArray<string> => {
  const times = [from, from + end - start, startFrame + start, startFrame + end].map((picture) =>
    timecode(picture, frameRate)
  )
  return [
    `${`${number}`.padStart(3, "0")}  ${"AX".padEnd(8)} ${channel.padEnd(5)} ${"C".padEnd(8)} ${times.join(" ")}`,
    ...comments
  ]
}
