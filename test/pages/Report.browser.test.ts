/** The morning report as a person, a keyboard and a screen reader meet it, opened from disk. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PageParts } from "../../src/pages/documents/PageDocument.ts"
import { batchPage } from "../../src/pages/documents/BatchPage.ts"
import { planPage } from "../../src/pages/documents/PlanPage.ts"
import { jobPage } from "../../src/pages/documents/JobPage.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium, startChromium } from "./chromium.ts"
import { lastMetrics, sampleMetrics, samplePlan, sampleReport, sampleRun, sampleSound } from "./sample.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright pages #"))
const home = pathToFileURL(folder).href
const wide = { width: 1280, height: 900 }
const narrow = { width: 400, height: 800 }

describe.skipIf(noChromium)(`the morning report (${chromiumNeeded})`, () => {
  let browser: Browser

  beforeAll(async () => {
    const parts: { readonly job: PageParts; readonly batch: PageParts; readonly plan: PageParts } =
      JSON.parse(readFileSync("dist/pages.json", "utf8"))
    for (const [name, count] of [
      ["short", 24],
      ["long", 2_000]
    ] as const) {
      const report = sampleReport(count)
      const { wav, peaks } = sampleSound(report)
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "ep 01 #1.wav"), wav)
      writeFileSync(
        join(folder, name, "report.html"),
        jobPage(report, { audio: "ep 01 #1.wav", peaks, lastMetrics, parts: parts.job }).text
      )
    }
    mkdirSync(join(folder, "silent"))
    writeFileSync(
      join(folder, "silent", "report.html"),
      jobPage(sampleReport(24), { audio: undefined, peaks: [], parts: parts.job }).text
    )
    const fine = { ...sampleMetrics, coverage: 1, speedOver13: 0, overruns: 0 }
    writeFileSync(
      join(folder, "index.html"),
      batchPage(
        sampleRun,
        sampleRun.jobs.map((summary) => ({
          summary,
          metrics: summary.id === "calm" ? fine : sampleMetrics,
          looks: summary.id === "calm" ? 0 : 3,
          href: "short/report.html",
          lastMetrics
        })),
        parts.batch
      ).text
    )
    writeFileSync(join(folder, "plan.html"), planPage(samplePlan, parts.plan).text)
    browser = await startChromium()
  })

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  /** Opens a page, does something with it, and expects that it did nothing wrong meanwhile. */
  const visiting = async (
    file: string,
    options: BrowserContextOptions,
    visit: (page: Page) => Promise<void>
  ): Promise<void> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const misdeeds = misdeedsOf(page, home)
    await page.goto(`${home}/${file}`)
    await visit(page)
    expect(misdeeds).toEqual([])
    expect(await page.evaluate("window.caught")).toBeUndefined()
    await context.close()
  }

  const current = (page: Page) => page.locator("#cues [aria-current]").getAttribute("id")
  const shownRows = (page: Page) => page.locator("#cues tr:not([hidden])")
  const position = (page: Page) => page.evaluate<number>("document.querySelector('#audio').currentTime")

  // The page's policy lets nobody evaluate text inside it, so it is asked from outside until it says so.
  const until = (page: Page, condition: string) =>
    expect.poll(() => page.evaluate<boolean>(condition), { timeout: 20_000 }).toBe(true)

  it("goes through cues by key, the flagged ones first", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("j")
      expect(await current(page)).toBe("cue-6")
      await page.keyboard.press("n")
      expect(await current(page)).toBe("cue-8")
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      expect(await current(page)).toBe("cue-1")
      await page.keyboard.press("p")
      expect(await current(page)).toBe("cue-14")
      await page.keyboard.press("o")
      await page.keyboard.press("j")
      expect(await current(page)).toBe("cue-15")
      await page.keyboard.press("k")
      await page.keyboard.press("k")
      expect(await current(page)).toBe("cue-13")
      expect(await page.locator("#live").textContent()).toBe(
        "Cue 13, LAN, 0:36.5, LAN: She said the bridge was closed, and that nobody had told the drivers about it."
      )
      expect(await page.locator("#now-source").textContent()).toContain("She said the bridge")
    }))

  it("moves the focus with the current cue, and leaves arrows to the page elsewhere", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("ArrowDown")
      expect(await page.locator("#cues [aria-current]").count()).toBe(0)
      await page.locator("#cue-8 .play").focus()
      await page.keyboard.press("ArrowDown")
      expect(await current(page)).toBe("cue-6")
      await page.keyboard.press("ArrowDown")
      expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("8")
      expect(await page.locator('#cues .play[tabindex="0"]').count()).toBe(1)
    }))

  it("plays a cue: the position goes into it and stops at its end", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.locator("#cue-14 .play").click()
      await until(page, "!document.querySelector('#audio').paused")
      expect(await position(page)).toBeGreaterThanOrEqual(39.9)
      expect(await position(page)).toBeLessThan(41.8)
      await until(page, "document.querySelector('#audio').paused")
      expect(await position(page)).toBeGreaterThanOrEqual(41.7)
      expect(await position(page)).toBeLessThan(42.1)
      expect(await page.locator("#play").textContent()).toBe("Play")
    }))

  it("plays by key, follows what is heard, and pauses", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("o")
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await until(page, "!document.querySelector('#audio').paused")
      expect(await position(page)).toBeLessThan(2.4)
      await page.keyboard.press("j")
      await until(page, "document.querySelector('#audio').currentTime >= 3.5")
      expect(await current(page)).toBe("cue-2")
      await page.keyboard.press(" ")
      expect(await page.evaluate("document.querySelector('#audio').paused")).toBe(true)
      await page.evaluate("void (document.querySelector('#audio').currentTime = 18.9)")
      await page.keyboard.press(" ")
      await page.waitForSelector("#cue-7[aria-current]")
      await page.keyboard.press(" ")
    }))

  it("hears a cue that is clicked on the waveform, in the picture or in its row", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.locator("#wave").locator('[part~="cue-1"]').click()
      expect(await current(page)).toBe("cue-2")
      await page.locator("#chart summary").click()
      const plot = page.locator("#chart svg").first()
      const width = await page.evaluate<number>("document.querySelector('#chart svg').clientWidth")
      await plot.click({ position: { x: (width * 49.5) / 73, y: 80 } })
      expect(await current(page)).toBe("cue-17")
      await page.locator("#cue-9 .source").click()
      expect(await current(page)).toBe("cue-9")
      await until(page, "document.querySelector('#audio').currentTime >= 24.5")
    }))

  it("finds cues by word without marks and case, by mark, by speaker", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("/")
      await page.keyboard.type("DAO nho")
      expect(await shownRows(page).count()).toBe(4)
      expect(await page.locator("#shown").textContent()).toBe("4 of 24 cues")
      await page.keyboard.press("Escape")
      expect(await shownRows(page).count()).toBe(24)
      await page.locator("#filter").selectOption("marked")
      expect(
        await page.evaluate("[...document.querySelectorAll('#cues tr:not([hidden])')].map((row) => row.id)")
      ).toEqual(["cue-6", "cue-8", "cue-14"])
      await page.locator("#filter").selectOption("mark:fast")
      expect(await shownRows(page).count()).toBe(1)
      await page.locator("#filter").selectOption("status:skipped")
      expect(await shownRows(page).locator(".spoken").allTextContents()).toEqual(["not spoken: music"])
      await page.locator("#filter").selectOption("all")
      await page.locator("#speaker").selectOption("LAN")
      expect(await shownRows(page).count()).toBe(12)
    }))

  it("explains its keys, and stops listening to them when told", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("?")
      expect(await page.locator("#help").isVisible()).toBe(true)
      await page.locator("#keys-on").uncheck()
      await page.keyboard.press("Escape")
      expect(await page.locator("#help").isVisible()).toBe(false)
      await page.keyboard.press("j")
      expect(await page.locator("#cues [aria-current]").count()).toBe(0)
    }))

  it("can be read and searched where there is no sound", () =>
    visiting("silent/report.html", { viewport: narrow }, async (page) => {
      expect(await page.locator("#play").isDisabled()).toBe(true)
      await page.keyboard.press("n")
      await page.keyboard.press("Enter")
      expect(await current(page)).toBe("cue-6")
    }))

  it("shows 2,000 cues, draws those in sight, and jumps to the one in its address", () =>
    visiting("long/report.html#cue-1503", { viewport: wide }, async (page) => {
      expect(await page.locator("#cues tr").count()).toBe(2_000)
      expect(await current(page)).toBe("cue-1503")
      await page.locator("#wave").locator('[part~="cue-1502"]').waitFor()
      expect(await page.locator("#wave").locator('[part~="region"]').count()).toBeLessThan(120)
      await page.keyboard.press("-")
      await page.keyboard.press("+")
      await page.locator("#search").fill("bridge")
      expect(await page.locator("#shown").textContent()).toBe("400 of 2000 cues")
    }))

  it("sorts by every column, either way, and says so", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      const rows = () =>
        page.evaluate<ReadonlyArray<string>>(
          "[...document.querySelectorAll('#cues tr')].slice(0, 3).map((row) => row.id.slice(4))"
        )
      const sorts = () =>
        page.evaluate<ReadonlyArray<string>>(
          "[...document.querySelectorAll('th')].flatMap((head) => { const sort = head.getAttribute('aria-sort'); return sort === null || sort === 'none' ? [] : [head.textContent.trim() + ' ' + sort] })"
        )
      expect([await rows(), await sorts()]).toEqual([["6", "8", "14"], ["Check descending"]])
      const heads = page.locator("th .sort")
      expect(await heads.allTextContents()).toEqual([
        "Cue",
        "Time",
        "Speaker",
        "Source",
        "Spoken",
        "Speed",
        "Shift",
        "Check"
      ])
      await heads.nth(5).focus()
      await page.keyboard.press("Enter")
      await page.keyboard.press("Enter")
      expect([await rows(), await sorts()]).toEqual([["14", "8", "9"], ["Speed descending"]])
      await heads.nth(2).click()
      expect([await rows(), await sorts()]).toEqual([["1", "3", "5"], ["Speaker ascending"]])
      await page.keyboard.press("o")
      expect([await rows(), await sorts()]).toEqual([["6", "8", "14"], ["Check descending"]])
      for (const [at, name] of (await heads.allTextContents()).entries()) {
        const [once, twice] = name === "Check" ? ["descending", "ascending"] : ["ascending", "descending"]
        await heads.nth(at).focus()
        await page.keyboard.press("Enter")
        expect(await sorts()).toEqual([`${name} ${once}`])
        await page.keyboard.press("Enter")
        expect(await sorts()).toEqual([`${name} ${twice}`])
      }
      expect(await seriousFindings(page)).toEqual([])
      await page.setViewportSize(narrow)
      await page.locator("#order").selectOption({ label: "Time" })
      expect([await rows(), await sorts()]).toEqual([["1", "2", "3"], ["Time ascending"]])
    }))

  it("names what is wrong with a cue, and shows the worst one without scrolling", () =>
    visiting("short/report.html", { viewport: { width: 1280, height: 800 } }, async (page) => {
      expect(await page.locator("#cue-6 .mark").allTextContents()).toEqual(["not spoken"])
      expect(await page.locator("#cue-8 .mark").allTextContents()).toEqual(["runs over"])
      expect(await page.locator("#cue-14 .mark").allTextContents()).toEqual(["rushed", "starts late"])
      expect(
        await page.evaluate<number>("document.querySelector('#cues tr').getBoundingClientRect().bottom")
      ).toBeLessThanOrEqual(800)
    }))

  it("sorts a batch's jobs by a column", () =>
    visiting("index.html", { viewport: wide }, async (page) => {
      await page.locator("th .sort").first().click()
      expect(await page.locator("#jobs .job").allTextContents()).toEqual(
        [...(await page.locator("#jobs .job").allTextContents())].sort()
      )
      expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain("Job")
    }))

  it("draws speed and shift under the waveform: the same edges and the same time, zoomed or resized", () =>
    visiting("long/report.html#cue-1503", { viewport: wide }, async (page) => {
      await page.locator("#chart summary").click()
      const aligned = async () => {
        const { wave, plot, shown, ticks } = await page.evaluate<{
          readonly wave: readonly [left: number, right: number, from: number, to: number]
          readonly plot: readonly [left: number, right: number]
          readonly shown: readonly [from: number, to: number]
          readonly ticks: number
        }>(`(() => {
          const box = (element) => {
            const { left, right } = element.getBoundingClientRect()
            return [left, right]
          }
          const strip = document.querySelector("#wave > div").shadowRoot.querySelector(".scroll")
          const second = strip.scrollWidth / JSON.parse(document.querySelector("#data").text).duration
          const [x, , width] = document.querySelector("#chart svg").getAttribute("viewBox").split(" ").map(Number)
          return {
            wave: [...box(strip), strip.scrollLeft / second, (strip.scrollLeft + strip.clientWidth) / second],
            plot: box(document.querySelector("#chart svg")),
            shown: [x, x + width],
            ticks: document.querySelectorAll("#chart-ticks span").length
          }
        })()`)
        expect([wave[0], wave[1], ticks]).toEqual([plot[0], plot[1], 5])
        expect(shown[0]).toBeCloseTo(wave[2], 1)
        expect(shown[1]).toBeCloseTo(wave[3], 1)
        return shown
      }
      const seen = async (wanted: (from: number, to: number) => boolean) => {
        await expect.poll(async () => wanted(...(await aligned())), { timeout: 20_000 }).toBe(true)
      }
      await seen((from, to) => from > 0 && from < 4_507 && to > 4_507)
      const [from, to] = await aligned()
      await page.keyboard.press("+")
      await seen((left, right) => right - left < to - from)
      await page.setViewportSize({ width: 700, height: 900 })
      await seen((left, right) => right - left < (to - from) * 0.6)
      await page.locator("#zoom").fill("0")
      await seen((left, right) => left === 0 && right > 6_000)
    }))

  it("goes to the cue of a link that is followed while the page is open", () =>
    visiting("short/report.html#cue-3", { viewport: wide }, async (page) => {
      expect(await current(page)).toBe("cue-3")
      await page.evaluate("void (location.hash = '#cue-12')")
      await expect.poll(() => current(page)).toBe("cue-12")
    }))

  it("changes the order by moving what stands wrong, and keeps the focus where it is", () =>
    visiting("long/report.html", { viewport: wide }, async (page) => {
      const order = () =>
        page.evaluate<ReadonlyArray<number>>(
          "[...document.querySelectorAll('#cues tr')].map((row) => Number(row.dataset.at))"
        )
      const marked = await page.locator('#cues tr:not([data-marks=""])').count()
      const flaggedFirst = await order()
      await page.evaluate(
        "window.moved = 0; new MutationObserver((all) => all.forEach(({ addedNodes }) => (window.moved += addedNodes.length))).observe(document.querySelector('#cues'), { childList: true })"
      )
      await page.locator("#cues tr .play").first().focus()
      const focused = () => page.evaluate("document.activeElement.closest('tr')?.id")
      const first = await focused()
      await page.keyboard.press("o")
      expect(await order()).toEqual([...flaggedFirst].sort((a, b) => a - b))
      expect(await focused()).toBe(first)
      await page.evaluate("window.moved = 0")
      await page.keyboard.press("o")
      expect(await order()).toEqual(flaggedFirst)
      expect(await focused()).toBe(first)
      expect(await page.evaluate("window.moved"), "those to look at, at most").toBeLessThanOrEqual(marked)
    }))

  it.each(["short/report.html", "index.html", "plan.html"])("is printed dark on light: %s", (file) =>
    visiting(file, { viewport: wide, colorScheme: "dark" }, async (page) => {
      const colour = () => page.evaluate<string>("getComputedStyle(document.body).color")
      expect(await colour()).toBe("rgb(231, 235, 241)")
      await page.emulateMedia({ media: "print" })
      expect(await colour()).toBe("rgb(27, 33, 41)")
      expect(await page.locator(".tools, #help-open").filter({ visible: true }).count()).toBe(0)
    })
  )

  it("shows a batch: what needs a look first, changes since the last run, keys, filter, the way to a job", () =>
    visiting("index.html", { viewport: wide }, async (page) => {
      expect(
        await page.evaluate("[...document.querySelectorAll('#jobs tr')].map((row) => row.dataset.state)")
      ).toEqual(["failed", "look", "fine"])
      await page.keyboard.press("n")
      await page.keyboard.press("n")
      expect(await page.locator("#live").textContent()).toBe("harbour-ep01, worth a look")
      await page.keyboard.press("/")
      await page.keyboard.type("calm")
      expect(await page.locator("#shown").textContent()).toBe("1 of 3 jobs")
      await page.keyboard.press("Escape")
      await page.locator("#filter").selectOption("failed")
      expect(await page.locator("#shown").textContent()).toBe("1 of 3 jobs")
      await page.keyboard.press("Escape")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/short/report.html")
    }))

  it("shows a plan: its lines searched by word, narrowed to a job, and visited by key", () =>
    visiting("plan.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("j")
      expect(await page.locator("#live").textContent()).toContain("7, </script>")
      await page.locator("#filter").selectOption("harbour-ep02")
      expect(await page.locator("#shown").textContent()).toBe("2 of 4 lines")
      await page.keyboard.press("Escape")
      await page.keyboard.press("/")
      await page.keyboard.type("bridge")
      expect(await page.locator("#lines tr:not([hidden])").count()).toBe(2)
    }))

  it.each([
    { colorScheme: "light", viewport: wide },
    { colorScheme: "dark", viewport: wide },
    { colorScheme: "light", viewport: narrow }
  ] as const)(
    "has nothing serious to be mended for screen readers, and fits the screen: $colorScheme, $viewport.width pixels",
    async ({ colorScheme, viewport }) => {
      for (const file of ["short/report.html", "index.html", "plan.html"]) {
        await visiting(file, { viewport, colorScheme }, async (page) => {
          await page.keyboard.press("n")
          expect(await seriousFindings(page)).toEqual([])
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
        })
      }
    }
  )

  it("has a help that screen readers can read", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("?")
      expect(await seriousFindings(page)).toEqual([])
    }))
})
