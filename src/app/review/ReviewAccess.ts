/**
 * Access control of the review server, which listens on loopback only. The address that the command prints has a token
 * that works once. It exchanges the token for a cookie, and redirects to a URL without the token.
 *
 * Browsers send a cookie to all ports of a host, so another user's server could receive it. The cookie is therefore
 * limited to a random path, which only this browser knows.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"

/** A request as received. */
export interface ReviewRequest {
  readonly method: string
  /** Path and query as in the request line. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A request of a browser with access; `path` is what follows the random path, split into decoded segments. */
export interface AdmittedRequest {
  readonly _tag: "Admitted"
  readonly method: "GET" | "HEAD" | "POST"
  readonly path: ReadonlyArray<string>
}

/** The request had an unused token: set the cookie, and redirect to the batch's page. */
interface Entry {
  readonly _tag: "Entry"
  /** The value of `Set-Cookie`. */
  readonly cookie: string
}

/** Another site's link: reload the page. Browsers do not send the cookie with the link, but with the reload. */
interface Reload {
  readonly _tag: "Reload"
}

/** An HTTP status and message for a rejected request. */
export interface AccessRefusal {
  readonly status: 400 | 403 | 404 | 405 | 415 | 421
  readonly error: string
  /** A new address to print; set if a browser without access asked and the last address was used. */
  readonly address?: string
}

/** Access to one server. */
export interface ReviewAccess {
  /** The address with the first token. */
  readonly address: string
  /** Admits a request, or returns why it is rejected. */
  readonly decide: (request: ReviewRequest) => Either.Either<AdmittedRequest | Entry | Reload, AccessRefusal>
}

/** `origin` is the server's own, `http://127.0.0.1:PORT`. */
export const makeReviewAccess = (origin: string): ReviewAccess => {
  const [home, secret] = [randomText(9), randomText(24)]
  const tokens = [randomText(24)]
  let isUsed = false
  const addressOf = (token: string | undefined) => `${origin}/${home}/${token}`

  const enter = (token: string): boolean => {
    const isCurrent = !isUsed && same(token, tokens.at(-1) ?? "")
    isUsed ||= isCurrent
    return isCurrent
  }

  const stranger = (): AccessRefusal => {
    const error =
      "this browser has no access yet, and each address works once; open the last address that dubwright review printed"
    if (!isUsed) return { status: 403, error }
    isUsed = false
    tokens.push(randomText(24))
    return { status: 403, error, address: addressOf(tokens.at(-1)) }
  }

  return {
    address: addressOf(tokens[0]),
    decide: (request) => {
      const read = readRequest(request, origin, home)
      if (Either.isLeft(read)) return read
      const { method, path } = read.right
      const [token = ""] = path
      const isToken = method === "GET" && path.length === 1
      const isEntering = isToken && enter(token)
      if (cookiesOf(request.headers).some((cookie) => same(cookie, `${cookieName}=${secret}`)))
        return Either.right(isToken && tokens.includes(token) ? { ...read.right, path: [""] } : read.right)
      if (isEntering)
        return Either.right({
          _tag: "Entry",
          cookie: `${cookieName}=${secret}; Path=/${home}/; HttpOnly; SameSite=Strict`
        })
      // The reload has a query, so it is never reloaded again.
      return isCrossSite(request.headers) && method === "GET" && !request.url.includes("?")
        ? Either.right({ _tag: "Reload" })
        : Either.left(stranger())
    }
  }
}

const cookieName = "dubwright-review"

const cookiesOf = ({ cookie = "" }: IncomingHttpHeaders): ReadonlyArray<string> => cookie.split(/;\s*/u)

const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url")

/** Checks everything but the cookie. */
const readRequest = (
  { method, url, headers }: ReviewRequest,
  origin: string,
  home: string
): Either.Either<AdmittedRequest, AccessRefusal> => {
  // DNS rebinding: another site's host name may resolve to this machine.
  if (headers.host !== new URL(origin).host)
    return refused(421, "wrong host; use the address that dubwright review printed")
  const [, given = "", ...pieces] = (url.split(/[?#]/u)[0] ?? "").split("/")
  if (!same(given, home))
    return refused(404, "not a page of this review; open the address that dubwright review printed")
  const path = decoded(pieces)
  if (path === undefined)
    return refused(400, "the URL has an invalid escape; open the address that dubwright review printed")
  switch (method) {
    case "GET":
    case "HEAD":
      return isCrossSite(headers) && headers["sec-fetch-mode"] !== "navigate"
        ? refused(
            403,
            "a page of another site sent this request; open the address that dubwright review printed"
          )
        : Either.right({ _tag: "Admitted", method, path })
    case "POST":
      if (headers.origin !== origin || isCrossSite(headers))
        return refused(
          403,
          "only the review page may make changes; open the address that dubwright review printed"
        )
      if (!/^application\/json(?:;|$)/u.test(headers["content-type"] ?? ""))
        return refused(415, "expected JSON")
      return Either.right({ _tag: "Admitted", method, path })
    default:
      return refused(405, "expected GET or POST")
  }
}

const refused = (status: AccessRefusal["status"], error: string) => Either.left({ status, error })

const isCrossSite = (headers: IncomingHttpHeaders): boolean =>
  !["same-origin", "none", undefined].includes(headers["sec-fetch-site"])

/** Compares in constant time. */
const same = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const decoded = (pieces: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  try {
    return pieces.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
