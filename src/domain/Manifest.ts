/**
 * The manifest as its author writes it, in YAML or JSON. The names are a promise: they are added to, never changed.
 * Paths are relative to the manifest. Times are seconds, as people write them.
 */
import { Predicate, Schema } from "effect"
import { FrameRateName } from "./FrameRate.ts"
import { JobId, LanguageTag, ModelId, ProviderId, SpeakerName, VoiceId } from "./Ids.ts"

// Descriptions belong to the property, not to its type, whose own words are what an error says was expected.
const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

const optional = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const path = Schema.NonEmptyTrimmedString

/** Limits and prices of a provider, each overriding the built-in profile. */
export const ProviderSettings = Schema.Struct({
  concurrency: optional(Schema.Int.pipe(Schema.between(1, 1_000)), "Tasks in flight at once."),
  perSecond: optional(Schema.Positive, "Tasks started in any one second, at most."),
  maxChars: optional(Schema.Int.pipe(Schema.between(1, 1_000_000)), "The most characters of one task."),
  creditsPerCharacter: optional(Schema.NonNegative, "What one character costs, for estimates and budgets.")
})

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
    "Cues with two languages on two lines: which is spoken; default all."
  )
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
    "Seconds in which it fades down, ahead of the voice, and up again; default 0.3."
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

/** A video that several jobs go into. */
export const SharedVideo = Schema.NonEmptyTrimmedString.pipe(
  Schema.pattern(/^[^/\\.][^/\\]*\.(?:mp4|mov|mkv|webm)$/u)
).annotations({
  message: (issue) => ({
    message: `expected a file name that ends in .mp4, .mov, .mkv or .webm, found ${JSON.stringify(issue.actual)}`,
    override: true
  })
})

/** Editors' timelines: OpenTimelineIO, Final Cut Pro X, Final Cut 7 (Premiere, Resolve), CMX 3600, Audacity, and a table. */
export const timelineNames = ["otio", "fcpxml", "xml", "edl", "labels", "csv"] as const
export type TimelineName = (typeof timelineNames)[number]

/** How timelines and timecodes count. */
export const TimelineSettings = Schema.Struct({
  frameRate: optional(
    FrameRateName,
    "Pictures a second, df for drop-frame timecode; the video's own, else 25."
  ),
  start: optional(
    Schema.NonEmptyTrimmedString,
    "Timecode of the first picture, such as 01:00:00:00; default 00:00:00:00."
  )
})
export type TimelineSettings = typeof TimelineSettings.Type

/** A job's sound as a file, the most exact first. */
export const soundNames = ["wav", "flac", "m4a", "mp3", "opus"] as const
export type SoundName = (typeof soundNames)[number]

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

const jobFields = {
  provider: optional(ProviderId, "Which provider speaks."),
  voice: optional(VoiceId, "The service's voice id, for whoever has none of their own."),
  model: optional(ModelId, "The provider's model; the provider's default where absent."),
  language: optional(LanguageTag, "The language spoken, as a tag such as en, vi or pt-BR."),
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

/** Who is told when a run has ended: a program, an address, or both. */
export const NotifySettings = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, started in the manifest's folder with run.json on its standard input; no shell is between."
  ),
  webhook: optional(
    Schema.String.pipe(
      Schema.pattern(/^(?:https?:\/\/\S+|\$[A-Za-z_][A-Za-z0-9_]*)$/u, {
        message: () => "expected an http or https address, or $NAME of a variable that holds it"
      })
    ),
    "An address to which run.json is posted; $NAME takes it from the environment, where addresses that are secrets belong."
  )
})
export type NotifySettings = typeof NotifySettings.Type

/** What is done about a create whose answer was lost, at a service that does not repeat labels. */
export const Undecided = Schema.Literal("match", "report", "again")
export type Undecided = typeof Undecided.Type

/** An address of the web, as far as its spelling tells. */
const httpAddress = /^https?:\/\/[^\s/]\S*$/iu

const serviceExpected = (found: unknown): string =>
  Predicate.isRecord(found) && typeof found["baseUrl"] === "string" && "undecided" in found
    ? `expected undecided to be one of ${Undecided.literals.join(", ")}, found ${JSON.stringify(found["undecided"])}`
    : Predicate.isRecord(found) && typeof found["baseUrl"] === "string" && !httpAddress.test(found["baseUrl"])
      ? `expected baseUrl to be an http or https address such as https://tts.example, found ${JSON.stringify(found["baseUrl"])}`
      : `expected embedded, or baseUrl with the service's address, found ${JSON.stringify(found)}`

/** A manifest. */
export const Manifest = Schema.Struct({
  name: optional(Schema.NonEmptyTrimmedString, "The batch's name."),
  service: optional(
    Schema.Union(
      Schema.Literal("embedded"),
      Schema.Struct({
        baseUrl: described(Schema.String.pipe(Schema.pattern(httpAddress)), "The service's base address."),
        undecided: optional(
          Undecided,
          "A create whose answer was lost, at a service that does not repeat voice_name: match takes the one task of the history that can only be it and fails the line where that is not certain (default), report fails it always, again creates it once more and may pay twice."
        )
      })
    ).annotations({
      message: ({ actual }) => ({ message: serviceExpected(actual), override: true })
    }),
    "The service that speaks: embedded, or its base address."
  ),
  providers: optional(
    Schema.Record({ key: ProviderId, value: ProviderSettings }),
    "Limits and prices of providers."
  ),
  notify: optional(NotifySettings, "Who is told when a run has ended."),
  defaults: optional(Defaults, "What every job takes where it does not say itself."),
  jobs: described(Schema.NonEmptyArray(JobEntry), "What is to be made.")
}).annotations({ identifier: "Manifest", title: "dubwright manifest" })
export type Manifest = typeof Manifest.Type
