import { describe, expect, it } from "vitest"
import { Either } from "effect"
import type { AdmittedRequest } from "../../../src/app/review/ReviewAccess.ts"
import { routeOf } from "../../../src/app/review/ReviewRoutes.ts"

const got = (...path: ReadonlyArray<string>): AdmittedRequest => ({ method: "GET", path })
const posted = (...path: ReadonlyArray<string>): AdmittedRequest => ({ method: "POST", path })

describe("an address of the review server", () => {
  it.each([
    ["the way in", got(""), { _tag: "Home" }],
    ["the way in without its slash", got(), { _tag: "Home" }],
    ["the batch's page", got("index.html"), { _tag: "Batch" }],
    ["a job's page", got("ep 01", "report.html"), { _tag: "Report", job: "ep 01" }],
    ["a job's sound", got("ep", "ep.wav"), { _tag: "File", job: "ep", file: "ep.wav" }],
    ["a cue as it is", got("ep", "cues", "12"), { _tag: "Cue", job: "ep", cue: 12 }],
    [
      "a change to it",
      posted("ep", "cues", "12", "accept"),
      { _tag: "Change", job: "ep", cue: 12, change: "accept" }
    ]
  ])("leads to %s", (_, asked, route) => expect(routeOf(asked)).toEqual(Either.right(route)))

  it.each([
    ["a page that is posted to", posted("index.html"), 405],
    ["a sound that is posted to", posted("ep", "ep.wav"), 405],
    ["a cue that is posted to", posted("ep", "cues", "12"), 405],
    ["a change that is only looked at", got("ep", "cues", "12", "accept"), 405],
    ["a change that there is not", posted("ep", "cues", "12", "delete"), 404],
    ["a cue without a number", got("ep", "cues", "x"), 404],
    ["a cue with a number far too long", got("ep", "cues", "1234567890"), 404],
    ["a folder", got("ep"), 404],
    ["something below a change", posted("ep", "cues", "12", "accept", "x"), 404],
    ["something below a file", got("ep", "ep.wav", "x"), 404]
  ])("refuses %s", (_, asked, status) =>
    expect(Either.mapLeft(routeOf(asked), (refusal) => refusal.status)).toEqual(Either.left(status))
  )
})
