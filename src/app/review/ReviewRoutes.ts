/** Routes of the review server: pages, files, cues and changes to cues. */
import { Either } from "effect"
import type { AdmittedRequest, AccessRefusal } from "./ReviewAccess.ts"

/** A request of the editor for a cue. `replay` plays a take that exists already, and never pays. */
type Change = "take" | "replay" | "accept" | "withdraw"
type ShapeChange = "split" | "join" | "shift"

/** A matched route. */
export type Route =
  | { readonly _tag: "Home" }
  | { readonly _tag: "Batch" }
  | { readonly _tag: "Report"; readonly job: string }
  | { readonly _tag: "File"; readonly job: string; readonly file: string }
  | { readonly _tag: "Film"; readonly job: string; readonly file: string }
  | { readonly _tag: "Delivery"; readonly job: string }
  | { readonly _tag: "Step"; readonly job: string; readonly step: "undo" | "redo" }
  | { readonly _tag: "Approve"; readonly job: string }
  | { readonly _tag: "Speakers"; readonly job: string }
  | { readonly _tag: "Voice"; readonly job: string; readonly step: "price" | "save" }
  | { readonly _tag: "Shape"; readonly job: string; readonly cue: number; readonly change: ShapeChange }
  | { readonly _tag: "Cue"; readonly job: string; readonly cue: number }
  /** The mix around the cue's last take. */
  | { readonly _tag: "Preview"; readonly job: string; readonly cue: number }
  | { readonly _tag: "Change"; readonly job: string; readonly cue: number; readonly change: Change }

/** Matches a request to a route, or returns 404 or 405. */
export const routeOf = ({ method, path }: AdmittedRequest): Either.Either<Route, AccessRefusal> => {
  const route = leadsTo(path)
  if (route === undefined) return Either.left({ status: 404, error: "no such page" })
  const posted = isPosted(route)
  return (method === "POST") === posted
    ? Either.right(route)
    : Either.left({ status: 405, error: posted ? "expected POST" : "expected GET" })
}

/** A route that changes something, or asks for the price of a change. */
export type PostedRoute = Extract<Route, { readonly _tag: "Change" | "Step" | "Approve" | "Voice" | "Shape" }>

/** Whether a route is requested by POST. */
export const isPosted = (route: Route): route is PostedRoute =>
  ["Change", "Step", "Approve", "Voice", "Shape"].includes(route._tag)

const leadsTo = ([first = "", second, cue, what, ...more]: ReadonlyArray<string>): Route | undefined => {
  if (more.length > 0) return undefined
  if (second === undefined)
    return first === "" ? { _tag: "Home" } : first === "index.html" ? { _tag: "Batch" } : undefined
  if (cue === undefined) return pageOf(first, second)
  if (second === "voice" && (cue === "price" || cue === "save") && what === undefined)
    return { _tag: "Voice", job: first, step: cue }
  if (second === "film" && what === undefined) return { _tag: "Film", job: first, file: cue }
  if (second !== "cues" || !/^\d{1,9}$/u.test(cue)) return undefined
  if (what === undefined) return { _tag: "Cue", job: first, cue: Number(cue) }
  if (what === "preview") return { _tag: "Preview", job: first, cue: Number(cue) }
  if (isShape(what)) return { _tag: "Shape", job: first, cue: Number(cue), change: what }
  return isChange(what) ? { _tag: "Change", job: first, cue: Number(cue), change: what } : undefined
}

const pageOf = (job: string, name: string): Route => {
  switch (name) {
    case "report.html":
      return { _tag: "Report", job }
    case "delivery":
      return { _tag: "Delivery", job }
    case "undo":
    case "redo":
      return { _tag: "Step", job, step: name }
    case "approve":
      return { _tag: "Approve", job }
    case "speakers":
      return { _tag: "Speakers", job }
    default:
      return { _tag: "File", job, file: name }
  }
}

const isShape = (what: string): what is ShapeChange => ["split", "join", "shift"].includes(what)

const isChange = (what: string): what is Change => ["take", "replay", "accept", "withdraw"].includes(what)
