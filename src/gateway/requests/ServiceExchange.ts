/**
 * Sends one request of the interface and reads its answer. The key is sent to the service's own origin only, also on
 * redirects.
 */
import { Duration, Effect, Either, Redacted } from "effect"
import { idempotencyHeader, keyHeader } from "../../contract/SpeechApi.ts"
import { millis } from "../../domain/time/Units.ts"
import { type CallFault, InvalidResponse, SlowDown, type UnreadableCreate } from "../GatewayErrors.ts"
import { isOwn, presentable, type ServiceAddress } from "../transport/ServiceAddress.ts"
import { embeddedStatus, refusalOf } from "../response/Refusals.ts"
import type { MaySend } from "./SendWindow.ts"
import type { HttpAnswer, HttpTransport } from "../transport/HttpTransport.ts"

/** A request of the interface. */
export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** Path relative to the base URL, percent-encoded, with its query. */
  readonly path: string
  readonly body?: string
  /** How the body is encoded; default JSON. */
  readonly encoding?: "json" | "form"
  /** Whether only a valid key can have got an answer with success. */
  readonly provesKey?: boolean
  /** Names a create, so that the service recognizes it when it is sent again. */
  readonly idempotencyKey?: string | undefined
  /** Checked right before the request is sent. If false, it fails as `Unreachable`. */
  readonly maySend?: MaySend | undefined
}

/** An answer with a status of success: as JSON, undefined if it is none, and as text. */
export interface Success {
  readonly value: unknown
  readonly body: string
}

/** Sends a request, and reads an answer with a status of success. */
export type Exchange = <A, E extends CallFault | UnreadableCreate>(
  asked: ExchangeRequest,
  read: (answer: Success) => Either.Either<A, E>
) => Effect.Effect<A, E | CallFault>

/**
 * How long a key may be rejected that was accepted before: some services answer 401 when they are busy. Meanwhile,
 * requests wait for at least `minWait`.
 */
const maxDenial = Duration.toMillis("4 minutes")
const minWait = Duration.toMillis("15 seconds")
const maxWait = Duration.toMillis("1 minute")

/** Maximum bytes of a response. */
const maxBytes = 16 * 1024 * 1024

/** Maximum redirects of a request. */
const maxRedirects = 5

/** Makes the exchange with one service. `now` returns milliseconds since 1970. */
export const makeExchange = (
  address: ServiceAddress["Type"],
  transport: HttpTransport,
  now: () => number
): Exchange => {
  const { baseUrl, key } = address
  const { origin } = baseUrl
  const plain = { [keyHeader]: Redacted.value(key), accept: "application/json" }
  const contentTypes = { json: "application/json", form: "application/x-www-form-urlencoded" }
  const base = baseUrl.pathname.replace(/\/+$/u, "")
  const answerWithin = Duration.decode(address.answerWithin)
  let isAccepted = false
  let deniedSince: number | undefined

  /** Takes a rejection of a key that was accepted before for a request to slow down, for some minutes. */
  const throttled = (fault: CallFault, status: number): CallFault => {
    if (status !== 401 || !isAccepted || fault._tag !== "Refused" || fault.reason !== "key") return fault
    deniedSince ??= now()
    const since = Math.max(0, now() - deniedSince)
    if (since >= maxDenial) return fault
    const retryAfter = millis(Math.min(maxWait, Math.max(minWait, since)))
    return new SlowDown({ words: `it rejects the key that it accepted before: ${fault.words}`, retryAfter })
  }

  /**
   * Returns the request to send after a redirect. The target must be within the service's own origin: the key is never
   * sent elsewhere, and no request is sent without it.
   */
  const pointedTo = (
    asked: ExchangeRequest,
    { status }: HttpAnswer,
    location: string
  ): ExchangeRequest | InvalidResponse => {
    const here = new URL(asked.path, baseUrl)
    const target = URL.canParse(location, here.href) ? new URL(location, here) : undefined
    if (target === undefined || !isOwn(baseUrl, target))
      return new InvalidResponse({
        words: `it redirects to ${presentable(target?.origin ?? "an invalid URL", key)}, where the key is not sent; check the base URL`
      })
    // 307 and 308 repeat the request. Other redirects turn it into a GET, which would create nothing.
    if (asked.method !== "GET" && status !== 307 && status !== 308)
      return new InvalidResponse({ words: `it redirects a ${asked.method} request with HTTP ${status}` })
    return { ...asked, path: target.pathname + target.search }
  }

  /** Reads a response, or returns the request to send instead. */
  const readAnswer = <A, E extends CallFault | UnreadableCreate>(
    asked: ExchangeRequest,
    answer: HttpAnswer,
    read: (answer: Success) => Either.Either<A, E>
  ): ExchangeRequest | Either.Either<A, E | CallFault> => {
    const { status } = answer
    const location = status >= 300 && status <= 399 ? answer.header("location") : undefined
    if (location !== undefined) {
      const next = pointedTo(asked, answer, location)
      return next instanceof InvalidResponse ? Either.left(next) : next
    }
    const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString("utf8")
    const value = parsed(body)
    const refused = status < 200 || status > 299 ? status : embeddedStatus(asked.method, value)
    if (refused !== undefined)
      return Either.left(
        throttled(refusalOf(answer, refused, value ?? body, key, now(), asked.method), refused)
      )
    if (asked.provesKey === true) {
      isAccepted = true
      deniedSince = undefined
    }
    return read({ value, body })
  }

  const exchange = <A, E extends CallFault | UnreadableCreate>(
    asked: ExchangeRequest,
    read: (answer: Success) => Either.Either<A, E>,
    redirects: number
  ): Effect.Effect<A, E | CallFault> => {
    const { method, path, body, encoding = "json", idempotencyKey } = asked
    const headers = body === undefined ? plain : { ...plain, "content-type": contentTypes[encoding] }
    const within = answerWithin
    const sent = {
      origin,
      path,
      method,
      headers: idempotencyKey === undefined ? headers : { ...headers, [idempotencyHeader]: idempotencyKey },
      body,
      most: maxBytes,
      tooLong,
      within,
      late: `no response within ${Duration.format(within)}`,
      maySend: asked.maySend
    }
    return Effect.flatMap(transport.send(sent), (answer): Effect.Effect<A, E | CallFault> => {
      const said = readAnswer(asked, answer, read)
      if (Either.isEither(said)) return said
      if (redirects === 0) return new InvalidResponse({ words: "too many redirects" })
      return exchange(said, read, redirects - 1)
    })
  }

  return (asked, read) => exchange({ ...asked, path: base + asked.path }, read, maxRedirects)
}

/** Reads an answer that must be JSON, or empty. */
export const jsonAnswer =
  <A>(key: Redacted.Redacted, read: (value: unknown) => A | undefined) =>
  ({ value, body }: Success): Either.Either<A, InvalidResponse> => {
    if (value === undefined && body.trim() !== "")
      return Either.left(new InvalidResponse({ words: `not JSON: ${presentable(body, key)}` }))
    const answer = read(value ?? null)
    return answer === undefined
      ? Either.left(new InvalidResponse({ words: "the response lacks required fields" }))
      : Either.right(answer)
  }

const tooLong = () => new InvalidResponse({ words: "a response of more than 16 MB" })

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body.replace(/^\uFEFF/u, ""))
  } catch {
    return undefined
  }
}
