/**
 * The door through which every answer of the interface comes: whatever shape a service gives it, it leaves in the
 * contract's, so that the client derived from the contract reads it. The key goes to the service's own origin only.
 */
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { type HttpClientError, RequestError } from "@effect/platform/HttpClientError"
import { Clock, Duration, Effect, Redacted } from "effect"
import { keyHeader } from "../contract/SpeechApi.ts"
import { bodyOf } from "./Body.ts"
import {
  creditsOf,
  deletedOf,
  type Fields,
  fieldsOf,
  healthOf,
  modelListOf,
  providerListOf,
  referenceOf,
  taskOf,
  taskPageOf,
  voicePageOf,
  wordsIn
} from "./Foreign.ts"
import { isOwn, presentable, type ServiceAddress } from "./ServiceAddress.ts"

/** Seconds to wait in a refusal whose service names none: the contract wants a number. */
export const unsaidWait = 0.001

/** The most bytes of an answer of the interface. */
const mostBytes = 16 * 1024 * 1024

/** How often an answer may point elsewhere. */
const mostRedirects = 5

/** A client as tolerant as the interface is open. */
export const tolerant =
  (address: ServiceAddress["Type"]) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const key = Redacted.value(address.key)
    const direct = client.pipe(
      HttpClient.mapRequest(HttpClientRequest.setHeader(keyHeader, key)),
      HttpClient.withTracerPropagation(false),
      HttpClient.withTracerDisabledWhen(() => true)
    )
    return HttpClient.transform(direct, (answer, request) =>
      answer.pipe(
        Effect.flatMap((response) => followed(address, direct, request, response, mostRedirects)),
        Effect.flatMap((response) => understood(address, request, response)),
        Effect.timeoutFail({
          duration: address.answerWithin,
          onTimeout: () =>
            broken(request, `no answer within ${Duration.format(Duration.decode(address.answerWithin))}`)
        })
      )
    )
  }

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

const broken = (request: Request, description: string, cause?: unknown) =>
  new RequestError({ request, reason: "Transport", description, cause })

/** Follows redirects within the service's own origin; a key is never carried elsewhere, nor a request without its key. */
const followed = (
  address: ServiceAddress["Type"],
  client: HttpClient.HttpClient,
  request: Request,
  response: Response,
  left: number
): Effect.Effect<Response, HttpClientError> => {
  const location = response.headers["location"]
  if (response.status < 300 || response.status > 399 || location === undefined)
    return Effect.succeed(response)
  const target = URL.canParse(location, request.url) ? new URL(location, request.url) : undefined
  if (target === undefined || !isOwn(address.baseUrl, target))
    return Effect.fail(
      broken(
        request,
        `it redirects to ${target?.origin ?? "no address"}, where the key is not sent; is the base URL right?`
      )
    )
  if (left === 0) return Effect.fail(broken(request, "it redirects in circles"))
  // 307 and 308 repeat the request; the others turn what is not a read into one, which would create nothing.
  if (request.method !== "GET" && response.status !== 307 && response.status !== 308)
    return Effect.fail(broken(request, `it redirects a ${request.method} with status ${response.status}`))
  const onward = request.pipe(HttpClientRequest.setUrl(target), HttpClientRequest.setUrlParams([]))
  return client
    .execute(onward)
    .pipe(Effect.flatMap((next) => followed(address, client, onward, next, left - 1)))
}

/** An answer in the contract's shape. */
const understood = (
  address: ServiceAddress["Type"],
  request: Request,
  response: Response
): Effect.Effect<Response, HttpClientError> =>
  Effect.gen(function* () {
    const bytes = yield* bodyOf(response, mostBytes).pipe(
      Effect.catchTag("BodyTooLong", () => Effect.fail(broken(request, "an answer of more than 16 MB")))
    )
    const body = Buffer.from(bytes).toString("utf8")
    const value = parsed(body)
    if (response.status >= 200 && response.status < 300) {
      if (value === undefined && body.trim() !== "")
        return yield* broken(request, `not JSON: ${presentable(body, address.key)}`)
      return rewritten(response, 200, rewriteOf(request)(value ?? null, request))
    }
    const now = yield* Clock.currentTimeMillis
    const { status, ...refusal } = refusalOf(request, response, value ?? body, address.key, now)
    return rewritten(response, status, refusal)
  })

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The same response with another status and body. */
const rewritten = (response: Response, status: number, body: unknown): Response => {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const copy: Response = Object.create(response, {
    status: { value: status },
    arrayBuffer: { value: Effect.succeed(bytes.buffer) }
  })
  return copy
}

type Rewrite = (value: unknown, request: Request) => Fields

