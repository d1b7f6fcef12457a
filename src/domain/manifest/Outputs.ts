/** The outputs a job can produce: audio files, videos, subtitles, and timelines for editors. */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { faultOfName } from "../values/FileName.ts"
import { FrameRateWritten } from "../time/FrameRate.ts"

/** Audio formats, the most exact first. */
export const soundNames = ["wav", "flac", "m4a", "mp3", "opus"] as const
export type SoundName = (typeof soundNames)[number]

/** Videos. */
export const videoNames = ["mp4", "mov", "mkv", "webm"] as const

/** The video output for a film: in the film's own container, else in Matroska, which takes any codec. */
export const containerFor = (video: string): (typeof videoNames)[number] => {
  const ending = /\.(?<ending>\w+)$/u.exec(video)?.groups?.["ending"]?.toLowerCase()
  return ending === "m4v" ? "mp4" : (videoNames.find((name) => name === ending) ?? "mkv")
}

/**
 * Timelines for editors: OpenTimelineIO, Final Cut Pro X, Final Cut 7 (Premiere, Resolve), CMX 3600, Audacity labels,
 * CSV, W3C DAPT, and projects for REAPER, Shotcut (MLT) and Kdenlive.
 */
export const timelineNames = [
  "otio",
  "fcpxml",
  "xml",
  "edl",
  "labels",
  "csv",
  "dapt",
  "reaper",
  "mlt",
  "kdenlive"
] as const
export type TimelineName = (typeof timelineNames)[number]

/** Every output name. */
export const OutputName = Schema.Literal(
  ...soundNames,
  "mp4",
  "mkv",
  "mov",
  "webm",
  "srt",
  "vtt",
  "ttml",
  "adr",
  "stems",
  "clips",
  ...timelineNames
)
export type OutputName = typeof OutputName.Type

/** Frame rate and start timecode of timelines. */
export const TimelineSettings = Schema.Struct({
  frameRate: optional(
    FrameRateWritten,
    "Video frames per second, with df for drop-frame timecode; default: the video's rate, else 25."
  ),
  start: optional(
    Schema.NonEmptyTrimmedString,
    "Timecode of the first video frame, such as 01:00:00:00; default: the video's own, else 00:00:00:00."
  )
})
export type TimelineSettings = typeof TimelineSettings.Type

/** The name of a video that several jobs share. */
export const SharedVideo = Schema.NonEmptyTrimmedString.pipe(
  Schema.pattern(/^[^/\\.][^/\\]*\.(?:mp4|mov|mkv|webm)$/u)
)
  .annotations({
    message: (issue) => ({
      message: `expected a file name ending in .mp4, .mov, .mkv or .webm, found ${JSON.stringify(issue.actual)}`,
      override: true
    })
  })
  .pipe(
    Schema.maxLength(120),
    Schema.filter((name) => {
      const fault = faultOfName(name)
      return fault === undefined || `not a valid file name: ${fault}`
    })
  )
