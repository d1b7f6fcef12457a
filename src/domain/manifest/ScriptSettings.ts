/** How a script is said and fitted: the parts of a manifest that are about voices, words and times. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"

/** Speed limits and tolerances of placement. */
export const FitSettings = Schema.Struct({
  maxSpeed: optional(
    Schema.Number.pipe(Schema.between(1, 3)),
    "Speed up to which a line is sped up to fit; default 1.3."
  ),
  hardMaxSpeed: optional(
    Schema.Number.pipe(Schema.between(1, 3)),
    "Speed that is never passed, maxSpeed or more; default 1.6, or maxSpeed where that is more."
  ),
  early: optional(
    Schema.Number.pipe(Schema.between(0, 10)),
    "Seconds a line may start before its cue; default 0.3."
  ),
  late: optional(
    Schema.Number.pipe(Schema.between(0, 10)),
    "Seconds a line may run past its cue's end; default 0.5."
  ),
  retake: optional(
    Schema.Boolean,
    "Speak lines that do not fit again, faster, where the provider has a speed control."
  )
})
export type FitSettings = typeof FitSettings.Type

/** A speaker's voice; whatever is absent comes from the job. */
export const SpeakerSettings = Schema.Struct({
  voice: optional(VoiceId, "The service's voice id."),
  provider: optional(ProviderId, "The provider of that voice."),
  model: optional(ModelId, "The provider's model."),
  speed: optional(Schema.Positive, "Speaking rate, 1 is the voice's own; provider_native only."),
  vol: optional(Schema.Positive, "Volume, 1 is the voice's own; provider_native only."),
  pitch: optional(Schema.Number, "Pitch in semitones, 0 is the voice's own; provider_native only."),
  pan: optional(
    Schema.Number.pipe(Schema.between(-1, 1)),
    "Place in a stereo mix, -1 left to 1 right; default 0."
  )
})
export type SpeakerSettings = typeof SpeakerSettings.Type

/** A lexicon entry: how a word or a pattern is to be said. */
export const LexiconEntry = Schema.Struct({
  word: optional(Schema.NonEmptyString, "A whole word or phrase, as written."),
  pattern: optional(Schema.NonEmptyString, "A regular expression (JavaScript, Unicode) instead of a word."),
  say: described(Schema.String, "What is said instead; $1 and so on stand for a pattern's groups.")
})
export type LexiconEntry = typeof LexiconEntry.Type

/** Which styles of an ASS file are spoken. */
export const StyleSettings = Schema.Struct({
  only: optional(Schema.Array(Schema.NonEmptyString), "Speak only events in these styles."),
  skip: optional(Schema.Array(Schema.NonEmptyString), "Leave out events in these styles.")
})
export type StyleSettings = typeof StyleSettings.Type

/** What in a cue's text is spoken. */
export const TextSettings = Schema.Struct({
  soundEffects: optional(
    Schema.Literal("skip", "speak"),
    "Notes such as [door slams] or (laughs); default skip."
  ),
  music: optional(Schema.Literal("skip", "speak"), "Lyrics and music between notes; default skip."),
  speakerLabels: optional(
    Schema.Literal("use", "drop", "speak"),
    "Labels such as ANNA: or [ANNA]: whether they name the speaker (default), are dropped, or are read out."
  ),
  stickySpeakers: optional(
    Schema.Boolean,
    "A cue that names no speaker goes on with the one before; default false."
  ),
  rolling: optional(
    Schema.Literal("join", "keep"),
    "Rolling captions, which repeat the line before: say each line once (default), or as they stand."
  ),
  bilingual: optional(
    Schema.Literal("all", "first", "second"),
    "Subtitles in two languages, on two lines or in two ASS styles: which is spoken; default all."
  ),
  styles: optional(StyleSettings, "Which styles of an ASS file are spoken; default all.")
})
export type TextSettings = typeof TextSettings.Type

/** Silences between the parts of a narration, in seconds. */
export const PauseSettings = Schema.Struct({
  sentence: optional(
    Schema.Number.pipe(Schema.between(0, 30)),
    "Between sentences spoken apart; default 0.35."
  ),
  paragraph: optional(Schema.Number.pipe(Schema.between(0, 30)), "Between paragraphs; default 0.8."),
  heading: optional(Schema.Number.pipe(Schema.between(0, 30)), "Around a heading; default 1.2.")
})
export type PauseSettings = typeof PauseSettings.Type

/** What a manifest says under `bilingual`. */
export type BilingualChoice = Exclude<TextSettings["bilingual"], undefined>
