/** The report pages in a real browser, opened from disk: mouse, keyboard, screen reader, print. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PageParts } from "../../src/pages/documents/PageDocument.ts"
import { batchPage } from "../../src/pages/documents/BatchPage.ts"
import { planPage } from "../../src/pages/documents/PlanPage.ts"
import { jobPage } from "../../src/pages/documents/JobPage.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium, type Shown, startTab, type Tab } from "./chromium.ts"
import {
  crowdedReport,
  lastMetrics,
  sampleMetrics,
  samplePlan,
  sampleReport,
  sampleRun,
  sampleSound
} from "./sample.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright pages #"))
const home = pathToFileURL(folder).href
const wide = { width: 1280, height: 900 }
const narrow = { width: 400, height: 800 }

describe.skipIf(noChromium)(`the morning report (${chromiumNeeded})`, () => {
  let tab: Tab

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
    const crowded = crowdedReport()
    mkdirSync(join(folder, "crowded"))
    writeFileSync(
      join(folder, "crowded", "report.html"),
      jobPage(crowded, { audio: undefined, peaks: sampleSound(crowded).peaks, parts: parts.job }).text
    )
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
        sampleRun.jobs.map((summary, at) => ({
          summary,
          season: { episode: `S01E0${(at >> 1) + 1}`, language: ["vi", "pt-BR"][at % 2] ?? "" },
          isApproved: at === 1,
          metrics: summary.id === "calm" ? fine : sampleMetrics,
          looks: summary.id === "calm" ? 0 : 3,
          href: "short/report.html",
          lastMetrics
        })),
        parts.batch
      ).text
    )
    writeFileSync(join(folder, "plan.html"), planPage(samplePlan, parts.plan).text)
    tab = await startTab()
  })

  afterAll(async () => {
    await tab?.close()
    rmSync(folder, { recursive: true })
  })

  /** Opens a page, runs `visit`, and expects no console errors, outside requests or injected script meanwhile. */
  const visiting = async (
    file: string,
    shown: Shown,
    visit: (page: Page) => Promise<void>
  ): Promise<void> => {
    const page = await tab.fresh(shown)
    const misdeeds = misdeedsOf(page, home)
    await page.goto(`${home}/${file}`)
    await visit(page)
    expect(misdeeds).toEqual([])
    expect(await page.evaluate("window.caught")).toBeUndefined()
  }

  const current = (page: Page) => page.locator("#cues [aria-current]").getAttribute("id")
  const shownRows = (page: Page) => page.locator("#cues tr:not([hidden])")
  const position = (page: Page) => page.evaluate<number>("document.querySelector('#audio').currentTime")

  // Polls from outside: the page's Content-Security-Policy forbids evaluating strings inside it.
  const until = (page: Page, condition: string) =>
    expect.poll(() => page.evaluate<boolean>(condition)).toBe(true)

  it("steps through cues by key, flagged ones first", () =>
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

  it("moves the focus with the current cue, and leaves arrow keys to the page outside the list", () =>
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

  it("plays a cue from its start and stops at its end", () =>
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

  it("plays by key, follows the audible cue, and pauses", () =>
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

  it("plays a cue that is clicked on the waveform, in the chart or in its row", () =>
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

  it("finds cues by word (ignoring case and diacritics), by mark and by speaker", () =>
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

  it("lists its keyboard shortcuts, and ignores them once they are turned off", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("?")
      expect(await page.locator("#help").isVisible()).toBe(true)
      await page.locator("#keys-on").uncheck()
      await page.keyboard.press("Escape")
      expect(await page.locator("#help").isVisible()).toBe(false)
      await page.keyboard.press("j")
      expect(await page.locator("#cues [aria-current]").count()).toBe(0)
    }))

  it("can be read and searched without audio", () =>
    visiting("silent/report.html", { viewport: narrow }, async (page) => {
      expect(await page.locator("#play").isDisabled()).toBe(true)
      await page.keyboard.press("n")
      await page.keyboard.press("Enter")
      expect(await current(page)).toBe("cue-6")
    }))

  it("shows 2,000 cues, draws those in view, and jumps to the one in its address", () =>
    visiting("long/report.html#cue-1503", { viewport: wide }, async (page) => {
      expect(await current(page)).toBe("cue-1503")
      await page.locator("#wave").locator('[part~="cue-1502"]').waitFor()
      expect(await page.locator("#wave").locator('[part~="region"]').count()).toBeLessThan(120)
      await page.keyboard.press("-")
      await page.keyboard.press("+")
      await page.locator("#search").fill("bridge")
      expect(await page.locator("#shown").textContent()).toBe("400 of 2000 cues")
    }))

  it("sorts by every column in both directions, and sets aria-sort", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      const rows = () =>
        page.evaluate<ReadonlyArray<string>>(
          "[...document.querySelectorAll('#cues tr')].slice(0, 3).map((row) => row.id.slice(4))"
        )
      const sorts = () =>
        page.evaluate<ReadonlyArray<string>>(
          "[...document.querySelectorAll('th')].flatMap((head) => { const sort = head.getAttribute('aria-sort'); return sort === null || sort === 'none' ? [] : [head.textContent.trim() + ' ' + sort] })"
        )
      expect([await rows(), await sorts()]).toEqual([["6", "8", "14"], ["To check descending"]])
      const heads = page.locator("th .sort")
      expect(await heads.allTextContents()).toEqual([
        "Cue",
        "Time",
        "Speaker",
        "Source",
        "Spoken",
        "Speed",
        "Shift",
        "To check"
      ])
      await heads.nth(5).focus()
      await page.keyboard.press("Enter")
      await page.keyboard.press("Enter")
      expect([await rows(), await sorts()]).toEqual([["14", "8", "9"], ["Speed descending"]])
      await heads.nth(2).click()
      expect([await rows(), await sorts()]).toEqual([["1", "3", "5"], ["Speaker ascending"]])
      await page.keyboard.press("o")
      expect([await rows(), await sorts()]).toEqual([["6", "8", "14"], ["To check descending"]])
      for (const [at, name] of (await heads.allTextContents()).entries()) {
        const [once, twice] = name === "To check" ? ["descending", "ascending"] : ["ascending", "descending"]
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

  it("names a cue's problems, and shows the worst cue without scrolling", () =>
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

  it("aligns the speed and shift chart with the waveform, zoomed or resized", () =>
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
        await expect.poll(async () => wanted(...(await aligned()))).toBe(true)
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

  it("numbers a flagged cue's close neighbours on the waveform, and keeps its colour when it is current", () =>
    visiting("crowded/report.html", { viewport: wide }, async (page) => {
      const region = (at: number) => page.locator("#wave").locator(`[part~="cue-${at}"]`)
      const style = async () => (await region(5).getAttribute("style")) ?? ""
      const colour = async () => /background-color: [^;]+/u.exec(await style())?.[0]
      await region(5).waitFor()
      const before = await colour()
      await page.keyboard.press("n")
      expect(await current(page)).toBe("cue-8")
      expect([before, await colour()]).toEqual([expect.any(String), before])
      expect(await style()).toContain("inset")
      const boxes = []
      for (const at of [4, 5, 6]) {
        expect(await region(at).locator("span").textContent()).toBe(`${at + 3}`)
        boxes.push(await region(at).locator("span").boundingBox())
      }
      for (const [at, box] of boxes.entries())
        for (const other of boxes.slice(at + 1)) {
          if (box === null || other === null) throw new Error("a number is not shown")
          const apart = box.x + box.width <= other.x || other.x + other.width <= box.x
          expect(apart || box.y + box.height <= other.y || other.y + other.height <= box.y).toBe(true)
        }
    }))

  it("keeps the loudest peak off the waveform's edges", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.locator("#wave").locator('[part~="cue-1"]').waitFor()
      const inked = (from: number, to: number) =>
        page.evaluate<boolean>(`(() => {
          const canvases = document.querySelector("#wave > div").shadowRoot.querySelectorAll(".canvases canvas")
          return [...canvases].some((canvas) => {
            const { width, height } = canvas
            const rows = Math.max(1, Math.round(height * ${to - from}))
            const copy = document.createElement("canvas")
            Object.assign(copy, { width, height })
            const context = copy.getContext("2d", { willReadFrequently: true })
            context.drawImage(canvas, 0, 0)
            const { data } = context.getImageData(0, Math.round(height * ${from}), width, rows)
            return data.some((value, at) => at % 4 === 3 && value > 0)
          })
        })()`)
      expect([await inked(0, 0.05), await inked(0.1, 0.3), await inked(0.95, 1)]).toEqual([
        false,
        true,
        false
      ])
    }))

  it.each([
    [1200, 620],
    [1200, 760],
    [400, 700]
  ])("never stops within the heading when it goes to a line: %i x %i", (width, height) =>
    visiting("short/report.html", { viewport: { width, height } }, async (page) => {
      await page.locator("#chart summary").click()
      for (const key of ["n", "n", "n", "p", "p", "j", "k"]) {
        await page.keyboard.press(key)
        const { top, end, row, player } = await page.evaluate<
          Record<"top" | "end" | "row" | "player", number>
        >(`(() => {
          const at = (query) => document.querySelector(query).getBoundingClientRect()
          return {
            top: at("header").top,
            end: at(".figures").bottom,
            row: at("#cues [aria-current]").bottom,
            player: at(".player").bottom
          }
        })()`)
        expect(top >= 0 || end <= 1, `heading from ${top} to ${end} after ${key}`).toBe(true)
        expect(row).toBeGreaterThan(player)
        expect(row).toBeLessThanOrEqual(height + 1)
      }
    })
  )

  it("keeps the chart's labels inside their plots and behind the playhead", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.locator("#chart summary").click()
      const labels = await page.evaluate<ReadonlyArray<readonly [inside: boolean, inFront: string]>>(`
        [...document.querySelectorAll(".scale span")].map((label) => {
          const box = label.getBoundingClientRect()
          const plot = label.closest(".plot").getBoundingClientRect()
          const style = getComputedStyle(label)
          return [
            box.top >= plot.top - 0.5 && box.bottom <= plot.bottom + 0.5,
            label.closest(".plot").lastElementChild.tagName + " " + style.backgroundColor
          ]
        })`)
      expect(labels).toHaveLength(7)
      for (const label of labels) expect(label).toEqual([true, "svg rgba(0, 0, 0, 0)"])
    }))

  it("goes to the linked cue when a link is followed while the page is open", () =>
    visiting("short/report.html#cue-3", { viewport: wide }, async (page) => {
      expect(await current(page)).toBe("cue-3")
      await page.evaluate("void (location.hash = '#cue-12')")
      await expect.poll(() => current(page)).toBe("cue-12")
    }))

  it("has few of 2,000 rows in the document at a time, and the right ones in view", () =>
    visiting("long/report.html", { viewport: wide }, async (page) => {
      /** Cues in view, from the top, and the number of elements in the document. */
      const seen = () =>
        page.evaluate<{ readonly cues: ReadonlyArray<number>; readonly elements: number }>(`(() => {
          const top = document.querySelector(".player").getBoundingClientRect().bottom
          const rows = [...document.querySelectorAll("#cues tr")]
            .map((row) => ({ index: Number(row.id.slice(4)), box: row.getBoundingClientRect() }))
            .filter(({ box }) => box.bottom > top && box.top < innerHeight)
            .sort((a, b) => a.box.top - b.box.top)
          const touching = rows.every(({ box }, at) => at === 0 || Math.abs(box.top - rows[at - 1].box.bottom) < 1)
          if (!touching) throw new Error("rows overlap or leave a gap")
          return { cues: rows.map(({ index }) => index), elements: document.querySelectorAll("*").length }
        })()`)
      const shows = (wanted: (cues: ReadonlyArray<number>) => boolean) =>
        expect
          .poll(
            async () => {
              const { cues, elements } = await seen().catch(() => ({ cues: [], elements: 0 }))
              expect(elements).toBeLessThan(2_500)
              return wanted(cues)
            },
            { timeout: 20_000 }
          )
          .toBe(true)
      const follow = (cues: ReadonlyArray<number>) =>
        cues.length >= 3 && cues.every((index, at) => at === 0 || index === (cues[at - 1] ?? 0) + 1)
      await shows(([first]) => first === 6)
      await page.locator("#cues tr .play").first().focus()
      await page.keyboard.press("o")
      await shows((cues) => cues[0] === 1 && follow(cues))
      expect(await page.evaluate("document.activeElement.closest('tr')?.id"), "keeps the focus").toBe("cue-6")
      for (const to of [9_000, 60_000, 30_000]) {
        await page.evaluate(`scrollTo(0, ${to})`)
        await shows((cues) => (cues[0] ?? 0) > 100 && follow(cues))
      }
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
      await shows((cues) => cues.at(-1) === 2_000 && follow(cues))
      await page.locator("#filter").selectOption("mark:fast")
      await shows((cues) => cues.length > 2 && cues.every((index) => index % 40 === 14))
      await page.locator("#filter").selectOption("all")
      await page.setViewportSize(narrow)
      await page.evaluate("void (location.hash = '#cue-777')")
      await shows((cues) => cues.includes(777) && follow(cues))
    }))

  it("prints every row", () =>
    visiting("long/report.html", { viewport: wide }, async (page) => {
      await page.evaluate("void dispatchEvent(new Event('beforeprint'))")
      expect(await page.locator("#cues tr").count()).toBe(2_000)
      await page.evaluate("void dispatchEvent(new Event('afterprint'))")
      expect(await page.locator("#cues tr").count()).toBeLessThan(100)
    }))

  it.each(["short/report.html", "index.html", "plan.html"])("prints dark on light: %s", (file) =>
    visiting(file, { viewport: wide, colorScheme: "dark" }, async (page) => {
      const colour = () => page.evaluate<string>("getComputedStyle(document.body).color")
      expect(await colour()).toBe("rgb(231, 235, 241)")
      await page.emulateMedia({ media: "print" })
      expect(await colour()).toBe("rgb(27, 33, 41)")
      expect(await page.locator(".tools, #help-open").filter({ visible: true }).count()).toBe(0)
    })
  )

  it("shows a batch with problem jobs first, and can be stepped, searched, filtered and opened by key", () =>
    visiting("index.html", { viewport: wide }, async (page) => {
      expect(
        await page.evaluate("[...document.querySelectorAll('#jobs tr')].map((row) => row.dataset.state)")
      ).toEqual(["failed", "look", "fine"])
      await page.keyboard.press("n")
      await page.keyboard.press("n")
      expect(await page.locator("#live").textContent()).toBe("harbour-ep01, to check")
      await page.keyboard.press("/")
      await page.keyboard.type("calm")
      expect(await page.locator("#shown").textContent()).toBe("1 of 3 jobs")
      await page.keyboard.press("Escape")
      await page.locator("#filter").selectOption("failed")
      expect(await page.locator("#shown").textContent()).toBe("1 of 3 jobs")
      await page.keyboard.press("Escape")
      await page.keyboard.press("g")
      const cell = () => page.evaluate("document.activeElement.title")
      const passed = [await cell()]
      for (const key of ["Left", "Down", "Left", "Up", "Right"]) {
        await page.keyboard.press(`Arrow${key}`)
        passed.push(await cell())
      }
      const [left, right, below] = ["harbour-ep01", "calm", "harbour-ep02"]
      expect(passed, "arrow keys skip the empty cell of the first row").toEqual([
        ...[below, below, right, left, left, right]
      ])
      await page.keyboard.press("Enter")
      await page.waitForURL("**/short/report.html")
    }))

  it("shows a plan whose lines can be searched, filtered by job, and stepped by key", () =>
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

  it("sorts each table of a plan by its columns, numbers by their value", () =>
    visiting("plan.html", { viewport: wide }, async (page) => {
      const firsts = (table: string) => page.locator(`${table} tr th`).allTextContents()
      const sort = (table: string, name: string) =>
        page
          .locator("table", { has: page.locator(table) })
          .locator(".sort", { hasText: new RegExp(`^${name}$`, "u") })
          .click()
      expect(await firsts("#lines")).toEqual(["7", "190", "7", "190"])
      await sort("#lines", "Cue")
      expect(await firsts("#lines")).toEqual(["7", "7", "190", "190"])
      await sort("#lines", "Needs")
      await sort("#lines", "Needs")
      expect(await firsts("#lines")).toEqual(["7", "7", "190", "190"])
      await sort("#lines", "Needs")
      expect(await firsts("#lines")).toEqual(["190", "190", "7", "7"])
      await sort("#jobs", "Job")
      await sort("#jobs", "Job")
      expect(await firsts("#jobs")).toEqual(["harbour-ep02", "harbour-ep01"])
      await sort("#speakers", "Cues")
      const speakers = (await firsts("#speakers")).map((text) => text.trim())
      expect(speakers).toEqual(["no speaker", "no speaker", "LAN", "LAN"])
      expect(await page.locator('th[aria-sort="ascending"], th[aria-sort="descending"]').count()).toBe(3)
      await page.setViewportSize(narrow)
      await page.locator("#order").selectOption({ label: "plan order" })
      expect(await firsts("#lines")).toEqual(["7", "190", "7", "190"])
    }))

  it.each([
    { colorScheme: "light", viewport: wide },
    { colorScheme: "dark", viewport: wide },
    { colorScheme: "light", viewport: narrow },
    { colorScheme: "dark", viewport: narrow }
  ] as const)(
    "has no serious accessibility findings, and fits the screen: $colorScheme, $viewport.width pixels",
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

  it("has an accessible help dialog", () =>
    visiting("short/report.html", { viewport: wide }, async (page) => {
      await page.keyboard.press("?")
      expect(await seriousFindings(page)).toEqual([])
    }))
})
