/**
 * A request of the interface and its answer in the contract's shape, whatever shape the service gave it. The key goes to the
 * service's own origin only, redirects included.
 */
import { Clock, Duration, Effect, Either, Redacted } from "effect"
import { keyHeader } from "../contract/SpeechApi.ts"
import { Broken, type Unreachable } from "./Fault.ts"
import { isOwn, presentable, type ServiceAddress } from "./ServiceAddress.ts"
import { type Refusal, refusalOf } from "./Tolerance.ts"
import type { Answer, Wire } from "./Wire.ts"

/** What is asked of the interface. */
export interface Asked {
  readonly method: "GET" | "POST" | "DELETE"
  /** From the base URL on, percent-encoded, with its query. */
  readonly path: string
  /** JSON. */
  readonly body?: string
}

/** Asks; `shape` brings the body of a success into the contract's shape, which is told right, and a refusal left. */
export type Exchange = <A>(
  asked: Asked,
  shape: (value: unknown) => A
) => Effect.Effect<Either.Either<A, Refusal>, Unreachable | Broken>

/** The most bytes of an answer of the interface. */
const mostBytes = 16 * 1024 * 1024

/** How often an answer may point elsewhere. */
const mostRedirects = 5

/** Makes the exchange with one service. */
export const makeExchange = (address: ServiceAddress["Type"], wire: Wire): Exchange => {
  const { baseUrl, key } = address
  const plain = { [keyHeader]: Redacted.value(key), accept: "application/json" }
  const withBody = { ...plain, "content-type": "application/json" }
  const base = baseUrl.pathname.replace(/\/+$/u, "")
  const late = `no answer within ${Duration.format(Duration.decode(address.answerWithin))}`

  const sent = ({ method, path, body }: Asked) =>
    wire
      .send({
        origin: baseUrl.origin,
        path,
        method,
        headers: body === undefined ? plain : withBody,
        ...(body === undefined ? {} : { body }),
        most: mostBytes,
        within: address.answerWithin,
        late
      })
      .pipe(
        Effect.catchTag("BodyTooLong", () =>
          Effect.fail(new Broken({ words: "an answer of more than 16 MB" }))
        )
      )

  /** The same asked of where an answer points to, within the service's own origin: a key is never carried elsewhere, nor a request without its key. */
  const pointedTo = (asked: Asked, { status }: Answer, location: string): Asked | Broken => {
    const here = new URL(asked.path, baseUrl)
    const target = URL.canParse(location, here.href) ? new URL(location, here) : undefined
    if (target === undefined || !isOwn(baseUrl, target))
      return new Broken({
        words: `it redirects to ${target?.origin ?? "no address"}, where the key is not sent; is the base URL right?`
      })
    // 307 and 308 repeat the request; the others turn what is not a read into one, which would create nothing.
    if (asked.method !== "GET" && status !== 307 && status !== 308)
      return new Broken({ words: `it redirects a ${asked.method} with status ${status}` })
    return { ...asked, path: target.pathname + target.search }
  }

  const exchange = <A>(
    asked: Asked,
    shape: (value: unknown) => A,
    redirects: number
  ): Effect.Effect<Either.Either<A, Refusal>, Unreachable | Broken> =>
    Effect.flatMap(sent(asked), (answer) => {
      const { status } = answer
      const location = status >= 300 && status <= 399 ? answer.header("location") : undefined
      if (location !== undefined) {
        const next = pointedTo(asked, answer, location)
        if (next instanceof Broken) return next
        return redirects === 0
          ? new Broken({ words: "it redirects in circles" })
          : exchange(next, shape, redirects - 1)
      }
      const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString(
        "utf8"
      )
      const value = parsed(body)
      if (status >= 200 && status < 300)
        return value === undefined && body.trim() !== ""
          ? new Broken({ words: `not JSON: ${presentable(body, key)}` })
          : Effect.succeed(Either.right(shape(value ?? null)))
      return Effect.map(Clock.currentTimeMillis, (now) =>
        Either.left(refusalOf(asked.method, answer, value ?? body, key, now))
      )
    })

  return (asked, shape) => exchange({ ...asked, path: base + asked.path }, shape, mostRedirects)
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
