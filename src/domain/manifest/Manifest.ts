/**
 * Schema of the manifest, as written in YAML or JSON. Key names are stable: keys may be added, never renamed. Paths are
 * relative to the manifest. Times are in seconds.
 */
import { Schema } from "effect"
import { CastSettings } from "./CastSettings.ts"
import { described, optional } from "./FieldDescription.ts"
import { JobId, ModelId, ProviderId, SpeakerName, VoiceId } from "../values/Ids.ts"
import { LanguageOfEntry, LanguageWritten } from "../values/LanguageName.ts"
import { FrameRateWritten } from "../time/FrameRate.ts"
import { ListenSettings } from "./ListenSettings.ts"
import { OutputName, SharedVideo, TimelineSettings, usualOutputs } from "./Outputs.ts"
import {
  ColumnSettings,
  controlFields,
  FitSettings,
  LexiconEntry,
  PauseSettings,
  SpeakerSettings,
  TextSettings
} from "./ScriptSettings.ts"
import { RewriteSettings } from "./RewriteSettings.ts"
import { RateWritten, SyncMode } from "./SyncSettings.ts"
import { NotifySettings, ProviderLimits, ServiceSettings } from "./ServiceSettings.ts"
import {
  AudioSettings,
  BackgroundEntry,
  ChapterEntry,
  DuckSettings,
  LoudnessTarget,
  SeparateSettings,
  TagSettings
} from "./SoundSettings.ts"

const path = Schema.NonEmptyTrimmedString

/** What keys of a job are if neither it nor `defaults` sets them. */
export const jobDefaults = { unit: "cue", onFailure: "fail", loudness: -16, original: "keep" } as const

const jobFields = {
  provider: optional(ProviderId, "The provider that speaks; default: the only one that has the voice."),
  voice: optional(
    VoiceId,
    "The service's voice id, for speakers without a voice of their own. Only the bundled service has a default voice, by language."
  ),
  model: optional(ModelId, "The provider's model; default: the provider's own."),
  language: optional(
    LanguageWritten,
    "The spoken language: a tag (en, pt-BR), a code (vie) or an English name; default: from the input's file name (film.vi.srt)."
  ),
  ...controlFields,
  speakers: optional(
    Schema.Record({ key: SpeakerName, value: SpeakerSettings }),
    "Voices by the speaker names in the script."
  ),
  nativeInput: optional(
    Schema.Literal("srt", "text"),
    "Providers that accept SRT: send subtitles as SRT, or merged into plain text. Default: the cheaper one that keeps the times of the cues."
  ),
  unit: optional(
    Schema.Literal("cue", "sentence"),
    "Speak cue by cue (default), or in whole sentences across cues. Text sent as SRT is always spoken cue by cue."
  ),
  onFailure: optional(
    Schema.Literal("fail", "silence"),
    "If a cue cannot be spoken: fail the job (default), or deliver it with a gap and a flag."
  ),
  sync: optional(
    SyncMode,
    "Compare the subtitle with the film's sound. check (default if there is a video) reports the result, auto also corrects the times if it is certain, and off compares nothing."
  ),
  shift: optional(
    Schema.Number.pipe(Schema.between(-36_000, 36_000)),
    "Seconds to add to every cue time, after rate; default 0."
  ),
  rate: optional(
    RateWritten,
    "Factor for every cue time, as a number or as the frame rates of subtitle/film, such as 25/23.976; default 1."
  ),
  fit: optional(FitSettings, "How far lines may be moved and sped up to fit."),
  text: optional(TextSettings, "Which parts of a cue's text are spoken."),
  lexicon: optional(Schema.Array(LexiconEntry), "How to pronounce words."),
  pauses: optional(PauseSettings, "Silences in a narration."),
  loudness: optional(
    LoudnessTarget,
    `Loudness of the result in LUFS (of its spoken lines, if there is a background); default ${jobDefaults.loudness}. ebu-r128 is -23, podcast is -16, none leaves it unchanged.`
  ),
  delivery: optional(
    Schema.NonEmptyTrimmedString,
    "The delivery profile that the files must meet: netflix-premix, netflix-nearfield, prime, ebu-r128, atsc-a85, youtube, podcast, or a file (YAML). off overrides a default."
  ),
  original: optional(
    Schema.Literal("keep", "drop", "duck"),
    "The video's own sound: keep it as an extra track (default), drop it, or duck it under the voice in the new track."
  ),
  separate: optional(
    Schema.Union(Schema.Literal("off"), SeparateSettings),
    "Make the background from the video's own sound with a program that takes the speech out. off overrides a default."
  ),
  duck: optional(DuckSettings, "How far and how gently the original sound is ducked, if original is duck."),
  audio: optional(AudioSettings, "Format of audio files: sample rate, bit depth, channels, bit rate."),
  tags: optional(TagSettings, "Metadata of audio files: title, artist, album, comment."),
  markSynthetic: optional(
    Schema.Boolean,
    "Say in the files' metadata and in provenance.json that the speech is synthetic; default true."
  ),
  chapters: optional(
    Schema.Array(ChapterEntry),
    "Chapters for audio files that support them (M4A, MP3, Opus); default: a narration's headings."
  ),
  into: optional(
    SharedVideo,
    "A shared video in the output folder, such as film.mkv. Each job that names it adds a sound track in its language and, if its outputs include srt or vtt, a subtitle."
  ),
  verify: optional(
    Schema.Boolean,
    "Analyze the delivered audio, and fail the job if a cue is not audible where the report puts it; default false."
  ),
  listen: optional(
    Schema.Union(Schema.Literal("off"), ListenSettings),
    "Use a speech recogniser (a program or a server) to check what clips say. off overrides a default."
  ),
  rewrite: optional(
    Schema.Union(Schema.Literal("off"), RewriteSettings),
    "Use a language model (a program or a server) to shorten lines that do not fit. off overrides a default."
  ),
  match: optional(
    Schema.Record({ key: Schema.NonEmptyString, value: Schema.NonEmptyString }),
    "Regular expressions for the names in input, such as episode: S\\d+E\\d+; default: any part of one path part."
  ),
  timeline: optional(
    TimelineSettings,
    "Frame rate and start of editors' timelines and of the clips' timecodes."
  ),
  encoding: optional(
    Schema.NonEmptyTrimmedString,
    "The input's character encoding; default: detected from its bytes. It overrides a byte order mark."
  ),
  start: optional(
    Schema.NonEmptyTrimmedString,
    "The script's timecode at which the film begins, such as 10:00:00:00; default: as the file says, or detected."
  ),
  frameRate: optional(
    FrameRateWritten,
    "Frame rate of a script that counts frames without stating it; default: 29.97 for SCC, else the video's, else 25 (23.976 for MicroDVD)."
  ),
  columns: optional(
    ColumnSettings,
    "The columns of a dialogue list (CSV, XLSX, DOCX), by header or letter; default: found by headers and contents."
  ),
  outputs: optional(Schema.NonEmptyArray(OutputName), `Files to produce; default ${usualOutputs.join(", ")}.`)
}

