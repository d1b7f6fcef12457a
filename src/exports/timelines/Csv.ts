/** CSV spreadsheet of the placed clips: one row per placement. */
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { lanesOf } from "./TimelineLanes.ts"
import { oneLine } from "../text/SingleLineText.ts"
import { timecode } from "../text/Timecode.ts"

/**
 * Encodes a table with a header row (RFC 4180, UTF-8). `start` and `end` are seconds from the beginning of the film;
 * the timecodes are those of the video frames that contain them. Text that a spreadsheet would read as a formula is
 * prefixed with an apostrophe.
 */
export const csv = (timeline: Timeline): string => {
  const { frameRate, startFrame } = timeline
  const rows = lanesOf(timeline)
    .filter(({ isBackground }) => !isBackground)
    .flatMap((lane) => lane.clips.map((laid) => ({ ...laid, lane })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .map(({ clip, start, end, lane }) => [
      `${clip.cue}`,
      lane.speaker,
      lane.name,
      seconds(clip.at),
      seconds(clip.at + clip.duration),
      timecode(startFrame + start, frameRate),
      timecode(startFrame + end, frameRate),
      clip.media.path,
      `${Number(clip.speed.toFixed(4))}`,
      clip.flags.join(" "),
      oneLine(clip.text)
    ])
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("")
}

const header = [
  "cue",
  "speaker",
  "track",
  "start",
  "end",
  "start timecode",
  "end timecode",
  "file",
  "speed",
  "flags",
  "text"
]

const seconds = (position: number): string => (position / 1000).toFixed(3)

const field = (text: string): string => csvField(/^(?:[=+@\t\r]|-\S)/u.test(text) ? `'${text}` : text)

/** Quotes a field if it holds a quote, a comma or a line break (RFC 4180). */
export const csvField = (text: string): string =>
  /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
