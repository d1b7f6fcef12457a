/** The film beside the cues of a report, in a real browser: picture, sound, words over it, and the loop. */
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jobPage } from "../../src/pages/documents/JobPage.ts"
import type { PageParts } from "../../src/pages/documents/PageDocument.ts"
import { bundled } from "../ffmpeg/binaries.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium, startTab, type Tab } from "./chromium.ts"
import { sampleReport, sampleSound } from "./sample.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright film #"))
const home = pathToFileURL(folder).href
const sample = sampleReport(20)
const film = { name: "last ferry #1.mp4", href: "../last%20ferry%20%231.mp4" }

describe.skipIf(noChromium)(`the film beside the cues (${chromiumNeeded})`, () => {
  let tab: Tab

  beforeAll(async () => {
    const last = resolve("fixtures/last-ferry.mp4")
    copyFileSync(last, join(folder, film.name))
    const ac3 = ["-v", "error", "-i", last, "-t", "6", "-c:v", "copy", "-c:a", "ac3", join(folder, "ac3.mp4")]
    execFileSync(bundled.path, ac3)
    const { job: parts }: { readonly job: PageParts } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
    const { wav, peaks } = sampleSound(sample)
    for (const [name, extras] of [
      ["dubbed", { audio: "dub.wav", film }],
      ["undubbed", { audio: undefined, film }],
      ["missing", { audio: "dub.wav", film: { name: "gone.mkv", href: "../gone.mkv" } }],
      ["silent", { audio: "dub.wav", film: { name: "ac3.mp4", href: "../ac3.mp4" } }]
    ] as const) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "dub.wav"), wav)
      writeFileSync(join(folder, name, "report.html"), jobPage(sample, { ...extras, peaks, parts }).text)
    }
    tab = await startTab()
  })

  afterAll(async () => {
    await tab?.close()
    rmSync(folder, { recursive: true })
  })

  const opened = async (file: string, width = 1400, colorScheme: "light" | "dark" = "light") => {
    const page = await tab.fresh({ viewport: { width, height: 900 }, colorScheme })
    const misdeeds = misdeedsOf(page, home)
    await page.goto(`${home}/${file}/report.html`)
    return { page, misdeeds }
  }
  const until = (page: Page, condition: string) =>
    expect.poll(() => page.evaluate<boolean>(condition)).toBe(true)
  const [audio, video] = ["document.querySelector('#audio')", "document.querySelector('#film')"]
  const caption = (page: Page) => page.locator("#caption").textContent()

  it("plays in step with the dub, with the words over it, and pauses with it", async () => {
    const { page, misdeeds } = await opened("dubbed")
    await page.keyboard.press("o")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press(" ")
    await until(page, `!${video}.paused && ${video}.currentTime > 3.7`)
    await until(page, `Math.abs(${video}.currentTime - ${audio}.currentTime) < 0.2`)
    expect(await page.evaluate(`${video}.muted`), "the dub is heard, not the film").toBe(true)
    await page.keyboard.press(" ")
    await until(page, `${video}.paused`)
    // On a slow machine, playback is past the cue by now.
    await page.evaluate(`${audio}.currentTime = 3.8`)
    await expect.poll(() => caption(page)).toBe("Is that what you heard?")
    await page.keyboard.press("t")
    await expect.poll(() => caption(page)).toBe("MINH: Is that what you heard?")
    await page.keyboard.press("t")
    await expect.poll(() => caption(page)).toBe("")
    expect(misdeeds).toEqual([])
  })

  it("marks the word that is being said", async () => {
    const { page } = await opened("dubbed")
    const marked = async (seconds: number) => {
      await page.evaluate(`${audio}.currentTime = ${seconds}`)
      return expect.poll(() => page.locator("#caption .said").allTextContents())
    }
    const [from, to] = [sample.cues[1]?.placed?.start ?? 0, sample.cues[1]?.placed?.end ?? 0]
    await (await marked(from + 0.01)).toEqual(["Is"])
    await (await marked(to - 0.02)).toEqual(["heard?"])
    await page.keyboard.press("t")
    await (await marked(from + 0.5)).toEqual([])
  })

  it("lets one hear the dub, the original, or both; the choice outlasts a reload", async () => {
    const { page } = await opened("dubbed")
    const heard = () => page.evaluate(`[${audio}.muted, ${video}.muted].map((muted) => !muted)`)
    expect(await heard()).toEqual([true, false])
    await page.keyboard.press("s")
    expect(await heard()).toEqual([false, true])
    expect(await page.locator("#live").textContent()).toBe("Sound: Original")
    await page.getByRole("radio", { name: "Both" }).check()
    expect(await heard()).toEqual([true, true])
    await page.reload()
    expect(await heard()).toEqual([true, true])
    await page.keyboard.press("s")
    expect(await heard()).toEqual([true, false])
  })

  it("loops a cue with the time before and after it, until it is paused", async () => {
    const { page } = await opened("dubbed")
    await page.locator("#roll").selectOption("1")
    await page.evaluate(`${audio}.playbackRate = 4; window.starts = [];
      ${audio}.addEventListener("seeking", () => window.starts.push(${audio}.currentTime))`)
    await page.keyboard.press("n")
    await page.keyboard.press("n")
    await page.keyboard.press("l")
    await until(page, "window.starts.filter((at) => Math.abs(at - 20.5) < 0.05).length >= 3")
    expect(await page.locator("#cues [aria-current]").getAttribute("id")).toBe("cue-8")
    expect(await page.getByRole("button", { name: "Loop" }).getAttribute("aria-pressed")).toBe("true")
    await page.keyboard.press(" ")
    await until(page, `${audio}.paused`)
    await page.keyboard.press("l")
    await page.keyboard.press("Enter")
    await until(page, `!${audio}.paused`)
    await until(page, `${audio}.paused`)
    expect(await page.evaluate(`${audio}.currentTime`)).toBeLessThan(24.8)
  })

  it("plays with its own sound if there is no dub to play", async () => {
    const { page } = await opened("undubbed")
    await page.locator("#cue-9 .play").click()
    await until(page, `${video}.currentTime > 24.6`)
    expect(await page.evaluate(`${video}.muted`)).toBe(false)
    expect(await page.locator('input[name="sound"]').count()).toBe(0)
  })

  it("says so if the browser cannot show it, and still plays the dub", async () => {
    const { page } = await opened("missing")
    await expect
      .poll(() => page.locator("#film-fault").filter({ visible: true }).textContent())
      .toContain("Cannot show the film: gone.mkv is missing, or this browser does not support its format.")
    expect(await page.getByRole("radio", { name: "Original" }).isDisabled()).toBe(true)
    await page.locator("#cue-2 .play").click()
    await until(page, `${audio}.currentTime > 3.6`)
    expect(await seriousFindings(page)).toEqual([])
  })

  it("says so if the browser cannot play the film's own sound, and plays the dub with its picture", async () => {
    const { page, misdeeds } = await opened("silent", 420)
    await page.getByRole("radio", { name: "Original" }).check()
    await page.locator("#play").click()
    await expect
      .poll(
        async () =>
          (await page.locator("#film-silent").filter({ visible: true }).textContent())?.replace(/\s+/gu, " "),
        { timeout: 20_000 }
      )
      .toBe(
        " Cannot play the film's own sound: ac3.mp4 has none, or this browser does not support its format, such as AC-3 or DTS. The dub still plays. "
      )
    expect(await page.getByRole("radio", { name: "Original" }).isDisabled()).toBe(true)
    const heard = await page.evaluate(
      `[!${audio}.muted, !${audio}.paused, !${video}.paused, ${video}.hidden]`
    )
    expect(heard, "the dub is heard, and the picture plays").toEqual([true, true, true, false])
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    expect(misdeeds).toEqual([])
  })

  it.each([
    [1400, "light"],
    [1400, "dark"],
    [420, "light"],
    [420, "dark"]
  ] as const)(
    "is accessible and stays in view with the current cue: %i pixels, %s",
    async (width, scheme) => {
      const { page } = await opened("dubbed", width, scheme)
      for (const key of ["o", ..."jjjjjjjjjjjj"]) await page.keyboard.press(key)
      expect(await seriousFindings(page)).toEqual([])
      const { screen, row, left, wide } = await page.evaluate<
        Record<"screen" | "row" | "left" | "wide", number>
      >(`(() => {
      const box = (query) => document.querySelector(query).getBoundingClientRect()
      return { screen: box("#film").bottom, row: box("#cues [aria-current]").bottom, left: box(".film").left, wide: document.documentElement.scrollWidth }
    })()`)
      expect(screen, "the picture is in view").toBeLessThanOrEqual(900)
      expect(row, "the cue is in view").toBeLessThanOrEqual(900)
      expect(left > 700, "beside the cues on a wide screen").toBe(width > 900)
      expect(wide).toBeLessThanOrEqual(width)
    }
  )
})
