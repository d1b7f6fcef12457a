/** A real browser for the pages' tests. */
import { existsSync } from "node:fs"
import { chromium as playwright, type Browser, type Page } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path)
)

/** Whether there is a browser to try the pages in, and the word for where there is none. */
export const noChromium = executablePath === undefined
export const chromiumNeeded = noChromium
  ? "skipped, no Chromium found: apt-get install chromium"
  : "in Chromium"

/** Starts the browser without anything of its own that would reach for the network. */
export const startChromium = (): Promise<Browser> =>
  playwright.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })

/** What a page did that no page should do: errors on its console, and requests beyond its own folder or host. */
export const misdeedsOf = (page: Page, home: string): ReadonlyArray<string> => {
  const misdeeds: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) misdeeds.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => misdeeds.push(`error: ${error.message}`))
  page.on("request", (request) => {
    if (!/^(?:data|blob):/u.test(request.url()) && !request.url().startsWith(home)) {
      misdeeds.push(`request: ${request.url()}`)
    }
  })
  return misdeeds
}
