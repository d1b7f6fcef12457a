/** Enters a review as a browser does: exchanges the token of the printed address for a cookie. */
import type { Page } from "playwright-core"
import { expect } from "vitest"

/** Access to a review without a browser. */
export interface EnteredReview {
  /** The batch's folder in the review; it ends in `/`. */
  readonly address: URL
  /** The headers that the browser adds to requests of the review's own pages. */
  readonly headers: Readonly<Record<"cookie" | "origin", string>>
  /** Requests a path below the address. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
}

/** Takes the line that `review` printed. */
export const enterReview = async (line: string): Promise<EnteredReview> => {
  const printed = new URL(line.replace("review ", ""))
  const answer = await fetch(printed, { redirect: "manual" })
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "index.html"])
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  const [address, headers] = [new URL(".", printed), { cookie, origin: printed.origin }]
  return {
    address,
    headers,
    ask: (path, init = {}) =>
      fetch(`${address.href}${path}`, { ...init, headers: { ...headers, ...init.headers } })
  }
}

/** Takes the line that `review` printed; returns the batch's folder in the review, which ends in `/`. */
export const enterReviewIn = async (page: Page, line: string): Promise<string> => {
  await page.goto(line.replace("review ", ""))
  return new URL(".", page.url()).href
}
