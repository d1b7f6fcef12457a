/** The interface of speech engines: text in, PCM or an audio file out, with the timings of words and sentences. */
import { type Effect, Schema } from "effect"
import type { Millis, SampleRate } from "../domain/time/Units.ts"

/** A voice of an engine. */
export interface EngineVoice {
  /** The id that requests use; unique in its engine. */
  readonly id: string
  /** Display name. */
  readonly name: string
  /** Languages it speaks (BCP 47), its main one first; empty if unknown. */
  readonly languages: ReadonlyArray<string>
  readonly gender?: "female" | "male"
}

/** A text to speak, with voice and controls. */
export interface SpeechRequest {
  /** Plain text: markup in it is spoken as words, not interpreted. */
  readonly text: string
  /** The id of one of the engine's voices. */
  readonly voice: string
  /** The text's language (BCP 47); default: the voice's. */
  readonly language?: string
  /** Speaking rate; 1 is the voice's default. Clamped to the engine's limits. */
  readonly rate: number
  /** Volume; 1 is the voice's default. Samples are limited to full scale. */
  readonly volume: number
  /** Pitch shift in semitones; 0 is the voice's default. */
  readonly pitch: number
  /** How to say the text, such as `whispers`. Engines follow it as far as they can. */
  readonly tone?: string
  /**
   * The texts that the same voice says immediately before and after, if known. They shape the intonation and are not
   * spoken.
   */
  readonly before?: string
  readonly after?: string
}

/** The time of a word or sentence, in milliseconds from the start of the audio. `end` is never before `start`. */
export interface WordMark {
  /** As written in the request's text. */
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/** The engine's timings; empty if it reports none. Marks are in the text's order and do not overlap. */
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

/** Speech as a complete audio file; its format is detected from its bytes. */
export interface EncodedSpeech extends WordTiming {
  readonly _tag: "Encoded"
  readonly bytes: Uint8Array
}

export type Speech = PcmSpeech | EncodedSpeech

/** The engine is unavailable, for example not installed, unreachable or without a valid key. Any request would fail. */
export class EngineUnavailable extends Schema.TaggedError<EngineUnavailable>()("EngineUnavailable", {
  engine: Schema.String,
  /** The fault and how to fix it. */
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `engine ${this.engine} is unavailable: ${this.detail}`
  }
}

/**
 * Why a request failed. The first four reasons are faults of the request: a retry fails again. `quota` is an exhausted
 * account. The others may be temporary, such as a busy server, a crashed program or a response without audio.
 */
const SpeechFailure = Schema.Literal(
  "nothing-to-say",
  "unknown-voice",
  "too-long",
  "refused",
  "quota",
  "timeout",
  "crashed",
  "bad-output",
  "busy"
)

/** Reasons that may pass: a retry, or another engine, may succeed. */
export const passingReasons: ReadonlySet<SpeechFailed["reason"]> = new Set([
  "timeout",
  "crashed",
  "bad-output",
  "busy"
])

/** One request failed; the engine still works. */
export class SpeechFailed extends Schema.TaggedError<SpeechFailed>()("SpeechFailed", {
  engine: Schema.String,
  reason: SpeechFailure,
  /** Seconds to wait before a retry, as a busy server requests. */
  retryAfter: Schema.optional(Schema.Number),
  /** The invalid and the expected value; never the text to speak. */
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `engine ${this.engine}: ${this.detail}`
  }
}

/** Defaults for a provider that uses the engine. */
export interface EngineDefaults {
  /** The one model to offer: those of a built-in provider describe its own engine. */
  readonly model: string
  readonly creditsPerCharacter?: number
  /** Maximum code points of a text that the engine takes in any language. */
  readonly maxCharacters?: number
}

/** A speech engine. */
export interface Engine {
  /** The engine's kind or its name in the settings, for errors. */
  readonly name: string
  /** The controls that it supports; it ignores the others. */
  readonly controls: ReadonlyArray<"rate" | "volume" | "pitch">
  /**
   * Whether it takes tones apart from the text. Other engines get a text with brackets, such as `[whispers]`,
   * unchanged.
   */
  readonly takesTone?: boolean
  /** All voices that a request may use. */
  readonly voices: Effect.Effect<ReadonlyArray<EngineVoice>, EngineUnavailable>
  /** Speaks a text. Interruption releases its resources. */
  readonly speak: (request: SpeechRequest) => Effect.Effect<Speech, EngineUnavailable | SpeechFailed>
  /** Succeeds if the engine is available. */
  readonly check: Effect.Effect<void, EngineUnavailable>
  /**
   * How long `check` may take, in seconds; default 10. More for an engine that runs on this machine: on a busy one, it
   * may be slow to start, but is available.
   */
  readonly checkWithin?: number
  readonly defaults?: EngineDefaults
}
