/** Chromium for the page tests, through Playwright. */
import { existsSync } from "node:fs"
import { chromium as playwright, type Browser, type BrowserContext, type Page } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path)
)

/** Whether no Chromium was found, and the note for test titles. */
export const noChromium = executablePath === undefined
export const chromiumNeeded = noChromium
  ? "skipped, no Chromium found: apt-get install chromium"
  : "in Chromium"

/** Options that disable the browser's own network features. */
const options = {
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
}

/** Starts the browser, which keeps nothing. */
export const startChromium = (): Promise<Browser> => playwright.launch(options)

/** Starts the browser with a folder for its profile: its history, its cookies. */
export const startChromiumIn = (profile: string): Promise<BrowserContext> =>
  playwright.launchPersistentContext(profile, options)

/** How a page is shown; 1280 by 720 and light unless said otherwise. */
export interface Shown {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: "light" | "dark"
}

/** A browser with one page, which tests use in turn: another page would be a process, which costs more than a test. */
export interface Tab {
  /** Returns the page as if it were new: blank, and without listeners, routes or stored choices. */
  readonly fresh: (shown?: Shown) => Promise<Page>
  readonly close: () => Promise<void>
}

export const startTab = async (): Promise<Tab> => {
  const browser = await startChromium()
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  return {
    fresh: async ({ viewport = { width: 1280, height: 720 }, colorScheme = "light" } = {}) => {
      page.removeAllListeners()
      await page.unrouteAll({ behavior: "ignoreErrors" })
      // The previous test's page may just be reloading.
      const forget = () => page.evaluate("sessionStorage.clear()")
      if (page.url() !== "about:blank") await forget().catch(() => page.waitForLoadState().then(forget))
      await page.goto("about:blank")
      await page.mouse.move(0, 0)
      await page.setViewportSize(viewport)
      await page.emulateMedia({ media: null, colorScheme })
      return page
    },
    close: async () => {
      // A request that a test held back may just continue.
      await page.unrouteAll({ behavior: "ignoreErrors" })
      await browser.close()
    }
  }
}

/** Collects the faults of a page: console errors and warnings, and requests outside its own folder or host. */
export const misdeedsOf = (page: Page, home: string): ReadonlyArray<string> => {
  const misdeeds: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      misdeeds.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on("pageerror", (error) => misdeeds.push(`error: ${error.message}`))
  page.on("request", (request) => {
    if (!/^(?:data|blob):/u.test(request.url()) && !request.url().startsWith(home)) {
      misdeeds.push(`request: ${request.url()}`)
    }
  })
  return misdeeds
}
