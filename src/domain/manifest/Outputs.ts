/** The outputs a job can produce: audio files, videos, subtitles, and timelines for editors. */
import { Schema, Struct } from "effect"
import { optional } from "./FieldDescription.ts"
import { faultOfName } from "../values/FileName.ts"
import { FrameRateWritten } from "../time/FrameRate.ts"

/** What an output is. */
interface Output {
  readonly kind: "sound" | "video" | "subtitle" | "timeline" | "sheet" | "folder"
  /** The ending of its file. Default: the output's name. */
  readonly ending?: string
  readonly isLossy?: boolean
  /** The program or the format, for the manual. */
  readonly about: string
}

/** Every output. Of sounds and of videos, the most exact comes first. */
export const outputs = {
  wav: { kind: "sound", about: "WAV" },
  flac: { kind: "sound", about: "FLAC" },
  m4a: { kind: "sound", isLossy: true, about: "AAC" },
  mp3: { kind: "sound", isLossy: true, about: "MP3" },
  opus: { kind: "sound", isLossy: true, about: "Opus" },
  mp4: { kind: "video", isLossy: true, about: "MPEG-4" },
  mov: { kind: "video", about: "QuickTime" },
  mkv: { kind: "video", about: "Matroska" },
  webm: { kind: "video", isLossy: true, about: "WebM" },
  srt: { kind: "subtitle", about: "SubRip" },
  vtt: { kind: "subtitle", about: "WebVTT" },
  ttml: { kind: "subtitle", about: "TTML in the IMSC 1.1 Text Profile" },
  otio: { kind: "timeline", about: "OpenTimelineIO" },
  fcpxml: { kind: "timeline", about: "Final Cut Pro X" },
  xml: { kind: "timeline", about: "Final Cut 7, which Premiere and Resolve read" },
  edl: { kind: "timeline", about: "CMX 3600; more than 999 events continue in `<job>-2.edl`" },
  labels: { kind: "timeline", ending: "labels.txt", about: "Audacity labels" },
  csv: { kind: "timeline", about: "a table" },
  dapt: {
    kind: "timeline",
    ending: "dapt.ttml",
    about: "W3C DAPT: the script as recorded, with links to the clips"
  },
  reaper: { kind: "timeline", ending: "rpp", about: "a project for REAPER" },
  mlt: { kind: "timeline", about: "a project for Shotcut" },
  kdenlive: { kind: "timeline", about: "a project for Kdenlive" },
  adr: { kind: "sheet", ending: "adr.xlsx", about: "a cue sheet for recordings, also as `<job>.adr.html`" },
  stems: { kind: "folder", about: "one WAV per speaker, as long as the film" },
  clips: { kind: "folder", about: "one Broadcast Wave per placement" }
} as const satisfies Readonly<Record<string, Output>>

type Outputs = typeof outputs
type NameOf<K extends Output["kind"]> = {
  [Name in keyof Outputs]: Outputs[Name]["kind"] extends K ? Name : never
}[keyof Outputs]

const namesOf = <K extends Output["kind"]>(kind: K): ReadonlyArray<NameOf<K>> =>
  Struct.keys(outputs).filter((name): name is NameOf<K> => outputs[name].kind === kind)

export const soundNames = namesOf("sound")
export type SoundName = NameOf<"sound">
export const videoNames = namesOf("video")
export const subtitleNames = namesOf("subtitle")
export const timelineNames = namesOf("timeline")
export type TimelineName = NameOf<"timeline">

/** The ending of an output's file. */
export const outputEnding = (name: OutputName, output: Output = outputs[name]): string =>
  output.ending ?? name

/** The video output for a film: in the film's own container, else in Matroska, which takes any codec. */
export const containerFor = (video: string): NameOf<"video"> => {
  const ending = /\.(?<ending>\w+)$/u.exec(video)?.groups?.["ending"]?.toLowerCase()
  return ending === "m4v" ? "mp4" : (videoNames.find((name) => name === ending) ?? "mkv")
}

/** Every output name. */
export const OutputName = Schema.Literal("wav", ...Struct.keys(outputs).slice(1))
export type OutputName = typeof OutputName.Type

/** The outputs of a job that sets none. */
export const usualOutputs = ["wav", "srt"] as const

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
