/** Manifest settings for voices, spoken words and fitting: `fit`, `speakers`, `lexicon`, `text`, `pauses`. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"

/** What keys of `fit` are if a job does not set them. */
export const fitDefaults = { maxSpeed: 1.3, hardMaxSpeed: 1.6, minSpeed: 0.9, early: 0.3, late: 0.5 } as const
export const pictureDefaults = { picture: "keep", maxHold: 2, minPictureSpeed: 0.8 } as const

/** Speed limits and timing tolerances of placement. */
export const FitSettings = Schema.Struct({
  maxSpeed: optional(
    Schema.Number.pipe(Schema.between(1, 3)),
    `Speed up lines to at most this factor to fit; default ${fitDefaults.maxSpeed}, or hardMaxSpeed if that is lower.`
  ),
  hardMaxSpeed: optional(
    Schema.Number.pipe(Schema.between(1, 3)),
    `Absolute speed limit, at least maxSpeed; default ${fitDefaults.hardMaxSpeed}, or maxSpeed if that is higher.`
  ),
  minSpeed: optional(
    Schema.Number.pipe(Schema.between(0.85, 1)),
    `Slow down lines that are shorter than their cues to at least this factor; default ${fitDefaults.minSpeed}; 1 slows none.`
  ),
  early: optional(
    Schema.Number.pipe(Schema.between(0, 10)),
    `How many seconds a line may start before its cue; default ${fitDefaults.early}.`
  ),
  late: optional(
    Schema.Number.pipe(Schema.between(0, 10)),
    `How many seconds a line may run past its cue's end, up to twice as many before a long pause; default ${fitDefaults.late}.`
  ),
  follow: optional(
    Schema.Literal("cue", "speech"),
    "Where lines should start: at their cues (cue, the default), or where speech begins near them in the film's sound (speech). Needs a video, and sync."
  ),
  picture: optional(
    Schema.Literal("keep", "hold", "slow"),
    "If a line does not fit otherwise: keep the picture unchanged (default), hold the cue's last frame, or slow the picture during the cue. Needs a video, and a video output."
  ),
  maxHold: optional(
    Schema.Number.pipe(Schema.between(0.1, 30)),
    `Maximum seconds that fit.picture adds for one cue; default ${pictureDefaults.maxHold}.`
  ),
  minPictureSpeed: optional(
    Schema.Number.pipe(Schema.between(0.5, 0.95)),
    `Lowest speed of the picture with picture: slow; default ${pictureDefaults.minPictureSpeed}.`
  ),
  retake: optional(
    Schema.Boolean,
    "Request a second, faster take of lines that do not fit, if the provider has a speed control; default false."
  )
})
export type FitSettings = typeof FitSettings.Type

/** The controls of a voice. */
export const controlFields = {
  speed: optional(
    Schema.Positive,
    "Speaking rate; 1 is the voice's normal rate. Only for providers with this control."
  ),
  vol: optional(
    Schema.Positive,
    "Volume; 1 is the voice's normal volume. Only for providers with this control."
  ),
  pitch: optional(
    Schema.Number,
    "Pitch shift in semitones; 0 is the voice's normal pitch. Only for providers with this control."
  )
}

/** A speaker's voice and controls. Absent keys come from the job. */
export const SpeakerSettings = Schema.Struct({
  voice: optional(VoiceId, "The service's voice id."),
  provider: optional(ProviderId, "The provider of that voice."),
  model: optional(ModelId, "The provider's model."),
  ...controlFields,
  pan: optional(
    Schema.Number.pipe(Schema.between(-1, 1)),
    "Position in a stereo mix, from -1 (left) to 1 (right); default 0."
  )
})
export type SpeakerSettings = typeof SpeakerSettings.Type

/** A lexicon entry: how to pronounce a word or a pattern. */
export const LexiconEntry = Schema.Struct({
  word: optional(Schema.NonEmptyString, "A whole word or phrase, as written."),
  pattern: optional(Schema.NonEmptyString, "A regular expression (JavaScript, Unicode), instead of word."),
  say: described(Schema.String, "The words to say instead; $1, $2 and so on insert the pattern's groups.")
})
export type LexiconEntry = typeof LexiconEntry.Type

/** Which styles of an ASS file are spoken. */
export const StyleSettings = Schema.Struct({
  only: optional(Schema.Array(Schema.NonEmptyString), "Speak only events in these styles."),
  skip: optional(Schema.Array(Schema.NonEmptyString), "Leave out events in these styles.")
})
export type StyleSettings = typeof StyleSettings.Type

/** Which parts of a cue's text are spoken. */
export const TextSettings = Schema.Struct({
  soundEffects: optional(
    Schema.Literal("skip", "speak"),
    "Sound descriptions such as [door slams] or (laughs); default skip."
  ),
  music: optional(Schema.Literal("skip", "speak"), "Song lyrics and music between note signs; default skip."),
  speakerLabels: optional(
    Schema.Literal("use", "drop", "speak"),
    "Labels such as ANNA: or [ANNA]: use them as the speaker's name (default), drop them, or speak them."
  ),
  stickySpeakers: optional(
    Schema.Boolean,
    "A cue without a speaker keeps the previous cue's speaker; default false."
  ),
  styleSpeakers: optional(
    Schema.Boolean,
    "An ASS event without a name has its style as its speaker; default false."
  ),
  rolling: optional(
    Schema.Literal("join", "keep"),
    "Roll-up captions, which repeat the previous line: speak each line once (default), or keep them unchanged."
  ),
  bilingual: optional(
    Schema.Literal("all", "first", "second"),
    "Subtitles in two languages, on two lines or in two ASS styles: which to speak; default all."
  ),
  styles: optional(StyleSettings, "Which styles of an ASS file are spoken; default all.")
})
export type TextSettings = typeof TextSettings.Type

/** The columns of a dialogue list, by header or by letter. */
export const ColumnSettings = Schema.Struct({
  start: optional(Schema.NonEmptyTrimmedString, "When a line starts."),
  end: optional(Schema.NonEmptyTrimmedString, "When a line ends."),
  duration: optional(Schema.NonEmptyTrimmedString, "How long a line lasts, if there is no end."),
  speaker: optional(Schema.NonEmptyTrimmedString, "Who speaks."),
  text: optional(Schema.NonEmptyTrimmedString, "The words to speak.")
})
export type ColumnSettings = typeof ColumnSettings.Type

/** Silences between the parts of a narration, in seconds. */
export const PauseSettings = Schema.Struct({
  sentence: optional(
    Schema.Number.pipe(Schema.between(0, 30)),
    "Between sentences that are spoken separately; default 0.35."
  ),
  paragraph: optional(Schema.Number.pipe(Schema.between(0, 30)), "Between paragraphs; default 0.8."),
  heading: optional(Schema.Number.pipe(Schema.between(0, 30)), "Before and after a heading; default 1.2.")
})
export type PauseSettings = typeof PauseSettings.Type

/** The values of `bilingual`. */
export type BilingualChoice = Exclude<TextSettings["bilingual"], undefined>
