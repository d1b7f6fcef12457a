/** Reviewing a cue end to end: the real command, its bundled service, and a real browser. */
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runHere } from "../app/cli/inProcess.ts"
import { type Running, start } from "../app/process.ts"
import { enterReviewIn } from "../app/review/EnterReview.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium, startTab, type Tab } from "./chromium.ts"

const cues = ["The tide turns at nine.", "We should be gone by then.", "Is that what you heard?"]
const srt = cues
  .map((text, at) => `${at + 1}\n00:00:0${at * 3 + 1},000 --> 00:00:0${at * 3 + 3},000\n${text}\n`)
  .join("\n")
const manifest = [
  "service: embedded",
  "defaults: { provider: provider_native, voice: en-anna, language: en }",
  "jobs:",
  "  - { id: film, input: film.srt }",
  ""
].join("\n")

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

describe.skipIf(noChromium)(`a cue in review (${chromiumNeeded})`, { timeout: 180_000 }, () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-review-"))
  let tab: Tab
  let server: Running
  let address: string

  const serve = async () => {
    server = start(["review", "batch.yaml"], { cwd })
    address = await enterReviewIn(await tab.fresh(), await server.firstLine)
  }

  beforeAll(async () => {
    writeFileSync(join(cwd, "film.srt"), srt)
    writeFileSync(join(cwd, "batch.yaml"), manifest)
    const first = await runHere(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(first.stdout).tasks, first.stderr).toMatchObject({ created: 1 })
    tab = await startTab()
    await serve()
  })

  afterAll(async () => {
    await tab?.close()
    server?.child.kill("SIGTERM")
    await server?.ended
  })

  const report = () => JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
  const opened = async (page: Page): Promise<void> => {
    await page.goto(`${address}film/report.html#cue-2`)
    await page.keyboard.press("e")
    await page.locator("#edit textarea").waitFor()
  }

  it("is visible without scrolling, even in a low window", async () => {
    const page = await tab.fresh({ viewport: { width: 1280, height: 640 } })
    await page.goto(`${address}film/report.html`)
    expect(
      await page.evaluate<number>("document.querySelector('#cues tr').getBoundingClientRect().bottom")
    ).toBeLessThanOrEqual(640)
  })

  it("can be edited, played and accepted; only it is spoken again, and later runs keep it", async () => {
    const page = await tab.fresh({ viewport: { width: 1280, height: 900 } })
    const misdeeds = misdeedsOf(page, new URL(address).origin)
    await opened(page)
    expect(await page.locator("#edit-source").textContent()).toBe(cues[1])
    expect(await page.locator("#edit-accept").isDisabled(), "not accepted before it was played").toBe(true)
    expect(await seriousFindings(page)).toEqual([])

    await page.locator("#edit textarea").fill("We must be gone by then.")
    await page.locator('#edit input[name="speed"]').fill("1.1")
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-status").textContent()).toContain("in place")
    await expect.poll(() => page.evaluate("document.querySelector('#edit-take').duration > 0.5")).toBe(true)
    expect(existsSync(join(cwd, "batch.yaml.overrides.yaml")), "playing a take saves nothing").toBe(false)

    await page.locator("#edit textarea").fill("We must be gone by then!")
    expect(
      await page.locator("#edit-accept").isDisabled(),
      "the take played is not of the text in the field"
    ).toBe(true)
    await page.locator("#edit textarea").fill("We must be gone by then.")
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-accept").isEnabled()).toBe(true)
    await page.locator("#edit-accept").click()
    await expect
      .poll(() => page.locator("#cue-2 .spoken").textContent())
      .toContain("We must be gone by then.")
    expect(await page.locator("#cues [aria-current]").getAttribute("id")).toBe("cue-2")
    expect(misdeeds).toEqual([])

    expect(report().cues.map((cue: { said: string }) => cue.said)).toEqual([
      cues[0],
      "We must be gone by then.",
      cues[2]
    ])
    expect(readFileSync(join(cwd, "batch.yaml.overrides.yaml"), "utf8")).toContain(
      'film:\n    "2":\n      was: We should be gone by then.\n      say: We must be gone by then.\n      speed: 1.1\n'
    )
    const again = await runHere(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(again.stdout)).toMatchObject({
      jobs: [{ id: "film", status: "delivered" }],
      tasks: { created: 0, reused: 2 }
    })
    expect(report().cues[1].said).toBe("We must be gone by then.")
  })

  it("can be moved without being spoken again, and reverted to the script", async () => {
    const page = await tab.fresh({ viewport: { width: 400, height: 800 } })
    await opened(page)
    await page.locator('#edit input[name="start"]').fill("4.5")
    await page.locator('#edit input[name="end"]').fill("6.5")
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-status").textContent()).toContain("from 4.50 s")
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    await page.locator("#edit-withdraw").click()
    await expect.poll(() => page.locator("#cue-2 .spoken").textContent()).toContain(cues[1])
    expect(report().cues[1]).toMatchObject({ said: cues[1], placed: { start: 4 } })
  })

  it("can be undone to the byte without paying, even after a restart, and redone", async () => {
    const overrides = join(cwd, "batch.yaml.overrides.yaml")
    rmSync(overrides, { force: true })
    await runHere(["run", "batch.yaml"], { cwd })
    const files = ["film.wav", "film.srt", "report.json"]
    const contents = () => files.map((file) => hashOf(join(cwd, "out/film", file)))
    const before = contents()
    const page = await tab.fresh({ viewport: { width: 420, height: 800 } })
    await opened(page)
    await page.locator("#edit textarea").fill("We should have left by then.")
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-accept").isEnabled()).toBe(true)
    await page.locator("#edit-accept").click()
    /** Waits until the page has been reloaded with this text, and its script listens to keys. */
    const spoken = async (text: string) => {
      await expect.poll(() => page.locator("#cue-2 .spoken").textContent()).toContain(text)
      await page.locator("#undo:enabled, #redo:enabled").first().waitFor()
    }
    await spoken("We should have left by then.")
    expect(contents()).not.toEqual(before)
    const accepted = readFileSync(overrides, "utf8")
    server.child.kill("SIGTERM")
    await server.ended
    await serve()
    await page.goto(`${address}film/report.html#cue-2`)
    await spoken("We should have left by then.")
    await page.keyboard.press("Control+z")
    await spoken("We should be gone by then.")
    expect(contents()).toEqual(before)
    expect(existsSync(overrides), "there was no file before").toBe(false)
    await page.getByRole("button", { name: "Redo" }).click()
    await spoken("We should have left by then.")
    expect(readFileSync(overrides, "utf8")).toBe(accepted)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press("u")
    await spoken("We should be gone by then.")

    await page.keyboard.press("e")
    const takes = page.locator("#edit-takes button")
    await expect.poll(() => takes.count()).toBeGreaterThan(1)
    expect(await takes.first().textContent()).toBe("Delivered We should be gone by then. en-anna")
    expect(await takes.first().getAttribute("aria-pressed")).toBe("true")
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press("Shift+F9")
    await expect.poll(() => page.locator("#edit-accept").isEnabled()).toBe(true)
    expect(await takes.last().getAttribute("aria-pressed")).toBe("true")
    expect(await page.locator("#edit textarea").inputValue()).toBe("We should have left by then.")
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    await page.keyboard.press("Control+s")
    await spoken("We should have left by then.")
    expect(readFileSync(overrides, "utf8"), "the take is chosen").toBe(accepted)
    await page.keyboard.press("u")
    await spoken("We should be gone by then.")
    const again = await runHere(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(again.stdout).tasks, "nothing was spoken again").toMatchObject({ created: 0 })
  })

  it("offers to remove overrides that no longer have any effect", async () => {
    const overrides = join(cwd, "batch.yaml.overrides.yaml")
    writeFileSync(
      overrides,
      'jobs:\n  film:\n    "2": { was: Once it said this., say: Then this. }\n    "9": { say: Nobody is there. }\n'
    )
    const page = await tab.fresh()
    await page.goto(`${address}film/report.html`)
    expect(await page.locator("#idle-title + ul li").allTextContents()).toEqual([
      expect.stringContaining("Cue 2: the cue's text has changed since."),
      expect.stringContaining("Cue 9: no line is spoken there.")
    ])
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole("button", { name: /the change to cue 9$/u }).click()
    await expect.poll(() => page.locator("button.idle").count()).toBe(1)
    expect(readFileSync(overrides, "utf8")).not.toContain("Nobody")
    await page.locator("button.idle").click()
    await expect.poll(() => page.locator("button.idle").count()).toBe(0)
    const delivery = async () => (await page.request.fetch(`${address}film/delivery`)).json()
    await expect.poll(delivery).toMatchObject({ state: "delivered" })
    expect(report().cues[1].said).toBe(cues[1])
  })

  it("never shows data of one cue with the next, even if a request was in flight when the box closed", async () => {
    const page = await tab.fresh()
    await opened(page)
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-take").isVisible()).toBe(true)
    // Close the box while a take is spoken; delay its response until the next cue's box is open.
    let answer = () => {}
    const held = new Promise<void>((go) => (answer = go))
    await page.route("**/cues/2/take", async (route) => {
      await held
      await route.continue()
    })
    const answered = page.waitForResponse("**/cues/2/take")
    await page.locator("#edit-hear").click()
    await page.locator("#edit-cancel").click()
    await page.locator("#edit").waitFor({ state: "hidden" })
    await page.keyboard.press("j")
    await page.keyboard.press("e")
    await page.locator("#edit textarea").waitFor()
    expect(await page.locator("#edit-take").isVisible(), "the previous cue's take is hidden").toBe(false)
    answer()
    await (await answered).finished()
    expect(await page.locator("#edit-title").textContent()).toBe("Cue 3")
    expect(await page.locator("#edit textarea").inputValue()).toBe(cues[2])
    expect(await page.locator("#edit-take").isVisible()).toBe(false)
    expect(await page.locator("#edit-accept").isDisabled()).toBe(true)
    expect(await page.locator("#edit-hear").isEnabled()).toBe(true)
  })

  it("says why a take failed, and keeps the box open", async () => {
    const page = await tab.fresh()
    await opened(page)
    await page.locator('#edit input[name="voice"]').fill("en-nobody")
    await page.locator("#edit-hear").click()
    await expect.poll(() => page.locator("#edit-status").textContent()).toContain("does not know this voice")
    expect(await page.locator("#edit-accept").isDisabled()).toBe(true)
    await page.keyboard.press("Escape")
    expect(await page.locator("#edit").isVisible()).toBe(false)
  })
})
