/** Messages between the main thread and the engine threads: plain data, validated on arrival at both ends. */
import { Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"

/** The engines that run in a thread. */
export const ThreadEngine = Schema.Literal("espeak", "flite")
export type ThreadEngine = typeof ThreadEngine.Type

/** Start parameters of a thread. */
export const ThreadSettings = Schema.Struct({
  engine: ThreadEngine,
  /** Whether the thread gives way to others. */
  givesWay: Schema.Boolean
})
export type ThreadSettings = typeof ThreadSettings.Type

/** A word, or a run of characters where a script has no spaces. */
export const Piece = Schema.Struct({
  text: Schema.NonEmptyString,
  /** Whether it is an English word in a text of another language. */
  english: Schema.Boolean
})
export type Piece = typeof Piece.Type

/** One sentence, or a part of a long one, to speak. */
export const SentenceJob = Schema.TaggedStruct("Sentence", {
  voice: Schema.NonEmptyString,
  /** 1 is the voice's default. */
  rate: Schema.Positive,
  /** Semitones; 0 is the voice's default. */
  pitch: Schema.Number,
  pieces: Schema.Array(Piece)
})
export type SentenceJob = typeof SentenceJob.Type

/** A request for the list of the engine's voices. */
const VoicesJob = Schema.TaggedStruct("Voices", {})

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array
const isSamples = (value: unknown): value is Float32Array | Int16Array =>
  value instanceof Float32Array || value instanceof Int16Array

/** A request to find the pieces of a text in another voice's speech of that text. */
export const AlignJob = Schema.TaggedStruct("Align", {
  /** The engine's voice whose speech is compared with the clip. */
  voice: Schema.NonEmptyString,
  /** The text, in parts that the engine can speak. */
  parts: Schema.Array(Schema.Array(Piece)),
  /** A WAV file's bytes, or samples of any scale. */
  sound: Schema.Union(
    Schema.declare(isBytes),
    Schema.Struct({ rate: Schema.Positive, samples: Schema.declare(isSamples) })
  ),
  /** Whether to compare the clip with another text, too, which takes longer. */
  compare: Schema.Boolean
})
export type AlignJob = typeof AlignJob.Type

export const EngineJob = Schema.Union(SentenceJob, VoicesJob, AlignJob)
export type EngineJob = typeof EngineJob.Type

/** The time of a piece, in milliseconds from the start of the samples. */
export const Span = Schema.Struct({ start: Schema.NonNegative, end: Schema.NonNegative })
export type Span = typeof Span.Type

const Samples = Schema.declare((value): value is Int16Array => value instanceof Int16Array)

/** A spoken sentence. One span per piece; null if the engine reported no time for it. */
export const SpokenSentence = Schema.TaggedStruct("Spoken", {
  rate: SampleRate,
  samples: Samples,
  spans: Schema.Array(Schema.NullOr(Span))
})
export type SpokenSentence = typeof SpokenSentence.Type

/** The times of a text's pieces in a clip, and how well the clip fits the text. */
export const AlignedSpeech = Schema.TaggedStruct("Aligned", {
  /** One span per piece of each part, in milliseconds from the start of the clip; null for a part without sound. */
  spans: Schema.Array(Schema.Array(Schema.NullOr(Span))),
  /** Mean distance of the clip from the engine's speech. */
  distance: Schema.NonNegative,
  /** Length of the clip's speech divided by that of the engine's voice, without pauses. */
  ratio: Schema.NonNegative,
  /** The longest stretch of the engine's speech without counterpart in the clip, in seconds, and the opposite. */
  skipped: Schema.NonNegative,
  added: Schema.NonNegative,
  /** Distance from the text relative to that from another text; below 1 if the clip is nearer to its text. */
  strangeness: Schema.NullOr(Schema.NonNegative)
})
export type AlignedSpeech = typeof AlignedSpeech.Type

/** Every voice of the engine, and the variants available for each of them. */
export const VoiceList = Schema.TaggedStruct("VoiceList", {
  voices: Schema.Array(
    Schema.Struct({ id: Schema.NonEmptyString, name: Schema.String, languages: Schema.Array(Schema.String) })
  ),
  variants: Schema.Array(Schema.String)
})
export type VoiceList = typeof VoiceList.Type

/** The job failed, but the thread still works. */
const Refused = Schema.TaggedStruct("Refused", { detail: Schema.String })

export const EngineAnswer = Schema.Union(SpokenSentence, AlignedSpeech, VoiceList, Refused)
export type EngineAnswer = typeof EngineAnswer.Type

/** The response to the first request, "open": ready, or why the engine cannot start. */
export const Greeting = Schema.Union(
  Schema.TaggedStruct("Ready", {}),
  Schema.TaggedStruct("Unable", { detail: Schema.String })
)
export type Greeting = typeof Greeting.Type

/** An engine inside its thread. It blocks the thread while it speaks. */
export interface Synthesizer {
  readonly speak: (job: SentenceJob) => Omit<SpokenSentence, "_tag">
  readonly voices: () => Omit<VoiceList, "_tag">
}

/** An engine rejects a job but still works. Any other error that it throws ends its thread. */
export class JobRefused extends Error {}
