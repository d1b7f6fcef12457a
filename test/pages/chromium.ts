/** Chromium for the page tests, through Playwright. */
import { existsSync } from "node:fs"
import { chromium as playwright, type Browser, type Page } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path)
)

/** Whether no Chromium was found, and the note for test titles. */
export const noChromium = executablePath === undefined
export const chromiumNeeded = noChromium
  ? "skipped, no Chromium found: apt-get install chromium"
  : "in Chromium"

/** Starts the browser with its own network features disabled. */
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

/** Collects the faults of a page: console errors and warnings, and requests outside its own folder or host. */
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
