/** Routes of the review server: pages, files, cues and changes to cues. */
import { Either } from "effect"
import type { AdmittedRequest, AccessRefusal } from "./ReviewAccess.ts"

/** A change that the editor requests for a cue. */
type Change = "take" | "accept" | "withdraw"

/** A matched route. */
export type Route =
  | { readonly _tag: "Home" }
  | { readonly _tag: "Batch" }
  | { readonly _tag: "Report"; readonly job: string }
  | { readonly _tag: "File"; readonly job: string; readonly file: string }
  | { readonly _tag: "Film"; readonly job: string; readonly file: string }
  | { readonly _tag: "Delivery"; readonly job: string }
  | { readonly _tag: "Step"; readonly job: string; readonly step: "undo" | "redo" }
  | { readonly _tag: "Cue"; readonly job: string; readonly cue: number }
  | { readonly _tag: "Change"; readonly job: string; readonly cue: number; readonly change: Change }

/** Matches a request to a route, or returns 404 or 405. */
export const routeOf = ({ method, path }: AdmittedRequest): Either.Either<Route, AccessRefusal> => {
  const route = leadsTo(path)
  if (route === undefined) return Either.left({ status: 404, error: "no such page" })
  const posted = route._tag === "Change" || route._tag === "Step"
  return (method === "POST") === posted
    ? Either.right(route)
    : Either.left({ status: 405, error: posted ? "expected POST" : "expected GET" })
}

const leadsTo = ([first = "", second, cue, what, ...more]: ReadonlyArray<string>): Route | undefined => {
  if (more.length > 0) return undefined
  if (second === undefined)
    return first === "" ? { _tag: "Home" } : first === "index.html" ? { _tag: "Batch" } : undefined
  if (cue === undefined)
    return second === "report.html"
      ? { _tag: "Report", job: first }
      : second === "delivery"
        ? { _tag: "Delivery", job: first }
        : second === "undo" || second === "redo"
          ? { _tag: "Step", job: first, step: second }
          : { _tag: "File", job: first, file: second }
  if (second === "film" && what === undefined) return { _tag: "Film", job: first, file: cue }
  if (second !== "cues" || !/^\d{1,9}$/u.test(cue)) return undefined
  if (what === undefined) return { _tag: "Cue", job: first, cue: Number(cue) }
  return isChange(what) ? { _tag: "Change", job: first, cue: Number(cue), change: what } : undefined
}

const isChange = (what: string): what is Change => ["take", "accept", "withdraw"].includes(what)
