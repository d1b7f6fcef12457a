/**
 * A request of the interface and its answer in the contract's shape, whatever shape the service gave it. The key goes to the
 * service's own origin only, redirects included.
 */
import { Clock, Duration, Effect, Redacted } from "effect"
import { keyHeader } from "../contract/SpeechApi.ts"
import { Broken, type Unreachable } from "./Fault.ts"
import type { Fields } from "./Foreign.ts"
import { isOwn, presentable, type ServiceAddress } from "./ServiceAddress.ts"
import { refusalOf, type Told } from "./Tolerance.ts"
import type { Answer, Wire } from "./Wire.ts"

/** What is asked of the interface. */
export interface Asked {
  readonly method: "GET" | "POST" | "DELETE"
  /** From the base URL on, percent-encoded, with its query. */
  readonly path: string
  /** JSON. */
  readonly body?: string
}

/** Asks; `shape` brings the body of a success into the contract's shape. */
export type Exchange = (
  asked: Asked,
  shape: (value: unknown) => Fields
) => Effect.Effect<Told, Unreachable | Broken>

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

  /** Follows redirects within the service's own origin; a key is never carried elsewhere, nor a request without its key. */
  const followed = (asked: Asked, left: number): Effect.Effect<Answer, Unreachable | Broken> =>
    Effect.flatMap(sent(asked), (answer) => {
      const location = answer.status >= 300 && answer.status <= 399 ? answer.header("location") : undefined
      if (location === undefined) return Effect.succeed(answer)
      const here = new URL(asked.path, baseUrl)
      const target = URL.canParse(location, here.href) ? new URL(location, here) : undefined
      if (target === undefined || !isOwn(baseUrl, target))
        return new Broken({
          words: `it redirects to ${target?.origin ?? "no address"}, where the key is not sent; is the base URL right?`
        })
      if (left === 0) return new Broken({ words: "it redirects in circles" })
      // 307 and 308 repeat the request; the others turn what is not a read into one, which would create nothing.
      if (asked.method !== "GET" && answer.status !== 307 && answer.status !== 308)
        return new Broken({ words: `it redirects a ${asked.method} with status ${answer.status}` })
      return followed({ ...asked, path: target.pathname + target.search }, left - 1)
    })

  return (asked, shape) =>
    Effect.flatMap(followed({ ...asked, path: base + asked.path }, mostRedirects), (answer) => {
      const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString(
        "utf8"
      )
      const value = parsed(body)
      if (answer.status >= 200 && answer.status < 300)
        return value === undefined && body.trim() !== ""
          ? new Broken({ words: `not JSON: ${presentable(body, key)}` })
          : Effect.succeed<Told>({ status: 200, fields: shape(value ?? null) })
      return Effect.map(Clock.currentTimeMillis, (now) =>
        refusalOf(asked.method, answer, value ?? body, key, now)
      )
    })
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
