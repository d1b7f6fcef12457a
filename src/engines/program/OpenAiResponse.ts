/** What a server of OpenAI's kind answers: audio, a list of voices, or why not. */
import type { HttpClientResponse } from "@effect/platform"
import { Effect, Option, Schema, Stream } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { EngineUnavailable, type EngineVoice, SpeechFailed } from "../Engine.ts"

/** The whole body, if it has no more bytes than allowed. */
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
        cause._tag === "SpeechFailed" ? cause : bad(`the server's answer broke off: ${cause.message}`)
      ),
      Effect.map(() => new Uint8Array(Buffer.concat(blocks)))
    )
  })

/** The longest that a server is believed to want to be left alone, in seconds. */
const longestWait = 300

/** Seconds to wait by a Retry-After header, which holds seconds or a date; undefined where it says nothing. */
const waitIn = (header: string | undefined, now: number): number | undefined => {
  const wait = header === undefined ? NaN : retryAfterIn(header, now)
  return wait > 0 ? Math.min(wait, longestWait) : undefined
}

/**
 * What a status other than success means at a time (milliseconds since 1970), with whatever the server says about it.
 */
export const refusal = (
  engine: string,
  { status, headers }: Pick<HttpClientResponse.HttpClientResponse, "status" | "headers">,
  body: Uint8Array,
  now: number
): EngineUnavailable | SpeechFailed => {
  const detail = `the server answered ${status}${messageIn(body)}`
  const wait = waitIn(headers["retry-after"], now)
  if (status === 429 || (status === 503 && wait !== undefined)) {
    const asked = wait === undefined ? {} : { retryAfter: wait }
    return new SpeechFailed({ engine, reason: "busy", detail, ...asked })
  }
  const failed = (reason: "too-long" | "refused" | "crashed") => new SpeechFailed({ engine, reason, detail })
  if (status === 401 || status === 403) {
    return new EngineUnavailable({ engine, detail: `${detail}: expected a key that it knows` })
  }
  if (status === 413) return failed("too-long")
  if (status === 502 || status === 503 || status === 504) return new EngineUnavailable({ engine, detail })
  return failed(status >= 500 ? "crashed" : "refused")
}

/** Whether bytes that should be audio are JSON instead. */
export const isJson = (bytes: Uint8Array): boolean =>
  bytes[0] === "{".charCodeAt(0) && Option.isSome(parsed(bytes))

/** ": …" with the message in an answer, in any of the shapes that such servers use; empty if there is none. */
export const messageIn = (body: Uint8Array): string => {
  const words = Option.getOrElse(Option.flatMap(parsed(body), decodeMessage), () => "")
  const line = words.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line === "" ? "" : `: ${line.slice(0, 300)}`
}

/** The voices in an answer: names or objects, bare or under `voices` or `data`. */
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
