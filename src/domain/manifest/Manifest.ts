/**
 * The manifest as its author writes it, in YAML or JSON. The names are a promise: they are added to, never changed.
 * Paths are relative to the manifest. Times are seconds, as people write them.
 */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { JobId, ModelId, ProviderId, SpeakerName, VoiceId } from "../values/Ids.ts"
import { LanguageWritten } from "../values/LanguageName.ts"
import { OutputName, SharedVideo, TimelineSettings } from "./Outputs.ts"
import { FitSettings, LexiconEntry, PauseSettings, SpeakerSettings, TextSettings } from "./ScriptSettings.ts"
import { NotifySettings, ProviderLimits, ServiceSettings } from "./ServiceSettings.ts"
import { AudioSettings, ChapterEntry, DuckSettings, LoudnessTarget, TagSettings } from "./SoundSettings.ts"

const path = Schema.NonEmptyTrimmedString

const jobFields = {
  provider: optional(ProviderId, "Which provider speaks."),
  voice: optional(VoiceId, "The service's voice id, for whoever has none of their own."),
  model: optional(ModelId, "The provider's model; the provider's default where absent."),
  language: optional(
    LanguageWritten,
    "The language spoken: a tag such as en, vi or pt-BR, a code such as vie, or an English name."
  ),
  speed: optional(Schema.Positive, "Speaking rate, 1 is the voice's own; provider_native only."),
  vol: optional(Schema.Positive, "Volume, 1 is the voice's own; provider_native only."),
  pitch: optional(Schema.Number, "Pitch in semitones, 0 is the voice's own; provider_native only."),
  speakers: optional(
    Schema.Record({ key: SpeakerName, value: SpeakerSettings }),
    "A voice for each speaker that the script names."
  ),
  nativeInput: optional(
    Schema.Literal("srt", "text"),
    "provider_native: send subtitles as SRT (default) or merged to plain text of at least 100 characters."
  ),
  unit: optional(
    Schema.Literal("cue", "sentence"),
    "Speak cue by cue (default) or whole sentences over several cues. What goes as SRT is always spoken cue by cue."
  ),
  onFailure: optional(
    Schema.Literal("fail", "silence"),
    "When a cue cannot be spoken: the job fails (default), or is delivered with a gap and a flag."
  ),
  fit: optional(FitSettings, "How far lines may be moved and sped up."),
  text: optional(TextSettings, "What in a cue's text is spoken."),
  lexicon: optional(Schema.Array(LexiconEntry), "How words are to be said."),
  pauses: optional(PauseSettings, "Silences in a narration."),
  loudness: optional(
    LoudnessTarget,
    "LUFS of the result, default -16; ebu-r128 is -23, podcast -16, none leaves it."
  ),
  original: optional(
    Schema.Literal("keep", "drop", "duck"),
    "The video's own sound: kept as a further track (default), dropped, or ducked under the voice in the new track."
  ),
  duck: optional(DuckSettings, "How far and how gently the original is ducked, where original says duck."),
  audio: optional(AudioSettings, "How audio files are written: rate, depth, channels, bit rate."),
  tags: optional(TagSettings, "What audio files say of themselves: title, artist, album, comment."),
  chapters: optional(
    Schema.Array(ChapterEntry),
    "Chapters of audio files that can hold them (M4A, MP3, Opus); a narration's headings where absent."
  ),
  into: optional(
    SharedVideo,
    "A video in the output folder, such as film.mkv, that all jobs that name it go into: each a sound track and a subtitle in its language."
  ),
  verify: optional(
    Schema.Boolean,
    "Listen to what was delivered: the job fails where a cue is not heard where the report puts it; default false."
  ),
  timeline: optional(TimelineSettings, "How editors' timelines and the clips' timecodes count."),
  encoding: optional(
    Schema.NonEmptyTrimmedString,
    "The input's character encoding, where it is not told by its bytes."
  ),
  outputs: optional(Schema.NonEmptyArray(OutputName), "What is made; default wav and srt.")
}

/** What jobs take where they do not say themselves. */
export const Defaults = Schema.Struct(jobFields)
export type Defaults = typeof Defaults.Type

/** One job, as written. */
export const JobEntry = Schema.Struct({
  id: optional(JobId, "The job's name and its files'; the input's name without ending where absent."),
  input: described(path, "A subtitle or text file; a glob makes one job a file."),
  video: optional(path, "The video it belongs to: its length is the result's length."),
  sheet: optional(
    path,
    "A CSV beside the subtitle that names speakers, voices and controls by cue, or leaves cues out."
  ),
  ...jobFields
})
export type JobEntry = typeof JobEntry.Type

/** A manifest. */
export const Manifest = Schema.Struct({
  name: optional(Schema.NonEmptyTrimmedString, "The batch's name."),
  service: optional(ServiceSettings, "The service that speaks: embedded, or its base address."),
  providers: optional(
    Schema.Record({ key: ProviderId, value: ProviderLimits }),
    "Limits and prices of providers."
  ),
  notify: optional(NotifySettings, "Who is told when a run has ended."),
  defaults: optional(Defaults, "What every job takes where it does not say itself."),
  jobs: described(Schema.NonEmptyArray(JobEntry), "What is to be made.")
}).annotations({ identifier: "Manifest", title: "dubwright manifest" })
export type Manifest = typeof Manifest.Type