/** Values for keys that a job does not set. */
export const Defaults = Schema.Struct(jobFields)
export type Defaults = typeof Defaults.Type

/** One entry of `jobs`, with its language known. */
export const JobEntry = Schema.Struct({
  id: optional(
    JobId,
    "The job's name, also used for its files; default: the input's file name without its extension."
  ),
  input: described(
    path,
    "A subtitle or text file. A glob, or a pattern with names such as {episode}.{language}.srt, makes one job per file."
  ),
  video: optional(
    path,
    "The video to dub. The result is as long as the video. With names from input, such as video/{episode}.*, each job gets its own video."
  ),
  background: optional(
    BackgroundEntry,
    "Music and effects without dialogue, laid under the voices: a WAV file in mono, stereo or 5.1. With names from input, such as me/{episode}.wav, each job gets its own file."
  ),
  sheet: optional(
    path,
    "A cue sheet (CSV) that sets speakers, voices and controls by cue, or excludes cues."
  ),
  ...jobFields
})
export type JobEntry = typeof JobEntry.Type

/** One entry of `jobs` as written. */
export const WrittenJob = Schema.Struct({
  ...JobEntry.fields,
  language: optional(
    LanguageOfEntry,
    "The spoken language: a tag (en, pt-BR), a code (vie) or an English name; default: from the file name (film.vi.srt) or {language} in input."
  )
})
export type WrittenJob = typeof WrittenJob.Type

/** The whole manifest. */
export const Manifest = Schema.Struct({
  name: optional(Schema.NonEmptyTrimmedString, "The batch's name."),
  service: optional(
    ServiceSettings,
    "The speech service: embedded, or a base URL; default: DUBWRIGHT_BASE_URL, else embedded."
  ),
  providers: optional(
    Schema.Record({ key: ProviderId, value: ProviderLimits }),
    "Limits and prices by provider."
  ),
  cast: optional(
    Schema.Union(path, CastSettings),
    "Voices by speaker and language for all jobs, here or in a YAML file that manifests share. A job's speakers and voice override it."
  ),
  notify: optional(NotifySettings, "A program or URL to notify when a run ends."),
  defaults: optional(Defaults, "Values for keys that a job does not set."),
  jobs: described(Schema.NonEmptyArray(WrittenJob), "The jobs to run.")
}).annotations({ identifier: "Manifest", title: "dubwright manifest" })
export type Manifest = typeof Manifest.Type
