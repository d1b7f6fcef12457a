/** A recogniser at a server with OpenAI's `POST /audio/transcriptions`. */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import type { Redacted } from "effect"
import { Clock, Duration, Effect, Either, Schedule } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { boundedBody, messageIn } from "../ResponseBody.ts"
import { RecognitionFailed, type Recogniser } from "./Recogniser.ts"
import { jsonTranscript } from "./TranscriptText.ts"

export interface EndpointRecogniserOptions {
  /** The server's URL without `/audio/transcriptions`. */
  readonly baseUrl: string
  readonly model: string
  /** Sent to `baseUrl` only; without it, no key is sent. */
  readonly key: Redacted.Redacted | undefined
  readonly concurrency: number
  /** Maximum time for a request and its response. */
  readonly timeout: Duration.DurationInput
}

/** OpenAI's limit of a file. */
const mostAudio = 25 * 1024 * 1024
/** Maximum bytes of a response. */
const mostResponse = 4 * 1024 * 1024
/** Maximum seconds of a Retry-After that are waited. */
const longestWait = 60

/** Up to three retries after 0.5, 1 and 2 seconds, or after the time that the server asks for. */
const retries = Schedule.exponential("500 millis", 2).pipe(
  Schedule.jittered,
  Schedule.passthrough<Duration.Duration, RecognitionFailed, never>,
  Schedule.modifyDelay((failure, delay) => Duration.max(delay, Duration.seconds(failure.retryAfter ?? 0))),
  Schedule.whileInput(({ reason }: RecognitionFailed) => reason === "busy" || reason === "unreachable"),
  Schedule.intersect(Schedule.recurs(3))
)

/** Makes the recogniser. A redirect is an error: the key must not follow it. */
export const makeEndpointRecogniser = Effect.fnUntraced(function* (options: EndpointRecogniserOptions) {
  const client = yield* HttpClient.HttpClient
  const address = `${options.baseUrl.replace(/\/+$/u, "")}/audio/transcriptions`
  const failure = (reason: RecognitionFailed["reason"], detail: string) =>
    new RecognitionFailed({ reason, detail: `${options.baseUrl}: ${detail}` })

  const once = (wav: Uint8Array, language: string | undefined) => {
    const form = new FormData()
    form.append("file", new Blob([Uint8Array.from(wav)], { type: "audio/wav" }), "clip.wav")
    form.append("model", options.model)
    form.append("response_format", "json")
    if (language !== undefined) form.append("language", language.replace(/[-_].*$/u, "").toLowerCase())
    // Encoded by the platform's own form encoder, anew for each try: a body is read once.
    const request = Effect.map(
      Effect.promise(async () => {
        const encoded = new Response(form)
        return { body: await encoded.arrayBuffer(), type: encoded.headers.get("content-type") ?? "" }
      }),
      ({ body, type }) => {
        const plain = HttpClientRequest.bodyUint8Array(
          HttpClientRequest.post(address),
          new Uint8Array(body),
          type
        )
        return options.key === undefined ? plain : HttpClientRequest.bearerToken(plain, options.key)
      }
    )
    return Effect.flatMap(request, (made) => client.execute(made)).pipe(
      Effect.mapError((cause) => failure("unreachable", `no response: ${rootMessage(cause)}`)),
      Effect.flatMap((response) =>
        Effect.flatMap(
          Effect.mapError(boundedBody("listen", response, mostResponse), ({ detail }) =>
            failure("clip", detail)
          ),
          (body) =>
            response.status >= 200 && response.status < 300
              ? Either.mapLeft(jsonTranscript(new TextDecoder().decode(body)), (detail) =>
                  failure("clip", `the response is ${detail}`)
                )
              : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                  Effect.fail(refused(response.status, response.headers["retry-after"], messageIn(body), now))
                )
        )
      ),
      Effect.scoped,
      Effect.timeoutFail({
        duration: options.timeout,
        onTimeout: () =>
          failure("clip", `no complete response within ${Duration.format(Duration.decode(options.timeout))}`)
      })
    )
  }

  const refused = (
    status: number,
    wait: string | undefined,
    message: string,
    now: number
  ): RecognitionFailed => {
    const detail = `HTTP ${status}${message}`
    if (status === 429 || status >= 500) {
      const asked = wait === undefined ? NaN : retryAfterIn(wait, now)
      const { reason, detail: words } = failure("busy", detail)
      return new RecognitionFailed({
        reason,
        detail: words,
        ...(asked > 0 ? { retryAfter: Math.min(asked, longestWait) } : {})
      })
    }
    if (status === 401 || status === 403)
      return failure("unusable", `${detail}; set DUBWRIGHT_LISTEN_KEY to a key that the server accepts`)
    if (status === 404 || (status >= 300 && status < 400))
      return failure(
        "unusable",
        `${detail}; set listen.baseUrl to the URL that ends before /audio/transcriptions`
      )
    return failure("clip", detail)
  }

  const hear: Recogniser["hear"] = Effect.fn("EndpointRecogniser.hear")((wav, language) =>
    wav.length > mostAudio
      ? Effect.fail(
          failure("clip", `the clip has ${wav.length} bytes, more than the ${mostAudio} that are sent`)
        )
      : Effect.retry(once(wav, language), retries)
  )
  return {
    identity: `endpoint ${address} ${options.model}`,
    concurrency: options.concurrency,
    hear
  } satisfies Recogniser
})

/** Returns the message of an error's root cause: "connect ECONNREFUSED …" instead of "Transport error". */
const rootMessage = (cause: Error): string =>
  cause.cause instanceof Error ? rootMessage(cause.cause) : cause.message
