/** Manifest settings for audio: loudness, file format, ducking, tags and chapters. */
import { Schema } from "effect"
import { millis } from "../time/Units.ts"
import { described, optional } from "./FieldDescription.ts"

/** The result's loudness: LUFS with a true peak of -1.5 dBTP, or a preset's name. */
export const LoudnessTarget = Schema.Union(
  Schema.Number.pipe(Schema.between(-40, -8)),
  Schema.Literal("ebu-r128", "podcast", "none")
).annotations({
  message: (issue) => ({
    message: `expected LUFS from -40 to -8, or ebu-r128, podcast or none, found ${JSON.stringify(issue.actual)}`,
    override: true
  })
})
export type LoudnessTarget = typeof LoudnessTarget.Type

/** Returns the LUFS that a loudness setting means; undefined for none. */
export const loudnessNamed = (target: LoudnessTarget): number | undefined =>
  typeof target === "number" ? target : { "ebu-r128": -23, podcast: -16, none: undefined }[target]

/** Format of audio files. */
export const AudioSettings = Schema.Struct({
  rate: optional(
    Schema.Int.pipe(Schema.between(8_000, 192_000)),
    "Sample rate of audio files in Hz, if the format supports it; default 48000."
  ),
  depth: optional(
    Schema.Literal(16, 24, 32),
    "Bits per sample in WAV and FLAC; 32 is floating point in WAV and 24 bits in FLAC; default 16."
  ),
  channels: optional(
    Schema.Literal("mono", "stereo", "5.1"),
    "Default: those of the background; else mono, or stereo if a speaker has a pan. 5.1 needs a background in 5.1."
  ),
  bitrate: optional(
    Schema.Int.pipe(Schema.between(16, 510)),
    "Kilobits per second of all channels for MP3, M4A and Opus; default 96 per channel, 64 for Opus."
  )
})
export type AudioSettings = typeof AudioSettings.Type

const fadeLength = Schema.Number.pipe(Schema.between(0.001, 3))

/** How sound is lowered under the voice: a video's own if `original` is duck, or a background. */
export const DuckSettings = Schema.Struct({
  amount: optional(
    Schema.Number.pipe(Schema.between(1, 40)),
    "How far the original sound is lowered during speech, in decibels; default 12."
  ),
  attack: optional(fadeLength, "Seconds over which the sound falls before the voice begins; default 0.2."),
  release: optional(
    fadeLength,
    "Seconds over which the sound rises after the voice ends; default 0.7. The sound stays low in pauses shorter than attack, release and 0.4 s together."
  ),
  fade: optional(fadeLength, "Sets attack and release to the same length.")
})
export type DuckSettings = typeof DuckSettings.Type

/** Default ducking, suited to speech over music and effects: decibels, and milliseconds. */
export const usualDuck = { amount: 12, attack: millis(200), release: millis(700) } as const

/** Music and effects under the voices, with settings. */
export const BackgroundSettings = Schema.Struct({
  file: described(
    Schema.NonEmptyTrimmedString,
    "The WAV file, at the film's full length and the result's rate."
  ),
  gain: optional(
    Schema.Number.pipe(Schema.between(-60, 20)),
    "Decibels by which the file is raised or lowered throughout; default 0."
  ),
  duck: optional(
    Schema.Union(Schema.Boolean, DuckSettings),
    "Lower it while someone speaks: true, or amount, attack and release as in duck; default false."
  )
})

/** A program that makes music and effects from the film's own sound. */
export const SeparateSettings = Schema.Struct({
  command: described(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, run without a shell. {film} is the film; the program writes its sound without speech to {bed}, a WAV file."
  ),
  timeout: optional(
    Schema.Number.pipe(Schema.between(1, 86_400)),
    "Maximum seconds for one film; default 7200."
  ),
  gain: BackgroundSettings.fields.gain,
  duck: BackgroundSettings.fields.duck
})
export type SeparateSettings = typeof SeparateSettings.Type

/** Music and effects under the voices: the file, or the file with settings. */
export const BackgroundEntry = Schema.Union(Schema.NonEmptyTrimmedString, BackgroundSettings)
export type BackgroundEntry = typeof BackgroundEntry.Type

/** Metadata of audio files. */
export const TagSettings = Schema.Struct({
  title: optional(Schema.NonEmptyTrimmedString, "Default: the job's id."),
  artist: optional(Schema.NonEmptyTrimmedString, "The creator."),
  album: optional(Schema.NonEmptyTrimmedString, "The collection or series."),
  comment: optional(Schema.NonEmptyTrimmedString, "Any other text.")
})
export type TagSettings = typeof TagSettings.Type

/** A chapter, which lasts until the next one starts. */
export const ChapterEntry = Schema.Struct({
  start: described(Schema.NonNegative, "Start in seconds."),
  title: described(Schema.NonEmptyTrimmedString, "The title that players show.")
})
export type ChapterEntry = typeof ChapterEntry.Type
