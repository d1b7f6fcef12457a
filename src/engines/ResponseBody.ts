/** Reads HTTP responses for engines: a whole body with a size limit, and the message and wait time of an error. */
import type { HttpClientResponse } from "@effect/platform"
import { Effect, Option, Schema, Stream } from "effect"
import { retryAfterIn } from "../contract/RetryAfter.ts"
import { SpeechFailed } from "./Engine.ts"

/** Reads the whole body; fails if it exceeds `maxBytes`. */
export const boundedBody = (
  engine: string,
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<Uint8Array, SpeechFailed> =>
  Effect.suspend(() => {
    const blocks: Array<Uint8Array> = []
    let size = 0
    const bad = (detail: string) => new SpeechFailed({ engine, reason: "bad-output", detail })
    return Stream.runForEach(response.stream, (block) => {
      size += block.length
      if (size > maxBytes) return Effect.fail(bad(`the server sent more than ${maxBytes} bytes`))
      blocks.push(block)
      return Effect.void
    }).pipe(
      Effect.mapError((cause) =>
        cause._tag === "SpeechFailed" ? cause : bad(`the server's response was cut off: ${cause.message}`)
      ),
      Effect.map(() => new Uint8Array(Buffer.concat(blocks)))
    )
  })

/** Maximum Retry-After that is respected, in seconds. */
const maxWait = 300

/** Returns the seconds to wait from a Retry-After header (seconds or a date); undefined if it has none. */
export const waitIn = (header: string | undefined, now: number): number | undefined => {
  const wait = header === undefined ? NaN : retryAfterIn(header, now)
  return wait > 0 ? Math.min(wait, maxWait) : undefined
}

/** Whether a response that should be audio is JSON. */
export const isJson = (bytes: Uint8Array): boolean =>
  bytes[0] === "{".charCodeAt(0) && Option.isSome(parsedJson(bytes))

/** Returns ": " and the message in a response, in any of the usual JSON shapes; empty without a message. */
export const messageIn = (body: Uint8Array): string => {
  const words = Option.getOrElse(Option.flatMap(parsedJson(body), decodeMessage), () => "")
  const line = words.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line === "" ? "" : `: ${line.slice(0, 300)}`
}

const Text = Schema.optional(Schema.String)

const Reason = Schema.Union(
  Schema.String,
  Schema.Struct({ message: Schema.String }),
  Schema.Struct({ detail: Schema.String })
)
const Failure = Schema.Struct({
  error: Schema.optional(Schema.Unknown),
  detail: Schema.optional(Schema.Unknown),
  message: Text
})
const decodeMessage = (value: unknown): Option.Option<string> =>
  Option.flatMap(Schema.decodeUnknownOption(Failure)(value), ({ error, detail, message }) =>
    Option.firstSomeOf([wordsOf(error), wordsOf(detail), wordsOf(message)])
  )

const wordsOf = (reason: unknown): Option.Option<string> =>
  Option.map(Schema.decodeUnknownOption(Reason)(reason), (found) =>
    typeof found === "string" ? found : "message" in found ? found.message : found.detail
  )

/** Parses JSON; none if it is invalid. */
export const parsedJson = (bytes: Uint8Array): Option.Option<unknown> =>
  Schema.decodeUnknownOption(Schema.parseJson())(new TextDecoder().decode(bytes))

/** Returns the message of an error's root cause: "connect ECONNREFUSED …" instead of "Transport error". */
export const rootMessage = (cause: Error): string =>
  cause.cause instanceof Error ? rootMessage(cause.cause) : cause.message
