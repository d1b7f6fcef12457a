/** CMX 3600 edit decision lists, which every editor reads. */
import type { Timeline } from "../domain/Timeline.ts"
import { type LaidClip, lanesOf, sourcePicture } from "./Lanes.ts"
import { noteOf, oneLine } from "./PlainText.ts"
import { timecode } from "./Timecode.ts"

/**
 * An EDL: an event per clip in order of their start, the lanes as the audio channels A, A2, A3 and so on. The source's
 * timecode is that of the file's own time reference. Event numbers grow beyond three digits where they must.
 */
export const edl = (timeline: Timeline): string => {
  const events = lanesOf(timeline)
    .flatMap((lane, channel) => lane.clips.map((laid) => ({ laid, channel })))
    .sort((a, b) => a.laid.start - b.laid.start || a.channel - b.channel)
  return [
    `TITLE: ${oneLine(timeline.name)}`,
    `FCM: ${timeline.frameRate.drop ? "DROP FRAME" : "NON-DROP FRAME"}`,
    "",
    ...events.flatMap(({ laid, channel }, place) => eventLines(timeline, laid, channel, place + 1)),
    ""
  ].join("\n")
}

const eventLines = (
  { frameRate, startFrame }: Timeline,
  { clip, start, end }: LaidClip,
  channel: number,
  number: number
): ReadonlyArray<string> => {
  const from = sourcePicture(clip, frameRate)
  const times = [from, from + end - start, startFrame + start, startFrame + end].map((picture) =>
    timecode(picture, frameRate)
  )
  const sound = channel === 0 ? "A" : `A${channel + 1}`
  return [
    `${`${number}`.padStart(3, "0")}  ${"AX".padEnd(8)} ${sound.padEnd(5)} ${"C".padEnd(8)} ${times.join(" ")}`,
    `* FROM CLIP NAME: ${oneLine(clip.name)}`,
    `* SOURCE FILE: ${oneLine(clip.media.path)}`,
    `* COMMENT: ${noteOf(clip)}`,
    ...(clip.flags.length === 0
      ? []
      : [`* LOC: ${timecode(startFrame + start, frameRate)} RED ${clip.flags.join(" ")}`])
  ]
}
