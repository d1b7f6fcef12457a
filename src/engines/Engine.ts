/**
 * What a speech engine is: text in, PCM or an audio file out, with the times at which each word and sentence is heard.
 */
import { type Effect, Schema } from "effect"
import type { Millis, SampleRate } from "../domain/time/Units.ts"

/** A voice of an engine. */
export interface EngineVoice {
  /** What a request names; unique in its engine. */
  readonly id: string
  /** What people read in a list. */
  readonly name: string
  /** BCP 47 tags it speaks, the first its own; empty where the engine does not say. */
  readonly languages: ReadonlyArray<string>
  readonly gender?: "female" | "male"
}

/** What is to be said, and how. */
export interface SpeechRequest {
  /** Plain text: markup in it is words, not commands. */
  readonly text: string
  /** The id of one of the engine's voices. */
  readonly voice: string
  /** The text's language as a BCP 47 tag; without it, the voice's own. */
  readonly language?: string
  /** Speaking rate; 1 is the voice's own. An engine keeps to its own limits where it has narrower ones. */
  readonly rate: number
  /** Volume; 1 is the voice's own. Samples are limited to full scale. */
  readonly volume: number
  /** Pitch shift in semitones; 0 is the voice's own. */
  readonly pitch: number
}

/** When a word or a sentence is heard, in milliseconds from the start of the audio; `end` is never before `start`. */
export interface WordMark {
  /** As the request's text writes it. */
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/** The engine's own times; empty where it gives none. Marks stand in the text's order and do not overlap. */
export interface WordTiming {
  readonly words: ReadonlyArray<WordMark>
  readonly sentences: ReadonlyArray<WordMark>
}

/** Speech as 16-bit mono PCM. */
export interface PcmSpeech extends WordTiming {
  readonly _tag: "Pcm"
  readonly rate: SampleRate
  readonly samples: Int16Array
}

/** Speech as a whole audio file of a format that the bytes tell. */
export interface EncodedSpeech extends WordTiming {
  readonly _tag: "Encoded"
  readonly bytes: Uint8Array
}

export type Speech = PcmSpeech | EncodedSpeech

/**
 * The engine cannot work now: not installed, not reachable, its workers dead, its key refused. Another request would
 * fare the same.
 */
export class EngineUnavailable extends Schema.TaggedError<EngineUnavailable>()("EngineUnavailable", {
  engine: Schema.String,
  /** What is wrong, and how to mend it. */
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `engine ${this.engine} is unavailable: ${this.detail}`
  }
}

/**
 * Why a request came to nothing. The first four lie in the request and come again however often it is tried; the others
 * may pass: a server that is busy, a program that crashed, an answer that is no audio.
 */
const SpeechFailure = Schema.Literal(
  "nothing-to-say",
  "unknown-voice",
  "too-long",
  "refused",
  "timeout",
  "crashed",
  "bad-output",
  "busy"
)
export type SpeechFailure = typeof SpeechFailure.Type

/** This request could not be spoken; the engine itself goes on. */
export class SpeechFailed extends Schema.TaggedError<SpeechFailed>()("SpeechFailed", {
  engine: Schema.String,
  reason: SpeechFailure,
  /** Seconds for which a server that is busy asks not to be tried again. */
  retryAfter: Schema.optional(Schema.Number),
  /** The value at fault and what was expected; never the text that was to be spoken. */
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `engine ${this.engine}: ${this.detail}`
  }
}

/** A speech engine. */
export interface Engine {
  /** The engine's kind or its name in the settings; it stands in errors. */
  readonly name: string
  /** The controls of a request that it heeds; the others are left as if they were normal. */
  readonly controls: ReadonlyArray<"rate" | "volume" | "pitch">
  /** Every voice that a request may name. */
  readonly voices: Effect.Effect<ReadonlyArray<EngineVoice>, EngineUnavailable>
  /** Speaks a text. Interrupting it frees whatever it holds. */
  readonly speak: (request: SpeechRequest) => Effect.Effect<Speech, EngineUnavailable | SpeechFailed>
  /** Succeeds if the engine can work now. */
  readonly check: Effect.Effect<void, EngineUnavailable>
}
