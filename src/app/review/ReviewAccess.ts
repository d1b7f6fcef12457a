/**
 * Who may ask the review server for what. It listens on this machine alone; what else runs on it, pages of other sites
 * above all, is kept out by a random token in every address, and what changes anything must also come from the page
 * itself.
 */
import { timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"

/** The gate of one server. */
export interface AccessRules {
  /** The server's own origin, `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** What every address begins with. */
  readonly token: string
}

/** A request as it came. */
export interface ReviewRequest {
  readonly method: string
  /** Path and query as in the request line. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A request that is let in: its path behind the token, in pieces. */
export interface AdmittedRequest {
  readonly method: "GET" | "HEAD" | "POST"
  readonly path: ReadonlyArray<string>
}

/** Why a request is turned away: a status of HTTP with a word. */
export interface AccessRefusal {
  readonly status: 400 | 403 | 404 | 405 | 415 | 421
  readonly error: string
}

/** Lets a request in, or says why not. */
export const admitRequest = (
  { method, url, headers }: ReviewRequest,
  { origin, token }: AccessRules
): Either.Either<AdmittedRequest, AccessRefusal> => {
  // A name that another site has pointed at this machine is not this server's name.
  if (headers.host !== new URL(origin).host)
    return refused(421, "this server answers to its own address only")
  const [, given = "", ...pieces] = (url.split(/[?#]/u)[0] ?? "").split("/")
  if (!same(given, token))
    return refused(404, "not a page of this review: open the address that dubwright review has printed")
  const path = decoded(pieces)
  if (path === undefined) return refused(400, "the address cannot be read")
  switch (method) {
    case "GET":
    case "HEAD":
      return crossSite(headers) && headers["sec-fetch-mode"] !== "navigate"
        ? refused(403, "other sites' pages may not read this")
        : Either.right({ method, path })
    case "POST":
      if (headers.origin !== origin || crossSite(headers))
        return refused(403, "only the review page may change anything")
      if (!same(`${headers["x-dubwright-token"] ?? ""}`, token)) return refused(403, "the token is missing")
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

/** Compares without telling by the time it takes how much was right. */
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
