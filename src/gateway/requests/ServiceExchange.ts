/**
 * Sends one request of the interface and normalizes the response to the contract's shape. The key is sent to the
 * service's own origin only, also on redirects.
 */
import { Duration, Effect, Either, Redacted } from "effect"
import { idempotencyHeader, keyHeader } from "../../contract/SpeechApi.ts"
import { InvalidResponse, type Unreachable } from "../GatewayErrors.ts"
import { isOwn, presentable, type ServiceAddress } from "../transport/ServiceAddress.ts"
import { type NormalizedRefusal, normalizeRefusal, embeddedStatus } from "../response/RefusalNormalization.ts"
import type { MaySend } from "./SendWindow.ts"
import type { HttpAnswer, HttpTransport } from "../transport/HttpTransport.ts"

/** A request of the interface. */
export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** Path relative to the base URL, percent-encoded, with its query. */
  readonly path: string
  /** JSON. */
  readonly body?: string
  /** Names a create, so that the service recognizes it when it is sent again. */
  readonly idempotencyKey?: string | undefined
  /** Checked right before the request is sent. If false, it fails as `Unreachable`. */
  readonly maySend?: MaySend | undefined
}

/** Sends a request. Returns Right with the body as `shape` normalizes it, or Left with a normalized refusal. */
export type Exchange = <A>(asked: ExchangeRequest, shape: (value: unknown) => A) => Exchanged<A>

type Exchanged<A> = Effect.Effect<Either.Either<A, NormalizedRefusal>, Unreachable | InvalidResponse>

/** Maximum bytes of a response. */
const mostBytes = 16 * 1024 * 1024

/** Maximum redirects of a request. */
const mostRedirects = 5

/** Makes the exchange with one service. `now` returns milliseconds since 1970. */
export const makeExchange = (
  address: ServiceAddress["Type"],
  transport: HttpTransport,
  now: () => number
): Exchange => {
  const { baseUrl, key } = address
  const { origin } = baseUrl
  const plain = { [keyHeader]: Redacted.value(key), accept: "application/json" }
  const withBody = { ...plain, "content-type": "application/json" }
  const base = baseUrl.pathname.replace(/\/+$/u, "")
  const within = Duration.decode(address.answerWithin)
  const late = `no response within ${Duration.format(within)}`

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

  /** Parses a response, or returns the request to send instead. */
  const read = <A>(
    asked: ExchangeRequest,
    answer: HttpAnswer,
    shape: (value: unknown) => A
  ): ExchangeRequest | Either.Either<Either.Either<A, NormalizedRefusal>, InvalidResponse> => {
    const { status } = answer
    const location = status >= 300 && status <= 399 ? answer.header("location") : undefined
    if (location !== undefined) {
      const next = pointedTo(asked, answer, location)
      return next instanceof InvalidResponse ? Either.left(next) : next
    }
    const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString("utf8")
    const value = parsed(body)
    const refused = status < 200 || status > 299 ? status : embeddedStatus(value)
    if (refused !== undefined)
      return Either.right(
        Either.left(normalizeRefusal(asked.method, answer, refused, value ?? body, key, now()))
      )
    return value === undefined && body.trim() !== ""
      ? Either.left(new InvalidResponse({ words: `not JSON: ${presentable(body, key)}` }))
      : Either.right(Either.right(shape(value ?? null)))
  }

  const exchange = <A>(
    asked: ExchangeRequest,
    shape: (value: unknown) => A,
    redirects: number
  ): Exchanged<A> => {
    const { method, path, body, idempotencyKey } = asked
    const headers = body === undefined ? plain : withBody
    const sent = {
      origin,
      path,
      method,
      headers: idempotencyKey === undefined ? headers : { ...headers, [idempotencyHeader]: idempotencyKey },
      body,
      most: mostBytes,
      tooLong,
      within,
      late,
      maySend: asked.maySend
    }
    return Effect.flatMap(transport.send(sent), (answer) => {
      const said = read(asked, answer, shape)
      if (Either.isEither(said)) return said
      if (redirects === 0) return new InvalidResponse({ words: "too many redirects" })
      return exchange(said, shape, redirects - 1)
    })
  }

  return (asked, shape) => exchange({ ...asked, path: base + asked.path }, shape, mostRedirects)
}

const tooLong = () => new InvalidResponse({ words: "a response of more than 16 MB" })

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
