import { describe, expect, it } from "vitest"
import { Either } from "effect"
import { admitRequest, type ReviewRequest } from "../../../src/app/review/ReviewAccess.ts"

const gate = { origin: "http://127.0.0.1:4000", token: "s3cret_token-of-the-page" }
const host = "127.0.0.1:4000"
const reading = (more: Partial<ReviewRequest> = {}): ReviewRequest => ({
  method: "GET",
  url: `/${gate.token}/ep%2001/report.html?x#y`,
  headers: { host },
  ...more
})
const writing = (headers: ReviewRequest["headers"] = {}): ReviewRequest => ({
  method: "POST",
  url: `/${gate.token}/ep/cues/3/take`,
  headers: {
    host,
    origin: gate.origin,
    "x-dubwright-token": gate.token,
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    ...headers
  }
})
const status = (asked: ReviewRequest): number | undefined =>
  Either.match(admitRequest(asked, gate), { onLeft: (refusal) => refusal.status, onRight: () => undefined })

describe("access to the review server", () => {
  it("admits the page and its requests", () => {
    expect(admitRequest(reading(), gate)).toEqual(
      Either.right({ method: "GET", path: ["ep 01", "report.html"] })
    )
    expect(admitRequest(writing(), gate)).toEqual(
      Either.right({ method: "POST", path: ["ep", "cues", "3", "take"] })
    )
    expect(status(reading({ headers: { host, "sec-fetch-site": "none" } }))).toBeUndefined()
    expect(
      status(reading({ headers: { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } })),
      "admits a link with the token from anywhere"
    ).toBeUndefined()
  })

  it.each([
    ["another host name", reading({ headers: { host: "rebound.example:4000" } }), 421],
    ["no host name", reading({ headers: {} }), 421],
    ["no token", reading({ url: "/ep/report.html" }), 404],
    ["half a token", reading({ url: `/${gate.token.slice(0, -1)}/ep/report.html` }), 404],
    ["an invalid URL", reading({ url: `/${gate.token}/%E0%A4%A` }), 400],
    [
      "another site's script",
      reading({ headers: { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" } }),
      403
    ],
    [
      "another site's image",
      reading({ headers: { host, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" } }),
      403
    ],
    ["another method", reading({ method: "DELETE" }), 405],
    ["a form on another site", writing({ origin: "https://evil.example" }), 403],
    ["a page opened from disk", writing({ origin: "null" }), 403],
    ["a request without an origin", writing({ origin: undefined }), 403],
    ["another port of this machine", writing({ "sec-fetch-site": "same-site" }), 403],
    ["no token in the header", writing({ "x-dubwright-token": undefined }), 403],
    ["a wrong token in the header", writing({ "x-dubwright-token": "guess" }), 403],
    ["a content type that forms can send", writing({ "content-type": "text/plain" }), 415]
  ])("rejects %s", (_, asked, expected) => expect(status(asked)).toBe(expected))
})
