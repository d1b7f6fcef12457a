/** What a job can make: files of sound, videos, subtitles, and editors' timelines. */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { faultOfName } from "../values/FileName.ts"
import { FrameRateWritten } from "../time/FrameRate.ts"

/** A job's sound as a file, the most exact first. */
export const soundNames = ["wav", "flac", "m4a", "mp3", "opus"] as const
export type SoundName = (typeof soundNames)[number]

/**
 * Editors' timelines: OpenTimelineIO, Final Cut Pro X, Final Cut 7 (Premiere, Resolve), CMX 3600, Audacity, and a
 * table.
 */
export const timelineNames = ["otio", "fcpxml", "xml", "edl", "labels", "csv"] as const
export type TimelineName = (typeof timelineNames)[number]

/** What a job can make. */
export const OutputName = Schema.Literal(
  ...soundNames,
  "mp4",
  "mkv",
  "mov",
  "webm",
  "srt",
  "vtt",
  "stems",
  "clips",
  ...timelineNames
)
export type OutputName = typeof OutputName.Type

/** How timelines and timecodes count. */
export const TimelineSettings = Schema.Struct({
  frameRate: optional(
    FrameRateWritten,
    "Pictures a second, df for drop-frame timecode; as the video counts, else 25."
  ),
  start: optional(
    Schema.NonEmptyTrimmedString,
    "Timecode of the first picture, such as 01:00:00:00; the video's own, else 00:00:00:00."
  )
})
export type TimelineSettings = typeof TimelineSettings.Type

/** A video that several jobs go into. */
export const SharedVideo = Schema.NonEmptyTrimmedString.pipe(
  Schema.pattern(/^[^/\\.][^/\\]*\.(?:mp4|mov|mkv|webm)$/u)
)
  .annotations({
    message: (issue) => ({
      message: `expected a file name that ends in .mp4, .mov, .mkv or .webm, found ${JSON.stringify(issue.actual)}`,
      override: true
    })
  })
  .pipe(
    Schema.maxLength(120),
    Schema.filter((name) => {
      const fault = faultOfName(name)
      return fault === undefined || `the name of a file: ${fault}`
    })
  )
