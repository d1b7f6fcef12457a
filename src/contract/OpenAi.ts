/** OpenAI's interface for speech: the body of `POST /v1/audio/speech`, and errors. */
import { Schema } from "effect"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Output formats, as OpenAI defines them. */
export const SpeechFormat = Schema.Literal("mp3", "opus", "aac", "flac", "wav", "pcm")
export type SpeechFormat = typeof SpeechFormat.Type

/** The body: https://platform.openai.com/docs/api-reference/audio/createSpeech. `instructions` are ignored. */
export const OpenAiSpeech = Schema.Struct({
  model: Schema.NonEmptyString,
  input: Schema.String,
  voice: Schema.Union(Schema.NonEmptyString, Schema.Struct({ id: Schema.NonEmptyString })),
  response_format: optional(SpeechFormat),
  speed: optional(Schema.Number.pipe(Schema.between(0.25, 4))),
  instructions: optional(Schema.String),
  stream_format: optional(Schema.Literal("audio", "sse"))
})
export type OpenAiSpeech = typeof OpenAiSpeech.Type

/** Media types as OpenAI sends them. */
export const mediaTypeOf: Readonly<Record<SpeechFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm"
}

/** An error response of OpenAI's interface: https://platform.openai.com/docs/guides/error-codes. */
export const OpenAiError = Schema.Struct({
  error: Schema.Struct({
    message: Schema.String,
    type: Schema.Literal("invalid_request_error", "insufficient_quota", "server_error"),
    param: Schema.NullOr(Schema.String),
    code: Schema.String
  })
})