const endpoints: ReadonlyArray<readonly [method: string, path: RegExp, rewrite: Rewrite]> = [
  ["GET", /\/v1\/task\/[^/]+$/u, (value, request) => taskOf(value, lastSegment(request.url))],
  ["POST", /\/v1\/text-to-speech\/[^/]+$/u, referenceOf],
  ["GET", /\/v1\/tasks$/u, taskPageOf],
  ["DELETE", /\/v1\/task\/delete$/u, (value, request) => deletedOf(value, idIn(request))],
  ["GET", /\/v1\/voices$/u, voicePageOf],
  ["GET", /\/v1\/models$/u, modelListOf],
  ["GET", /\/v1\/providers$/u, providerListOf],
  ["GET", /\/v1\/credits$/u, creditsOf],
  ["GET", /\/v1\/health-check$/u, healthOf]
]

const rewriteOf = (request: Request): Rewrite =>
  endpoints.find(([method, path]) => method === request.method && path.test(request.url))?.[2] ??
  ((value) => fieldsOf(value) ?? {})

const lastSegment = (url: string): string => decodeURIComponent(url.slice(url.lastIndexOf("/") + 1))

const idIn = (request: Request): string => {
  const body =
    request.body._tag === "Uint8Array" ? parsed(Buffer.from(request.body.body).toString("utf8")) : undefined
  const id = fieldsOf(body)?.["task_id"]
  return typeof id === "string" ? id : ""
}

const ownTags: Readonly<Record<string, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  PaymentRequired: 402,
  NotFound: 404,
  Conflict: 409,
  TooLarge: 413,
  Unprocessable: 422,
  TooManyRequests: 429,
  Broken: 500,
  Unavailable: 503
}

/** A refusal in the contract's shape, with the status that goes with it. */
const refusalOf = (
  request: Request,
  response: Response,
  value: unknown,
  key: Redacted.Redacted,
  now: number
): Fields & { readonly status: number } => {
  const said = presentable(wordsIn(value) ?? "", key)
  const fields = fieldsOf(value)
  const tag = fields?.["_tag"]
  if (fields !== undefined && typeof tag === "string" && ownTags[tag] === response.status)
    return { ...fields, message: said, status: response.status }

  const message = said === "" ? `HTTP ${response.status}` : `${said} (HTTP ${response.status})`
  const kind = kindOf(response.status, said)
  switch (kind) {
    case "TooManyRequests":
    case "Unavailable": {
      const code = kind === "Unavailable" ? "draining" : "rate_limited"
      return {
        _tag: kind,
        status: kind === "Unavailable" ? 503 : 429,
        code,
        message,
        retry_after: waitIn(response, fields, now)
      }
    }
    case "Unauthorized":
      return { _tag: kind, status: 401, code: "key_unknown", message }
    case "PaymentRequired":
      return { _tag: kind, status: 402, code: "credits_short", message }
    case "NotFound":
      return {
        _tag: kind,
        status: 404,
        code: request.method === "POST" ? "voice_unknown" : "task_unknown",
        message
      }
    case "Conflict":
      return { _tag: kind, status: 409, code: "task_under_way", message }
    case "TooLarge": {
      const max = /(\d[\d,.']*\d|\d)\s*(characters|chars|symbols|ký tự)/iu
        .exec(said)?.[1]
        ?.replaceAll(/[^\d]/gu, "")
      return {
        _tag: kind,
        status: 413,
        code: "text_too_long",
        message,
        ...(max === undefined ? {} : { max: Number(max) })
      }
    }
    case "BadRequest":
      return { _tag: kind, status: 400, code: "request_invalid", message }
    case "Broken":
      return { _tag: kind, status: 500, code: "internal", message }
  }
}

/** What a foreign refusal is: by its status first, by its words where one status is used for several things. */
const kindOf = (status: number, said: string) => {
  const refused = status === 400 || status === 403 || status === 422
  if (status === 402 || (refused && /credit|quota|balance|payment|insufficient/iu.test(said)))
    return "PaymentRequired"
  if (status === 413 || (refused && /too long|exceed|maximum (length|.*characters)/iu.test(said)))
    return "TooLarge"
  if (status === 401 || status === 403) return "Unauthorized"
  if (status === 404 || status === 410) return "NotFound"
  if (status === 409) return "Conflict"
  if (status === 429) return "TooManyRequests"
  if (status === 503) return "Unavailable"
  if (status === 408 || status === 425 || status < 400 || status >= 500) return "Broken"
  return "BadRequest"
}

/** Seconds to wait by the Retry-After header, as seconds or a date, or by the body. */
const waitIn = (response: Response, fields: Fields | undefined, now: number): number => {
  const header = response.headers["retry-after"]
  const date = header === undefined ? NaN : Date.parse(header)
  const stated = Number(header ?? fields?.["retry_after"])
  const wait = Number.isFinite(stated) ? stated : (date - now) / 1000
  return wait > unsaidWait ? Math.min(wait, 3_600) : unsaidWait
}
