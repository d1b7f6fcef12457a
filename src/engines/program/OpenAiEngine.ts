/** An engine for servers with OpenAI's `POST /v1/audio/speech`: LocalAI, Kokoro-FastAPI, OpenAI itself. */
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Clock, Config, Duration, Effect, Option, Schema } from "effect"
import { EngineUnavailable, SpeechFailed, type Engine, type EngineVoice } from "../Engine.ts"
import { boundedBody, isJson, messageIn, parsedJson, waitIn, rootMessage } from "../ResponseBody.ts"
import { cacheSuccess } from "../SuccessCache.ts"
import { singleLineSpeech } from "../text/SingleLineSpeech.ts"

export interface OpenAiOptions {
  /** The engine's name in errors and settings. */
  readonly name: string
  /** The server's URL without `/audio/speech`, such as `http://localhost:8880/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** The environment variable that holds the key; without it, no key is sent. */
  readonly keyVariable?: string
  /** The voices that a request may use; `listVoices` adds the server's. */
  readonly voices: ReadonlyArray<EngineVoice>
  /** Whether to read the server's voices from `/audio/voices`, which OpenAI itself does not have; default false. */
  readonly listVoices?: boolean
  /** The audio's format; default "wav". */
  readonly format?: string
  /** Whether to write out numbers, dates and units first; default false. */
  readonly normalise?: boolean
  /** Default 120 seconds. */
  readonly timeout?: Duration.DurationInput
  /** Maximum bytes of audio; default 256 MiB. */
  readonly maxBytes?: number
  /** Maximum code points of a text; default 4,096, as at OpenAI. */
  readonly maxChars?: number
}

/** The speed limits of OpenAI's API. */
const slowest = 0.25
const fastest = 4
/** Maximum bytes of an error or a voice list. */
const maxWords = 1024 * 1024

/** Makes the engine. Reads its key from the environment now, and sends it only to `baseUrl`. */
export const makeOpenAiEngine = Effect.fnUntraced(function* (options: OpenAiOptions) {
  const { name } = options
  const timeout = options.timeout ?? "120 seconds"
  const key =
    options.keyVariable === undefined
      ? Option.none()
      : yield* Effect.orDie(Config.option(Config.redacted(options.keyVariable)))
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest((request) =>
      Option.match(key, {
        onNone: () => request,
        onSome: (secret) => HttpClientRequest.bearerToken(request, secret)
      })
    )
  )
  const address = (path: string) => `${options.baseUrl.replace(/\/+$/u, "")}${path}`
  const unavailable = (detail: string) => new EngineUnavailable({ engine: name, detail })

  /** Sends a request and reads the whole response, with limits on time and size. */
  const exchange = (request: HttpClientRequest.HttpClientRequest, maxBytes: number) =>
    client.execute(request).pipe(
      Effect.mapError((cause) => unavailable(`no response from ${options.baseUrl}: ${rootMessage(cause)}`)),
      Effect.flatMap((response) =>
        response.status < 300
          ? boundedBody(name, response, maxBytes)
          : Effect.flatMap(
              Effect.all([
                Effect.orElseSucceed(boundedBody(name, response, maxWords), () => new Uint8Array()),
                Clock.currentTimeMillis
              ]),
              ([words, now]) => Effect.fail(refusal(name, response, words, now))
            )
      ),
      Effect.scoped,
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () =>
          new SpeechFailed({
            engine: name,
            reason: "timeout",
            detail: `no complete response from ${options.baseUrl} within ${Duration.format(Duration.decode(timeout))}`
          })
      })
    )

  const keyed =
    options.keyVariable !== undefined && Option.isNone(key)
      ? Effect.fail(unavailable(`its key is missing; set the environment variable ${options.keyVariable}`))
      : Effect.void

  /** Reads a path of the server that costs nothing. */
  const asked = (path: string) =>
    Effect.zipRight(keyed, exchange(HttpClientRequest.get(address(path)), maxWords))
  const unreadable = (failure: EngineUnavailable | SpeechFailed) =>
    failure._tag === "EngineUnavailable" ? failure : unavailable(`unexpected response: ${failure.detail}`)
  /** Servers need not list models: a rejection such as 404 also proves that the server is reachable. */
  const reachable = asked("/models").pipe(
    Effect.asVoid,
    Effect.catchIf(
      (failure) => failure._tag === "SpeechFailed" && failure.reason === "refused",
      () => Effect.void
    ),
    Effect.mapError(unreadable)
  )
  const voices =
    options.listVoices === true
      ? yield* cacheSuccess(
          Effect.map(Effect.mapError(asked("/audio/voices"), unreadable), (body) => [
            ...options.voices,
            ...voicesIn(body).filter(({ id }) => !options.voices.some((own) => own.id === id))
          ]),
          "5 minutes"
        )
      : Effect.as(keyed, options.voices)

  const speak: Engine["speak"] = Effect.fn("OpenAiEngine.speak")(function* (request) {
    const known = yield* voices
    const voice = known.find(({ id }) => id === request.voice)
    if (voice === undefined) {
      const detail = `no voice "${request.voice}"; expected one of ${known.map(({ id }) => id).join(", ")}`
      return yield* new SpeechFailed({ engine: name, reason: "unknown-voice", detail })
    }
    const input = yield* singleLineSpeech(request, {
      engine: name,
      normalise: options.normalise ?? false,
      language: voice.languages[0] ?? "en",
      maxChars: options.maxChars ?? 4_096
    })
    const body = {
      model: options.model,
      input,
      voice: voice.id,
      response_format: options.format ?? "wav",
      speed: Math.min(fastest, Math.max(slowest, request.rate))
    }
    const bytes = yield* exchange(
      HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(address("/audio/speech")), body),
      options.maxBytes ?? 256 * 1024 * 1024
    )
    if (bytes.length === 0 || isJson(bytes)) {
      const detail = `${options.baseUrl} responded without audio${messageIn(bytes)}`
      return yield* new SpeechFailed({ engine: name, reason: "bad-output", detail })
    }
    return { _tag: "Encoded", bytes, words: [], sentences: [] }
  })

  return { name, controls: ["rate"], voices, speak, check: reachable } satisfies Engine
})

/** Converts an error response to an engine error with the server's message. `now` is in ms since the Unix epoch. */
const refusal = (
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
  if (status === 401 || status === 403)
    return new EngineUnavailable({ engine, detail: `${detail}; set a key that the server accepts` })
  if (status === 413) return failed("too-long")
  if (status === 502 || status === 503 || status === 504) return new EngineUnavailable({ engine, detail })
  return failed(status >= 500 ? "crashed" : "refused")
}

/** Returns the voices in a response: names or objects, at the top level or under `voices` or `data`. */
const voicesIn = (body: Uint8Array): ReadonlyArray<EngineVoice> =>
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
