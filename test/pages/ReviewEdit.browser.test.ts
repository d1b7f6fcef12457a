/** Mending lines in review beside the film: the real command, its bundled service, and a real browser. */
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium } from "./chromium.ts"
import { type ReviewedFilm, reviewFilm } from "./reviewedFilm.ts"

const long = "Nobody on the quay had seen the lamp go out before the harbour master came running down"
const cues = Array.from({ length: 12 }, (_, at) =>
  at % 6 === 5 ? "We wait here." : `${long} to pier ${at + 1}.`
)

describe.skipIf(noChromium)(`mending lines beside the film (${chromiumNeeded})`, () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-mending-"))
  let film: ReviewedFilm | undefined

  beforeAll(async () => {
    film = await reviewFilm({ cwd, cues })
  })

  afterAll(() => film?.close())

  const opened = async (hash: string, width = 1400, colorScheme: "light" | "dark" = "light") => {
    if (film === undefined) throw new Error("no film under review")
    const page = await film.tab.fresh({ viewport: { width, height: 900 }, colorScheme })
    const misdeeds = misdeedsOf(page, new URL(film.address).origin)
    await page.goto(`${film.address}film/report.html${hash}`)
    return { page, misdeeds }
  }
  const editing = async (width: number, cue: number, colorScheme: "light" | "dark" = "light") => {
    const { page } = await opened(`#cue-${cue}`, width, colorScheme)
    await page.keyboard.press("e")
    await page.locator("#edit textarea").waitFor()
    return page
  }
  const title = (page: Page) => page.locator("#edit-title").textContent()
  const count = async (page: Page) => (await page.locator("#edit .count").textContent()) ?? ""

  it.each([
    [1400, "light"],
    [420, "dark"]
  ] as const)("leaves the film, the player and the list in view: %i pixels, %s", async (width, scheme) => {
    const page = await editing(width, 3, scheme)
    const boxes = await page.evaluate<Record<string, readonly [top: number, bottom: number]>>(
      `Object.fromEntries(["#film", "#play", "#edit textarea", "#edit-hear", "#edit-accept-next"].map((query) => {
        const { top, bottom } = document.querySelector(query).getBoundingClientRect()
        return [query, [top, bottom]]
      }))`
    )
    for (const [query, [top, bottom]] of Object.entries(boxes)) {
      expect(top, query).toBeGreaterThanOrEqual(0)
      expect(bottom, query).toBeLessThanOrEqual(900)
    }
    expect(boxes["#film"]?.[1]).toBeLessThanOrEqual(boxes["#edit textarea"]?.[0] ?? 0)
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
  })

  it("counts characters against the slot while one types, and forecasts the speed", async () => {
    const page = await editing(1400, 2)
    const before = /^(\d+) of (\d+) characters; about (\d\.\d\d)×: (\d+) too many for 1\.30×$/u.exec(
      await count(page)
    )
    expect(before, await count(page)).not.toBeNull()
    const [characters, fitting, , excess] = (before ?? []).slice(1).map(Number)
    expect(characters).toBe([...(cues[1] ?? "")].length)
    expect(excess).toBe((characters ?? 0) - (fitting ?? 0))
    await page.keyboard.press("Control+a")
    await page.keyboard.type("They wait  there.")
    expect(await count(page)).toBe(`16 of ${fitting} characters; about 1.00×`)
    await page.locator('#edit input[name="end"]').fill("5.1")
    expect(await count(page)).toMatch(/^16 of \d+ characters; about \d\.\d\d×: \d+ too many/u)
    // The forecast is near what the take then measures.
    await page.locator('#edit input[name="end"]').fill("8")
    await page.locator("#edit textarea").fill(`${long}.`)
    const forecast = Number(/about (\d\.\d\d)×/u.exec(await count(page))?.[1])
    const spoken = page.waitForResponse("**/take")
    await page.keyboard.press("Control+Enter")
    const take: { readonly start: number; readonly end: number; readonly speed: number } = await (
      await spoken
    ).json()
    const needed = ((take.end - take.start) * take.speed) / 4
    expect(Math.abs(needed / forecast - 1)).toBeLessThan(0.15)
  })

  it("responds to Subtitle Edit's keys while one types, and no key reaches the page", async () => {
    const page = await editing(1400, 3)
    const audio = "document.querySelector('#audio')"
    await page.keyboard.press("F5")
    await expect.poll(() => page.evaluate(`!${audio}.paused`)).toBe(true)
    await page.keyboard.press("Control+p")
    await expect.poll(() => page.evaluate(`${audio}.paused`)).toBe(true)
    const at = () => page.evaluate<number>(`${audio}.currentTime`)
    const from = await at()
    await page.keyboard.press("Alt+ArrowRight")
    expect((await at()) - from).toBeCloseTo(0.5, 2)
    await page.keyboard.press("Alt+ArrowLeft")
    expect((await at()) - from).toBeCloseTo(0, 2)
    await page.keyboard.press("o")
    expect(await page.locator("#edit textarea").inputValue()).toBe(`${cues[2]}o`)
    const rows = await page.evaluate<ReadonlyArray<string>>(
      "[...document.querySelectorAll('#cues tr')].map(({ id }) => id)"
    )
    await page.keyboard.press("Alt+ArrowDown")
    await expect.poll(() => title(page)).toBe(`Cue ${rows[rows.indexOf("cue-3") + 1]?.slice(4)}`)
    await page.locator("#edit textarea").waitFor()
    await page.keyboard.press("Alt+ArrowUp")
    await expect.poll(() => title(page)).toBe("Cue 3")
    await page.keyboard.press("F8")
    await expect.poll(() => title(page)).not.toBe("Cue 3")
    // Below all that are to check, the first of them is the next one.
    const flagged = await page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll('#cues tr:not([data-marks=""])')].map(({ id }) => id)`
    )
    await page.keyboard.press("Escape")
    await page.evaluate(`location.hash = "#${rows.at(-1)}"`)
    // The page hears of the new address in a task of its own.
    const current = () => page.evaluate("document.querySelector('#cues [aria-current]')?.id")
    await expect.poll(current).toBe(rows.at(-1))
    await page.keyboard.press("e")
    await expect.poll(() => title(page)).toBe(`Cue ${rows.at(-1)?.slice(4)}`)
    await page.keyboard.press("F8")
    await expect.poll(() => title(page)).toBe(`Cue ${flagged[0]?.slice(4)}`)
    expect(flagged).not.toContain(rows.at(-1))
    await page.keyboard.press("Escape")
    expect(await page.locator("#edit").isVisible()).toBe(false)
    await expect.poll(() => page.evaluate("document.activeElement.closest('tr') !== null")).toBe(true)
  })

  it("mends the ten worst lines in 22 keystrokes besides their words", async () => {
    const { page, misdeeds } = await opened("")
    let keystrokes = 0
    const press = (key: string) => {
      keystrokes++
      return page.keyboard.press(key)
    }
    await press("n")
    await press("e")
    const sound = () =>
      page.evaluate<ReadonlyArray<unknown>>(
        "(({ src, readyState, currentTime }) => [src.split('/').at(-1), readyState > 0, currentTime])(document.querySelector('#audio'))"
      )
    await page.evaluate("window.isSame = true")
    const [, , position] = await sound()
    const mended = new Set<string>()
    for (let line = 0; line < 10; line++) {
      await expect.poll(async () => !mended.has((await title(page)) ?? "")).toBe(true)
      mended.add((await title(page)) ?? "")
      await page.locator("#edit textarea").fill("Nobody saw the lamp go out.")
      await press("Control+Enter")
      await expect.poll(() => page.locator("#edit-accept").isEnabled()).toBe(true)
      await press("Control+Enter")
      await expect.poll(() => page.locator("tr.changed").count()).toBe(line + 1)
      if (line > 0) continue
      await expect.poll(sound).toEqual(["film.wav?1", true, position])
      expect(await page.evaluate("window.isSame"), "the page was not loaded again").toBe(true)
    }
    expect(keystrokes).toBe(22)
    await expect.poll(() => page.locator("#edit").isVisible()).toBe(false)
    await expect.poll(() => page.locator('#cues tr:not([data-marks=""])').count()).toBe(0)
    expect(misdeeds).toEqual([])
    const report = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
    expect(report.metrics.overruns).toBe(0)
  }, 300_000)
})
