/** Sends requests to a cloud provider, with limits on time and size. The key is sent to the provider's address only. */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Duration, Effect, Option, Redacted, Schema } from "effect"
import { EngineUnavailable, SpeechFailed } from "../../Engine.ts"
import { boundedBody, isJson, parsedJson, rootMessage } from "../../ResponseBody.ts"
import { cloudFailure, type CloudReading, type CloudRefusal } from "./CloudFailures.ts"

/** A request, relative to the provider's address. */
export interface CloudRequest {
  readonly method: "GET" | "POST"
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly text: string }
}

/** Returns a request that posts a value as JSON. */
export const postJson = (
  path: string,
  value: unknown,
  headers: CloudRequest["headers"] = {}
): CloudRequest => ({
  method: "POST",
  path,
  headers,
  body: { type: "application/json", text: JSON.stringify(value) }
})

/** How to reach a provider. */
export interface CloudAddress {
  /** The engine's name, for errors. */
  readonly name: string
  readonly baseUrl: string
  /** Maximum seconds of a request and its response; default 120. */
  readonly timeout?: number | undefined
  /** The headers that authorize a request to this URL. */
  readonly authorize: (
    request: CloudRequest,
    url: URL
  ) => Effect.Effect<Readonly<Record<string, string>>, EngineUnavailable | SpeechFailed>
  /** Never shown: removed from the provider's own messages. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Reads an error response. */
  readonly read: (refusal: CloudRefusal) => CloudReading
  /** Whether JSON with status 200 is an error. */
  readonly isRefusal?: (json: unknown) => boolean
}

/** Maximum bytes of a response: ten minutes of PCM at 48 kHz as base64. */
const maxBytes = 128 * 1024 * 1024
/** Maximum bytes of an error. */
const maxWords = 256 * 1024

/** Makes the client. A redirect is an error: the key must not follow it. */
export const makeCloudClient = Effect.fnUntraced(function* (address: CloudAddress) {
  const { name } = address
  const base = address.baseUrl.replace(/\/+$/u, "")
  const { host } = new URL(base)
  // Spans would show the headers with the key, and trace headers are of no use to a provider.
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerDisabledWhen(() => true))
  const limit = Duration.seconds(address.timeout ?? 120)

  const failureOf = (status: number, headers: CloudRefusal["headers"], bytes: Uint8Array) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const refusal: CloudRefusal = {
        status,
        headers,
        json: Option.getOrUndefined(parsedJson(bytes)),
        text: new TextDecoder().decode(bytes.subarray(0, 1_000))
      }
      return withoutSecrets(cloudFailure(name, host, refusal, address.read(refusal), now), address.secrets)
    })

  const unusable = (what: string) =>
    new SpeechFailed({ engine: name, reason: "bad-output", detail: `${host} responded with ${what}` })

  /** Sends a request and reads the whole response. */
  const send = (request: CloudRequest) => {
    const url = `${base}${request.path}`
    return address.authorize(request, new URL(url)).pipe(
      Effect.map((keys) => {
        const plain = (request.method === "GET" ? HttpClientRequest.get : HttpClientRequest.post)(url)
        const filled =
          request.body === undefined
            ? plain
            : HttpClientRequest.bodyText(plain, request.body.text, request.body.type)
        return HttpClientRequest.setHeaders(filled, { ...request.headers, ...keys })
      }),
      Effect.flatMap((whole) =>
        Effect.mapError(
          client.execute(whole),
          (cause) =>
            new EngineUnavailable({ engine: name, detail: `no response from ${host}: ${rootMessage(cause)}` })
        )
      ),
      Effect.flatMap((response) =>
        response.status < 300
          ? /^text\/html\b/iu.test(response.headers["content-type"] ?? "")
            ? unusable("a web page")
            : Effect.tap(boundedBody(name, response, maxBytes), (bytes) =>
                bytes.length <= maxWords &&
                address.isRefusal?.(Option.getOrUndefined(parsedJson(bytes))) === true
                  ? Effect.flatMap(failureOf(response.status, response.headers, bytes), Effect.fail)
                  : Effect.void
              )
          : boundedBody(name, response, maxWords).pipe(
              Effect.orElseSucceed(() => new Uint8Array()),
              Effect.flatMap((bytes) => failureOf(response.status, response.headers, bytes)),
              Effect.flatMap(Effect.fail)
            )
      ),
      Effect.scoped,
      Effect.timeoutFail({
        duration: limit,
        onTimeout: () =>
          new SpeechFailed({
            engine: name,
            reason: "timeout",
            detail: `no complete response from ${host} within ${Duration.format(limit)}`
          })
      })
    )
  }
  /** The same for a response of JSON. */
  const json = <A, I>(request: CloudRequest, schema: Schema.Schema<A, I>) =>
    Effect.flatMap(send(request), (bytes) =>
      Option.match(Option.flatMap(parsedJson(bytes), Schema.decodeUnknownOption(schema)), {
        onNone: () => unusable(`${bytes.length} bytes that are not the expected JSON`),
        onSome: (value) => Effect.succeed(value)
      })
    )
  /** The same for a response with audio; text or JSON is an error. */
  const audio = (request: CloudRequest) =>
    Effect.flatMap(send(request), (bytes) =>
      bytes.length === 0 || isJson(bytes) ? unusable("no audio") : Effect.succeed(bytes)
    )
  /** Fails as an error response with this status and body would: for errors inside a stream. */
  const refused = (status: number, body: unknown) =>
    Effect.flatMap(failureOf(status, {}, new TextEncoder().encode(JSON.stringify(body))), Effect.fail)
  return { send, audio, json, refused }
})

export type CloudClient = Effect.Effect.Success<ReturnType<typeof makeCloudClient>>

/** Providers may quote a rejected key in their message. */
const withoutSecrets = (
  failure: EngineUnavailable | SpeechFailed,
  secrets: ReadonlyArray<Redacted.Redacted>
): EngineUnavailable | SpeechFailed => {
  const detail = secrets
    .map((secret) => Redacted.value(secret))
    .filter((secret) => secret !== "")
    .reduce((words, secret) => words.replaceAll(secret, "…"), failure.detail)
  if (failure._tag === "EngineUnavailable") return new EngineUnavailable({ engine: failure.engine, detail })
  const { engine, reason, retryAfter } = failure
  return new SpeechFailed({ engine, reason, detail, ...(retryAfter === undefined ? {} : { retryAfter }) })
}
