/** Approving, recasting, splitting, joining and moving in review: the real command, its service, and a real browser. */
import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page, Response } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runHere } from "../app/cli/inProcess.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium } from "./chromium.ts"
import { type ReviewedFilm, reviewFilm } from "./reviewedFilm.ts"

const cues = [
  "LAN: The tide turns at nine. We leave by then.",
  "MINH: Is that what you heard?",
  "LAN: That is what they said,",
  "LAN: and nobody told us more.",
  "MINH: Then we wait."
]
const files = ["film.wav", "film.srt", "report.json"]

describe.skipIf(noChromium)(`decisions in review (${chromiumNeeded})`, { timeout: 180_000 }, () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-decisions-"))
  const overrides = join(cwd, "batch.yaml.overrides.yaml")
  let film: ReviewedFilm | undefined
  let address: string

  beforeAll(async () => {
    film = await reviewFilm({
      cwd,
      cues,
      job: ", speakers: { LAN: {}, MINH: {} }",
      manifest: ["providers: { provider_native: { creditsPerCharacter: 2 } }"],
      words: ["--as", "anna"]
    })
    address = film.address
  })

  afterAll(() => film?.close())

  const opened = async (width: number, scheme: "light" | "dark" = "light", cue = 1) => {
    if (film === undefined) throw new Error("no film under review")
    const page = await film.tab.fresh({ viewport: { width, height: 900 }, colorScheme: scheme })
    const misdeeds = misdeedsOf(page, new URL(address).origin)
    await page.goto(`${address}film/report.html#cue-${cue}`)
    return { page, misdeeds }
  }
  const contents = () =>
    files.map((file) =>
      createHash("sha256")
        .update(readFileSync(join(cwd, "out/film", file)))
        .digest("hex")
    )
  const report = (): { readonly cues: ReadonlyArray<Readonly<Record<string, never>>> } =>
    JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
  let shots = 0
  const shot = async (page: Page) => {
    const folder = process.env["REVIEW_SHOTS"]
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${++shots}.png`) })
  }
  const fits = (page: Page) => page.evaluate("document.documentElement.scrollWidth <= innerWidth")
  const delivered = (text: () => string, wanted: string | RegExp) => expect.poll(text).toMatch(wanted)
  const said = () => JSON.stringify(report().cues.map((cue) => cue["said"] ?? null))
  const created = async (): Promise<number> => {
    const { stdout } = await runHere(["run", "batch.yaml", "--json"], { cwd })
    const result: { readonly tasks: { readonly created: number } } = JSON.parse(stdout)
    return result.tasks.created
  }

  it.each([
    [1400, "light"],
    [420, "dark"]
  ] as const)(
    "approves cues and the job, with who and when, and filters by it: %i pixels",
    async (width, scheme) => {
      const rendered = () => files.map((file) => statSync(join(cwd, "out/film", file)).mtimeMs)
      const before = rendered()
      const { page, misdeeds } = await opened(width, scheme, 2)
      await page.keyboard.press("a")
      await expect.poll(() => page.locator("#cue-2 .approval").textContent()).toBe("approved")
      expect(await page.locator("#cue-2 .approval").getAttribute("title")).toMatch(
        /^approved by anna, \d{4}-/u
      )
      expect(await page.locator("#approve").getAttribute("aria-pressed")).toBe("true")
      expect(readFileSync(overrides, "utf8")).toMatch(
        /approved:\n {2}film:\n {4}cues:\n {6}"2":\n {8}by: anna\n {8}at: \d{4}-\d\d-\d\dT[\d:]+Z\n {8}of: [0-9a-f]{16}\n/u
      )
      await page.locator("#filter").selectOption("approval:valid")
      expect(await page.locator("#cues tr").count()).toBe(1)
      await page.locator("#filter").selectOption("approval:none")
      expect(await page.locator("#cues tr").count()).toBe(4)
      await page.locator("#filter").selectOption("all")
      await page.locator("#approve-job").click()
      await expect.poll(() => page.locator("#approval").textContent()).toMatch(/^Approved by anna/u)
      if (width === 1400) expect(await created(), "an approval speaks nothing again").toBe(0)
      expect(rendered(), "an approval renders nothing again").toEqual(before)
      expect(await seriousFindings(page)).toEqual([])
      expect(await fits(page)).toBe(true)
      await shot(page)
      for (let times = 0; times < 2; times++) await page.locator("#undo").click()
      await expect.poll(() => page.locator(".approval").count()).toBe(0)
      expect(existsSync(overrides), "undone to the byte: there was no file").toBe(false)
      expect(misdeeds).toEqual([])
    }
  )

  it("gives a speaker another voice for its price, speaks only that speaker's lines, and undoes it to the bit", async () => {
    const before = contents()
    const { page, misdeeds } = await opened(420, "light")
    await page.locator("#voices-open").click()
    await page.locator("#voices-speaker").selectOption({ label: "MINH (2 lines)" })
    await page.locator("#voices-voice").fill("en-nobody")
    await page.getByRole("button", { name: "Show the price" }).click()
    await expect.poll(() => page.locator("#voices-status").textContent()).toContain("en-nobody")
    await page.locator("#voices-voice").fill("en-bo")
    expect(await page.locator("#voices-change").isDisabled(), "not without its price").toBe(true)
    await page.getByRole("button", { name: "Show the price" }).click()
    const price = async () =>
      /^2 lines are spoken with it: 1 task, (\d+) characters\. Price: (\d+) credits\.$/u.exec(
        (await page.locator("#voices-status").textContent()) ?? ""
      )
    await expect.poll(price).not.toBeNull()
    const [, characters, credits] = ((await price()) ?? []).map(Number)
    expect(characters).toBeGreaterThan("Is that what you heard?Then we wait.".length)
    expect(credits).toBe((characters ?? 0) * 2)
    expect(await seriousFindings(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await shot(page)
    expect(contents(), "the price changes nothing").toEqual(before)
    const keys = () => report().cues.map((cue) => `${String(cue["utterance"])}`)
    const utterances = keys()
    await page.locator("#voices-change").click()
    await expect
      .poll(() => keys().map((key, at) => key !== utterances[at]))
      .toEqual([false, true, false, false, true])
    expect(readFileSync(overrides, "utf8")).toContain(
      "voices:\n  film:\n    - speaker: MINH\n      voice: en-bo\n      provider: provider_native\n"
    )
    await expect.poll(() => page.locator("#undo").isEnabled()).toBe(true)
    await page.locator("#undo").click()
    await expect.poll(contents).toEqual(before)
    expect(existsSync(overrides)).toBe(false)
    expect(await created(), "nothing was paid for again").toBe(0)
    expect(misdeeds, "only the unknown voice was refused").toEqual([expect.stringContaining("422")])
  })

  it("splits, joins and moves cues; the report keeps the source's numbers; undo restores the files", async () => {
    const before = contents()
    const { page, misdeeds } = await opened(1400, "dark", 1)
    await page.keyboard.press("e")
    const idle = page.locator("#edit:has(textarea) #edit-asking:not([inert])")
    await idle.waitFor({ state: "attached" })
    await page.evaluate("document.querySelector('#edit textarea').setSelectionRange(24, 24)")
    await page.keyboard.press("Control+Shift+Enter")
    await delivered(
      () => readFileSync(overrides, "utf8").replaceAll(/\s+/gu, " "),
      /split: - say: We leave by then\. start: 2\.\d+ end: 4/u
    )
    await expect.poll(() => page.locator("#edit").isVisible()).toBe(false)
    // The page reloads when a delivery ends, which may break off a visit or close what it opened.
    const partsOf = async (cue: number) => {
      await page.goto("about:blank")
      await page.goto(`${address}film/report.html#cue-${cue}`)
      await page.keyboard.press("e")
      await idle.waitFor({ state: "attached", timeout: 5_000 })
      return page.locator("#edit fieldset").count()
    }
    // The split is saved before it is delivered, and the page shows what is delivered.
    await expect.poll(() => partsOf(1), { interval: 500 }).toBe(2)
    expect(await page.locator("#edit textarea").nth(1).inputValue()).toBe("We leave by then.")
    expect(await seriousFindings(page)).toEqual([])
    await shot(page)
    await page.keyboard.press("Escape")

    await expect.poll(() => partsOf(3), { interval: 500 }).toBe(1)
    await page.locator("#edit-join").click()
    await delivered(said, "That is what they said, and nobody told us more.")
    expect(report().cues.map((cue) => [cue["index"], cue["status"], cue["skipped"] ?? ""])).toEqual([
      [1, "spoken", ""],
      [2, "spoken", ""],
      [3, "spoken", ""],
      [4, "skipped", "joined"],
      [5, "spoken", ""]
    ])
    expect(readFileSync(join(cwd, "out/film/film.srt"), "utf8"), "captions lose no words").toContain(
      "nobody told us more"
    )

    await expect.poll(() => partsOf(5), { interval: 500 }).toBe(1)
    await page.locator("#edit-shift-by").fill("1.5")
    await page.locator("#edit-shift").click()
    const starts = () => report().cues.map((cue) => Number(cue["placed"]?.["start"] ?? -1))
    await expect.poll(() => starts()[4]).toBeCloseTo(18.5, 1)
    // The page reloads when a delivery ends, which may lose a click.
    const undone = async () => {
      if (await page.locator("#undo").isEnabled()) {
        const isUndo = (response: Response) => response.url().endsWith("/undo")
        const answered = page.waitForResponse(isUndo, { timeout: 10_000 }).catch(() => undefined)
        await page.locator("#undo").click()
        // A reloaded page may not know of a step that the server still takes.
        await answered
      }
      return !existsSync(overrides)
    }
    await expect.poll(undone, { interval: 1_000 }).toBe(true)
    await expect.poll(contents).toEqual(before)
    expect(existsSync(overrides)).toBe(false)
    expect(misdeeds).toEqual([])
  })
})
