/** The review server, asked from its own page. */
import type { ReviewError } from "../../data/ReviewProtocol.ts"

/** Asks the server for what stands beside the page; what it refuses comes back as an error in its own words. */
export const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
  const answer = await fetch(path, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", "x-dubwright-token": token },
    credentials: "omit",
    cache: "no-store"
  }).catch(() => undefined)
  if (answer === undefined) throw new Error("the review server does not answer: was it stopped?")
  const said: Answer | ReviewError = await answer.json()
  if (isTrouble(said)) throw new Error(said.error)
  return said
}

/** The page's own address holds the token that admits it. */
const token = location.pathname.split("/")[1] ?? ""

const isTrouble = (said: unknown): said is ReviewError =>
  typeof said === "object" && said !== null && "error" in said && typeof said.error === "string"
