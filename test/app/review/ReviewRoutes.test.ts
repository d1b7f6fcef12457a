import { describe, expect, it } from "vitest"
import { Either } from "effect"
import type { AdmittedRequest } from "../../../src/app/review/ReviewAccess.ts"
import { routeOf } from "../../../src/app/review/ReviewRoutes.ts"

const got = (...path: ReadonlyArray<string>): AdmittedRequest => ({ _tag: "Admitted", method: "GET", path })
const posted = (...path: ReadonlyArray<string>): AdmittedRequest => ({
  _tag: "Admitted",
  method: "POST",
  path
})

describe("review server routes", () => {
  it.each([
    ["the root", got(""), { _tag: "Home" }],
    ["the root without its slash", got(), { _tag: "Home" }],
    ["the batch's page", got("index.html"), { _tag: "Batch" }],
    ["a job's page", got("ep 01", "report.html"), { _tag: "Report", job: "ep 01" }],
    ["a job's audio", got("ep", "ep.wav"), { _tag: "File", job: "ep", file: "ep.wav" }],
    ["a job's film", got("ep", "film", "ep 01.mp4"), { _tag: "Film", job: "ep", file: "ep 01.mp4" }],
    ["a cue", got("ep", "cues", "12"), { _tag: "Cue", job: "ep", cue: 12 }],
    ["the mix around its take", got("ep", "cues", "12", "preview"), { _tag: "Preview", job: "ep", cue: 12 }],
    ["an undo", posted("ep", "undo"), { _tag: "Step", job: "ep", step: "undo" }],
    [
      "a change to it",
      posted("ep", "cues", "12", "accept"),
      { _tag: "Change", job: "ep", cue: 12, change: "accept" }
    ]
  ])("match %s", (_, asked, route) => expect(routeOf(asked)).toEqual(Either.right(route)))

  it.each([
    ["POST to a page", posted("index.html"), 405],
    ["POST to audio", posted("ep", "ep.wav"), 405],
    ["GET of an undo", got("ep", "undo"), 405],
    ["POST to a cue", posted("ep", "cues", "12"), 405],
    ["GET of a change", got("ep", "cues", "12", "accept"), 405],
    ["POST to the mix around a take", posted("ep", "cues", "12", "preview"), 405],
    ["an unknown change", posted("ep", "cues", "12", "delete"), 404],
    ["a cue without a number", got("ep", "cues", "x"), 404],
    ["a cue number that is too long", got("ep", "cues", "1234567890"), 404],
    ["a folder", got("ep"), 404],
    ["a path below a change", posted("ep", "cues", "12", "accept", "x"), 404],
    ["a path below a film", got("ep", "film", "ep.mp4", "x"), 404],
    ["a path below a file", got("ep", "ep.wav", "x"), 404]
  ])("reject %s", (_, asked, status) =>
    expect(Either.mapLeft(routeOf(asked), (refusal) => refusal.status)).toEqual(Either.left(status))
  )
})
