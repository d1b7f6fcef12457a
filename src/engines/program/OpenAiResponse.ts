/** Parses responses of OpenAI-compatible servers: audio, voice lists and errors. */
import type { HttpClientResponse } from "@effect/platform"
import { Effect, Option, Schema, Stream } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { EngineUnavailable, type EngineVoice, SpeechFailed } from "../Engine.ts"

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
const longestWait = 300

/** Returns the seconds to wait from a Retry-After header (seconds or a date); undefined if it has none. */
const waitIn = (header: string | undefined, now: number): number | undefined => {
  const wait = header === undefined ? NaN : retryAfterIn(header, now)
  return wait > 0 ? Math.min(wait, longestWait) : undefined
}

/** Converts an error response to an engine error with the server's message. `now` is in ms since the Unix epoch. */
export const refusal = (
  engine: string,
  { status, headers }: Pick<HttpClientResponse.HttpClientResponse, "status" | "headers">,
  body: Uint8Array,
  now: number
): EngineUnavailable | SpeechFailed => {
  const detail = `the server responded with ${status}${messageIn(body)}`
  const wait = waitIn(headers["retry-after"], now)
  if (status === 429 || (status === 503 && wait !== undefined)) {
    const asked = wait === undefined ? {} : { retryAfter: wait }
    return new SpeechFailed({ engine, reason: "busy", detail, ...asked })
  }
  const failed = (reason: "too-long" | "refused" | "crashed") => new SpeechFailed({ engine, reason, detail })
  if (status === 401 || status === 403) {
    return new EngineUnavailable({ engine, detail: `${detail}; set a key that the server accepts` })
  }
  if (status === 413) return failed("too-long")
  if (status === 502 || status === 503 || status === 504) return new EngineUnavailable({ engine, detail })
  return failed(status >= 500 ? "crashed" : "refused")
}

/** Whether a response that should be audio is JSON. */
export const isJson = (bytes: Uint8Array): boolean =>
  bytes[0] === "{".charCodeAt(0) && Option.isSome(parsed(bytes))

/** Returns ": " and the message in a response, in any of the usual JSON shapes; empty without a message. */
export const messageIn = (body: Uint8Array): string => {
  const words = Option.getOrElse(Option.flatMap(parsed(body), decodeMessage), () => "")
  const line = words.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line === "" ? "" : `: ${line.slice(0, 300)}`
}

/** Returns the voices in a response: names or objects, at the top level or under `voices` or `data`. */
export const voicesIn = (body: Uint8Array): ReadonlyArray<EngineVoice> =>
  Option.getOrElse(Option.flatMap(parsed(body), decodeVoices), () => []).flatMap((entry) => {
    if (typeof entry === "string") return [{ id: entry, name: entry, languages: [] }]
    const id = entry.id ?? entry.voice_id ?? entry.name
    if (id === undefined) return []
    return [{ id, name: entry.name ?? id, languages: entry.language === undefined ? [] : [entry.language] }]
  })

const Text = Schema.optional(Schema.String)

const ListedVoice = Schema.Union(
  Schema.String,
  Schema.Struct({ id: Text, voice_id: Text, name: Text, language: Text })
)
const Voices = Schema.Array(ListedVoice)
const Listing = Schema.Union(Voices, Schema.Struct({ voices: Voices }), Schema.Struct({ data: Voices }))
const decodeVoices = (value: unknown): Option.Option<typeof Voices.Type> =>
  Option.map(Schema.decodeUnknownOption(Listing)(value), (listing) =>
    "voices" in listing ? listing.voices : "data" in listing ? listing.data : listing
  )

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

const parsed = (bytes: Uint8Array): Option.Option<unknown> =>
  Schema.decodeUnknownOption(Schema.parseJson())(new TextDecoder().decode(bytes))
