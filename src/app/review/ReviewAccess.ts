/**
 * Access control of the review server, which listens on loopback only. A random token in every URL keeps out other
 * programs and, above all, pages of other sites. Requests that change anything must also come from the page itself.
 */
import { timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"

/** Access rules of one server. */
export interface AccessRules {
  /** The server's own origin, `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** First path segment of every URL. */
  readonly token: string
}

/** A request as received. */
export interface ReviewRequest {
  readonly method: string
  /** Path and query as in the request line. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** An admitted request; `path` is what follows the token, split into decoded segments. */
export interface AdmittedRequest {
  readonly method: "GET" | "HEAD" | "POST"
  readonly path: ReadonlyArray<string>
}

/** An HTTP status and message for a rejected request. */
export interface AccessRefusal {
  readonly status: 400 | 403 | 404 | 405 | 415 | 421
  readonly error: string
}

/** Admits a request, or returns why it is rejected. */
export const admitRequest = (
  { method, url, headers }: ReviewRequest,
  { origin, token }: AccessRules
): Either.Either<AdmittedRequest, AccessRefusal> => {
  // DNS rebinding: another site's host name may resolve to this machine.
  if (headers.host !== new URL(origin).host)
    return refused(421, "wrong host; use the address that dubwright review printed")
  const [, given = "", ...pieces] = (url.split(/[?#]/u)[0] ?? "").split("/")
  if (!same(given, token))
    return refused(404, "not a page of this review; open the address that dubwright review printed")
  const path = decoded(pieces)
  if (path === undefined)
    return refused(400, "the URL has an invalid escape; open the address that dubwright review printed")
  switch (method) {
    case "GET":
    case "HEAD":
      return crossSite(headers) && headers["sec-fetch-mode"] !== "navigate"
        ? refused(
            403,
            "a page of another site sent this request; open the address that dubwright review printed"
          )
        : Either.right({ method, path })
    case "POST":
      if (headers.origin !== origin || crossSite(headers))
        return refused(
          403,
          "only the review page may make changes; open the address that dubwright review printed"
        )
      if (!same(`${headers["x-dubwright-token"] ?? ""}`, token))
        return refused(403, "the token is missing or wrong; reload the review page")
      if (!/^application\/json(?:;|$)/u.test(headers["content-type"] ?? ""))
        return refused(415, "expected JSON")
      return Either.right({ method, path })
    default:
      return refused(405, "expected GET or POST")
  }
}

const refused = (status: AccessRefusal["status"], error: string) => Either.left({ status, error })

const crossSite = (headers: IncomingHttpHeaders): boolean =>
  !["same-origin", "none", undefined].includes(headers["sec-fetch-site"])

/** Compares in constant time. */
const same = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const decoded = (pieces: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  try {
    return pieces.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
