/** Sends a helper's requests to a server, with retries and limits. Its key is sent only to the configured URL. */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Duration, Effect, Redacted, Schedule } from "effect"
import { retryAfterIn } from "../../contract/RetryAfter.ts"
import { boundedBody, messageIn, rootMessage } from "../ResponseBody.ts"
import { HelperFailed } from "./HelperFailed.ts"

export interface HelperEndpointOptions {
  /** The manifest's key for the helper, such as `listen`. */
  readonly setting: string
  /** The environment variable of its key. */
  readonly keyName: string
  /** The server's URL without `path`. */
  readonly baseUrl: string
  /** Begins with a slash. */
  readonly path: string
  /** Sent to `baseUrl` only; without it, no key is sent. */
  readonly key: Redacted.Redacted | undefined
  /** Maximum time for a request and its response. */
  readonly timeout: Duration.DurationInput
}

/** A request body. It is created again for each try, because a body can be read only once. */
export interface HelperBody {
  readonly bytes: Uint8Array
  readonly type: string
}

/** Maximum bytes of a response. */
const maxResponse = 4 * 1024 * 1024
/** Maximum wait for a Retry-After, in seconds. */
const maxWait = 60

/** Up to three retries after 0.5, 1 and 2 seconds, or after the time in the server's Retry-After. */
const retries = Schedule.exponential("500 millis", 2).pipe(
  Schedule.jittered,
  Schedule.passthrough<Duration.Duration, HelperFailed, never>,
  Schedule.modifyDelay((failure, delay) => Duration.max(delay, Duration.seconds(failure.retryAfter ?? 0))),
  Schedule.whileInput(({ reason }: HelperFailed) => reason === "busy" || reason === "unreachable"),
  Schedule.intersect(Schedule.recurs(3))
)

/**
 * Makes the function that posts a body and returns the response's text. A redirect is an error: the key must not follow
 * it.
 */
export const makeHelperEndpoint = Effect.fnUntraced(function* (options: HelperEndpointOptions) {
  const client = yield* HttpClient.HttpClient
  const address = `${options.baseUrl.replace(/\/+$/u, "")}${options.path}`
  const failure = (reason: HelperFailed["reason"], detail: string) =>
    new HelperFailed({ reason, detail: `${options.baseUrl}: ${detail}` })

  const once = (body: Effect.Effect<HelperBody>) =>
    body.pipe(
      Effect.map(({ bytes, type }) => {
        const plain = HttpClientRequest.bodyUint8Array(HttpClientRequest.post(address), bytes, type)
        return options.key === undefined ? plain : HttpClientRequest.bearerToken(plain, options.key)
      }),
      Effect.flatMap((request) => client.execute(request)),
      Effect.mapError((cause) => failure("unreachable", `no response: ${rootMessage(cause)}`)),
      Effect.flatMap((response) =>
        Effect.flatMap(
          Effect.mapError(boundedBody(options.setting, response, maxResponse), ({ detail }) =>
            failure("one", detail)
          ),
          (bytes) =>
            response.status >= 200 && response.status < 300
              ? Effect.succeed(withoutKey(new TextDecoder().decode(bytes), options.key))
              : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                  Effect.fail(
                    refused(
                      response.status,
                      response.headers["retry-after"],
                      withoutKey(messageIn(bytes), options.key),
                      now
                    )
                  )
                )
        )
      ),
      Effect.scoped,
      Effect.timeoutFail({
        duration: options.timeout,
        onTimeout: () =>
          failure("one", `no complete response within ${Duration.format(Duration.decode(options.timeout))}`)
      })
    )

  const refused = (status: number, wait: string | undefined, message: string, now: number): HelperFailed => {
    const detail = `HTTP ${status}${message}`
    if (status === 429 || status >= 500) {
      const asked = wait === undefined ? NaN : retryAfterIn(wait, now)
      const { reason, detail: words } = failure("busy", detail)
      return new HelperFailed({
        reason,
        detail: words,
        ...(asked > 0 ? { retryAfter: Math.min(asked, maxWait) } : {})
      })
    }
    if (status === 401 || status === 403)
      return failure("unusable", `${detail}; set ${options.keyName} to a key that the server accepts`)
    if (status === 404 || (status >= 300 && status < 400))
      return failure(
        "unusable",
        `${detail}; correct ${options.setting}.baseUrl; it must not include ${options.path}`
      )
    return failure("one", detail)
  }

  return {
    /** Identifies the endpoint. Holds no key. */
    address,
    failure,
    post: (body: Effect.Effect<HelperBody>): Effect.Effect<string, HelperFailed> =>
      Effect.retry(once(body), retries)
  }
})

/** Removes the key from a text of the server: some servers repeat it in errors. */
const withoutKey = (text: string, key: Redacted.Redacted | undefined): string =>
  key === undefined ? text : text.replaceAll(Redacted.value(key), "[key]")
