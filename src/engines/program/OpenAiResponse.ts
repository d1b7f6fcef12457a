/** Parses responses of OpenAI-compatible servers: voice lists and errors. */
import type { HttpClientResponse } from "@effect/platform"
import { Option, Schema } from "effect"
import { EngineUnavailable, type EngineVoice, SpeechFailed } from "../Engine.ts"
import { messageIn, parsedJson, waitIn } from "../ResponseBody.ts"

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

/** Returns the voices in a response: names or objects, at the top level or under `voices` or `data`. */
export const voicesIn = (body: Uint8Array): ReadonlyArray<EngineVoice> =>
  Option.getOrElse(Option.flatMap(parsedJson(body), decodeVoices), () => []).flatMap((entry) => {
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
