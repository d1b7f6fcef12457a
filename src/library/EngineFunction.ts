/** Engines written as plain functions. */
import { Effect, Either, Schema } from "effect"
import { millis, SampleRate } from "../domain/time/Units.ts"
import {
  type Engine,
  type EngineVoice,
  type Speech,
  SpeechFailed,
  type SpeechRequest,
  type WordMark
} from "../engines/Engine.ts"

/** When a word or sentence is heard, in milliseconds from the start of the audio. */
export interface SpokenWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Speech: 16-bit mono samples and their rate in Hz, or an audio file of any format that ffmpeg reads. */
export type SpokenAudio = (
  { readonly samples: Int16Array; readonly rate: number } | { readonly bytes: Uint8Array }
) & {
  /** When each word is heard, if known. */
  readonly words?: ReadonlyArray<SpokenWord>
  readonly sentences?: ReadonlyArray<SpokenWord>
}

/** A voice of an engine. */
export type PlainVoice = Pick<EngineVoice, "id"> & Partial<EngineVoice>

/** An engine as a plain object. */
export interface SpeechEngine {
  /** Also the id of its provider: letters, digits, dots, dashes, plus signs and underscores. */
  readonly name: string
  /** At least one. Languages are BCP 47 tags. */
  readonly voices: ReadonlyArray<PlainVoice>
  /** The controls that it obeys; default: none. */
  readonly controls?: Engine["controls"]
  /** Texts spoken at once; default 2. */
  readonly concurrency?: number
  /**
   * Speaks a text. An exception counts as a temporary failure: the text is tried three times. Throw a `SpeechFailed` to
   * give another reason. `signal` aborts when the result is no longer needed.
   */
  readonly speak: (request: SpeechRequest, signal: AbortSignal) => SpokenAudio | Promise<SpokenAudio>
}

/** Turns a plain object into an engine. */
export const engineOf = ({ name, voices, controls = [], speak }: SpeechEngine): Engine => {
  const failed = (reason: SpeechFailed["reason"], detail: string, cause?: unknown) =>
    new SpeechFailed({ engine: name, reason, detail, ...(cause === undefined ? {} : { cause }) })
  return {
    name,
    controls,
    voices: Effect.succeed(
      voices.map(({ id, name: title = id, languages = [], ...rest }) => ({
        id,
        name: title,
        languages,
        ...rest
      }))
    ),
    check: Effect.void,
    speak: (request) =>
      Effect.tryPromise({
        try: async (signal) => speak(request, signal),
        catch: (cause) =>
          cause instanceof SpeechFailed
            ? cause
            : failed("crashed", cause instanceof Error ? cause.message : String(cause), cause)
      }).pipe(
        Effect.flatMap((spoken): Effect.Effect<Speech, SpeechFailed> => {
          const marks = { words: marksOf(spoken.words), sentences: marksOf(spoken.sentences) }
          if ("bytes" in spoken) return Effect.succeed({ _tag: "Encoded", bytes: spoken.bytes, ...marks })
          return Either.match(Schema.decodeUnknownEither(SampleRate)(spoken.rate), {
            onLeft: () => failed("bad-output", `rate ${spoken.rate}: expected whole Hz from 8000 to 192000`),
            onRight: (rate) => Effect.succeed({ _tag: "Pcm", rate, samples: spoken.samples, ...marks })
          })
        })
      )
  }
}

const marksOf = (words: ReadonlyArray<SpokenWord> = []): ReadonlyArray<WordMark> =>
  words.map(({ text, start, end }) => ({ text, start: millis(start), end: millis(end) }))
