/** Every action of a review of 5,000 cues and two hours, by key, in Chromium, with a stand-in for its server. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { editKeys, reviewKeys } from "../../src/pages/parts/KeyBindings.ts"
import { seriousFindings } from "./axe.ts"
import { chromiumNeeded, misdeedsOf, noChromium, startTab, type Tab } from "./chromium.ts"
import { longFilm } from "./longFilm.ts"
import { reviewActions } from "./reviewActions.ts"
import { type Stand, startStand } from "./reviewStand.ts"

/** After these actions, the page shows a part that others do not. */
const looks = ["edit", "next take", "filter by approval", "price of a voice", "help"]

describe.skipIf(noChromium)(`a review of two hours and 5,000 cues (${chromiumNeeded})`, () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-long-"))
  let film: Stand
  let tab: Tab

  beforeAll(async () => {
    film = longFilm(folder, 5_000)
    tab = await startTab()
  })

  afterAll(async () => {
    await tab?.close()
    rmSync(folder, { recursive: true })
  })

  it.each([
    [1400, "light"],
    [1400, "dark"],
    [420, "light"],
    [420, "dark"]
  ] as const)(
    "does each action, all keys do something, and axe finds nothing: %i pixels, %s",
    async (width, colorScheme) => {
      const stand = await startStand(film)
      const page = await tab.fresh({ viewport: { width, height: 900 }, colorScheme })
      const misdeeds = misdeedsOf(page, new URL(stand.address).origin)
      await page.goto(stand.address)
      await page.evaluate(`window.pressed = []
        addEventListener("keydown", ({ key, ctrlKey, altKey, shiftKey }) => {
          const name = key.length === 1 ? key.toLowerCase() : key
          const held = [["Control", ctrlKey], ["Alt", altKey], ["Shift", shiftKey]]
          pressed.push(key, [...held.flatMap(([words, isHeld]) => (isHeld ? [words] : [])), name].join("+"))
        }, true)`)
      for (const [name, act] of Object.entries(reviewActions)) {
        await act(page).catch((error: unknown) => {
          throw new Error(`${name}: ${String(error)}`)
        })
        if (!looks.includes(name)) continue
        expect(await seriousFindings(page), name).toEqual([])
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), name).toBe(0)
      }
      const pressed = await page.evaluate<ReadonlyArray<string>>("pressed")
      const idle = [...reviewKeys, ...editKeys].filter(
        ({ keys }) => !keys.some((key) => pressed.includes(key))
      )
      expect(idle.map(({ action }) => action)).toEqual([])
      expect(misdeeds).toEqual([])
      await page.goto("about:blank")
      stand.close()
    },
    300_000
  )
})
