/** What the engines' threads are asked and what they answer: plain data, checked on arrival at both ends. */
import { Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"

/** The engines that run in a thread. */
export const ThreadEngine = Schema.Literal("espeak", "flite")
export type ThreadEngine = typeof ThreadEngine.Type

/** What a thread is started with. */
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
  /** 1 is the voice's own. */
  rate: Schema.Positive,
  /** Semitones; 0 is the voice's own. */
  pitch: Schema.Number,
  pieces: Schema.Array(Piece)
})
export type SentenceJob = typeof SentenceJob.Type

/** A question for every voice that the engine has. */
const VoicesJob = Schema.TaggedStruct("Voices", {})

export const EngineJob = Schema.Union(SentenceJob, VoicesJob)
export type EngineJob = typeof EngineJob.Type

/** A job as it is posted, with a number that its answer repeats. */
export const JobMessage = Schema.Struct({ id: Schema.NonNegativeInt, job: EngineJob })

/** When a piece is heard, in milliseconds from the start of the samples. */
export const Span = Schema.Struct({ start: Schema.NonNegative, end: Schema.NonNegative })
export type Span = typeof Span.Type

const Samples = Schema.declare((value): value is Int16Array => value instanceof Int16Array)

/** A sentence, spoken; one span a piece, null where the engine told no time of it. */
export const SpokenSentence = Schema.TaggedStruct("Spoken", {
  rate: SampleRate,
  samples: Samples,
  spans: Schema.Array(Schema.NullOr(Span))
})
export type SpokenSentence = typeof SpokenSentence.Type

/** Every voice of the engine, and the variants that each of them can take. */
export const VoiceList = Schema.TaggedStruct("VoiceList", {
  voices: Schema.Array(
    Schema.Struct({ id: Schema.NonEmptyString, name: Schema.String, languages: Schema.Array(Schema.String) })
  ),
  variants: Schema.Array(Schema.String)
})
export type VoiceList = typeof VoiceList.Type

/** The thread is still well, but this job came to nothing. */
const Refused = Schema.TaggedStruct("Refused", { detail: Schema.String })

export const EngineAnswer = Schema.Union(SpokenSentence, VoiceList, Refused)
export type EngineAnswer = typeof EngineAnswer.Type

/** An answer as it is posted. */
export const AnswerMessage = Schema.Struct({ id: Schema.NonNegativeInt, answer: EngineAnswer })

/** The first message of a thread: it can work, or why it cannot. */
export const Greeting = Schema.Union(
  Schema.TaggedStruct("Ready", {}),
  Schema.TaggedStruct("Unable", { detail: Schema.String })
)

/** What an engine is inside its thread. It blocks the thread while it speaks. */
export interface Synthesizer {
  readonly speak: (job: SentenceJob) => Omit<SpokenSentence, "_tag">
  readonly voices: () => Omit<VoiceList, "_tag">
}

/** A job that an engine does not take; the engine itself is well. Whatever else it throws ends its thread. */
export class JobRefused extends Error {}
