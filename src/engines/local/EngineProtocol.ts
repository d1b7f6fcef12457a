/** Messages between the main thread and the engine threads: plain data, validated on arrival at both ends. */
import { Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"

/** The engines that run in a thread. */
export const ThreadEngine = Schema.Literal("espeak", "flite")
export type ThreadEngine = typeof ThreadEngine.Type

/** Start parameters of a thread. */
export const ThreadSettings = Schema.Struct({ engine: ThreadEngine })

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

export const EngineJob = Schema.Union(SentenceJob, VoicesJob)
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

export const EngineAnswer = Schema.Union(SpokenSentence, VoiceList, Refused)
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
