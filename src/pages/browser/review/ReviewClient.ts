/** HTTP client of the review server, for use on its own pages. */
import type { ReviewError } from "../../data/ReviewProtocol.ts"

/**
 * Requests a path relative to the page: POST with a body, else GET. Throws the server's own message if it rejects the
 * request.
 */
export const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
  const answer = await fetch(path, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
    credentials: "same-origin",
    cache: "no-store"
  }).catch(() => undefined)
  if (answer === undefined)
    throw new Error("the review server does not respond; start it again and open its new address")
  const said: Answer | ReviewError = await answer.json()
  if (isTrouble(said)) throw new Error(said.error)
  return said
}

const isTrouble = (said: unknown): said is ReviewError =>
  typeof said === "object" && said !== null && "error" in said && typeof said.error === "string"
