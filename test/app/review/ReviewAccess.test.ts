import { describe, expect, it } from "vitest"
import { Either } from "effect"
import { makeReviewAccess, type ReviewRequest } from "../../../src/app/review/ReviewAccess.ts"

const origin = "http://127.0.0.1:4000"
const host = "127.0.0.1:4000"

/** A server, and the request of a browser that opens an address. */
const serve = () => {
  const access = makeReviewAccess(origin)
  const open = (address: string, headers: ReviewRequest["headers"] = {}) =>
    access.decide({ method: "GET", url: new URL(address).pathname, headers: { host, ...headers } })
  return { ...access, open }
}

/** The same text with another last character. */
const guess = (text: string): string => `${text.slice(0, -1)}${text.endsWith("_") ? "-" : "_"}`

/** A server that one browser has entered, with the home page and the cookie of that browser. */
const entered = () => {
  const server = serve()
  const decision = Either.getOrThrow(server.open(server.address))
  if (decision._tag !== "Entry") throw new Error(decision._tag)
  const [cookie = "", ...rules] = decision.cookie.split("; ")
  return { ...server, home: new URL(".", server.address).pathname, cookie, rules }
}

const { home, cookie, decide } = entered()
const reading = (more: Partial<ReviewRequest> = {}): ReviewRequest => ({
  method: "GET",
  url: `${home}ep%2001/report.html?x#y`,
  headers: { host, cookie },
  ...more
})
const writing = (headers: ReviewRequest["headers"] = {}): ReviewRequest => ({
  method: "POST",
  url: `${home}ep/cues/3/take`,
  headers: {
    host,
    origin,
    cookie,
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    ...headers
  }
})
const status = (asked: ReviewRequest): number | undefined =>
  Either.match(decide(asked), { onLeft: (refusal) => refusal.status, onRight: () => undefined })

describe("access to the review server", () => {
  it("admits the page and its requests", () => {
    expect(decide(reading())).toEqual(
      Either.right({ _tag: "Admitted", method: "GET", path: ["ep 01", "report.html"] })
    )
    expect(decide(writing())).toEqual(
      Either.right({ _tag: "Admitted", method: "POST", path: ["ep", "cues", "3", "take"] })
    )
    expect(status(reading({ headers: { host, cookie, "sec-fetch-site": "none" } }))).toBeUndefined()
    expect(status(reading({ headers: { host, cookie: `other=1; ${cookie}` } }))).toBeUndefined()
  })

  it.each([
    ["another host name", reading({ headers: { host: "rebound.example:4000", cookie } }), 421],
    ["no host name", reading({ headers: { cookie } }), 421],
    ["another path", reading({ url: "/ep/report.html" }), 404],
    ["half of the path", reading({ url: `${home.slice(0, -2)}/ep/report.html` }), 404],
    ["an invalid URL", reading({ url: `${home}%E0%A4%A` }), 400],
    ["no cookie", reading({ headers: { host } }), 403],
    ["a guessed cookie", reading({ headers: { host, cookie: guess(cookie) } }), 403],
    ["half of the cookie", reading({ headers: { host, cookie: cookie.slice(0, -1) } }), 403],
    [
      "another site's script",
      reading({ headers: { host, cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" } }),
      403
    ],
    [
      "another site's image",
      reading({ headers: { host, cookie, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" } }),
      403
    ],
    ["another method", reading({ method: "DELETE" }), 405],
    ["a form on another site", writing({ origin: "https://evil.example" }), 403],
    ["a page opened from disk", writing({ origin: "null" }), 403],
    ["a request without an origin", writing({ origin: undefined }), 403],
    ["another port of this machine", writing({ "sec-fetch-site": "same-site" }), 403],
    ["a change without the cookie", writing({ cookie: undefined }), 403],
    ["a content type that forms can send", writing({ "content-type": "text/plain" }), 415]
  ])("rejects %s", (_, asked, expected) => expect(status(asked)).toBe(expected))
})

describe("the address that is printed", () => {
  it("is exchanged once for a cookie of its random path, which scripts and other sites do not get", () => {
    const { open, address, cookie, rules, home } = entered()
    expect(rules).toEqual([`Path=${home}`, "HttpOnly", "SameSite=Strict"])
    expect(home).toMatch(/^\/[\w-]{12}\/$/u)
    expect(new URL(address).pathname.replace(home, "")).toMatch(/^[\w-]{32}$/u)
    expect(cookie).not.toContain(new URL(address).pathname.slice(1))
    expect(Either.isLeft(open(address)), "not again").toBe(true)
  })

  it("leads a browser with access to the batch's page, however often it is opened", () => {
    const { open, address, cookie } = entered()
    for (let times = 0; times < 3; times++)
      expect(Either.getOrThrow(open(address, { cookie }))).toMatchObject({ path: [""] })
  })

  it("is replaced by a new one if another browser asks, once, until that one is used", () => {
    const { open, address, cookie } = entered()
    const refusal = Either.getOrThrow(Either.flip(open(address)))
    const fresh = refusal.address ?? ""
    expect(refusal.error).toContain("open the last address that dubwright review printed")
    expect(new URL(".", fresh).href).toBe(new URL(".", address).href)
    expect(fresh).not.toBe(address)
    for (const asked of [address, `${new URL(".", address).href}film/report.html`])
      expect(Either.getOrThrow(Either.flip(open(asked)))).toEqual({ status: 403, error: refusal.error })
    expect(Either.getOrThrow(open(fresh))).toMatchObject({ _tag: "Entry" })
    expect(Either.isLeft(open(fresh)), "not again").toBe(true)
    expect(Either.getOrThrow(open(fresh, { cookie }))).toMatchObject({ path: [""] })
  })

  it("is not used up by a guess, by another site, or by a request for its headers", () => {
    const { open, address, decide } = serve()
    const url = new URL(address).pathname
    open(guess(address))
    open(address, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })
    decide({ method: "HEAD", url, headers: { host } })
    decide({ method: "POST", url, headers: { host, origin, "content-type": "application/json" } })
    expect(Either.getOrThrow(open(address))).toMatchObject({ _tag: "Entry" })
  })

  it("is used up by a browser with access, too, since it is then in its history", () => {
    const { open, address, cookie } = entered()
    const fresh = Either.getOrThrow(Either.flip(open(address))).address ?? ""
    open(fresh, { cookie })
    expect(Either.isLeft(open(fresh))).toBe(true)
  })
})

it("reloads a page once that another site has linked to, since the link comes without the cookie", () => {
  const { open, home } = entered()
  const linked = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
  expect(open(`${origin}${home}ep/report.html`, linked)).toEqual(Either.right({ _tag: "Reload" }))
  expect(
    Either.isLeft(decide({ method: "GET", url: `${home}ep/report.html?`, headers: { host, ...linked } }))
  ).toBe(true)
})
