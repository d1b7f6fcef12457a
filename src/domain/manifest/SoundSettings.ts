/** How a result sounds and what its files say of it: the parts of a manifest that are about audio. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"

/** The result's loudness: a number of LUFS with a true peak of -1.5 dBTP, or a standard's name. */
export const LoudnessTarget = Schema.Union(
  Schema.Number.pipe(Schema.between(-40, -8)),
  Schema.Literal("ebu-r128", "podcast", "none")
).annotations({
  message: (issue) => ({
    message: `expected a number of LUFS from -40 to -8, or ebu-r128, podcast or none, found ${JSON.stringify(issue.actual)}`,
    override: true
  })
})
export type LoudnessTarget = typeof LoudnessTarget.Type

/** How audio files are written. */
export const AudioSettings = Schema.Struct({
  rate: optional(
    Schema.Int.pipe(Schema.between(8_000, 192_000)),
    "Sample rate of audio files in hertz, where the format takes it; default 48000."
  ),
  depth: optional(
    Schema.Literal(16, 24, 32),
    "Bits of a sample in WAV and FLAC, 32 in floating point (in FLAC 24); default 16."
  ),
  channels: optional(
    Schema.Literal("mono", "stereo"),
    "Default mono, or stereo where a speaker has a place in it (pan)."
  ),
  bitrate: optional(
    Schema.Int.pipe(Schema.between(16, 510)),
    "Kilobits a second of MP3, M4A and Opus; the default suits speech."
  )
})
export type AudioSettings = typeof AudioSettings.Type

/** How a video's own sound is lowered under the voice, where `original` is duck. */
export const DuckSettings = Schema.Struct({
  amount: optional(
    Schema.Number.pipe(Schema.between(1, 40)),
    "Decibels by which the original sound is lowered while someone speaks; default 12."
  ),
  fade: optional(
    Schema.Number.pipe(Schema.between(0.001, 3)),
    "Seconds in which it fades down, ahead of the voice, and up again; default 0.3. It stays down in pauses too short for both."
  )
})
export type DuckSettings = typeof DuckSettings.Type

/** What audio files say of themselves. */
export const TagSettings = Schema.Struct({
  title: optional(Schema.NonEmptyTrimmedString, "Default: the job's id."),
  artist: optional(Schema.NonEmptyTrimmedString, "Who made it."),
  album: optional(Schema.NonEmptyTrimmedString, "What it belongs to."),
  comment: optional(Schema.NonEmptyTrimmedString, "Anything else.")
})
export type TagSettings = typeof TagSettings.Type

/** A chapter, which lasts until the next. */
export const ChapterEntry = Schema.Struct({
  start: described(Schema.NonNegative, "Seconds from the beginning."),
  title: described(Schema.NonEmptyTrimmedString, "What players show.")
})
export type ChapterEntry = typeof ChapterEntry.Type
