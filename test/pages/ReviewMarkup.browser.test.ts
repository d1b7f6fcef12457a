/** Markup in all that a review page and its server show: none of it runs, and none becomes part of the page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SpeakerName } from "../../src/domain/values/Ids.ts"
import { reviewPage } from "../../src/pages/documents/ReviewPage.ts"
import { chromiumNeeded, misdeedsOf, noChromium, startTab, type Tab } from "./chromium.ts"
import { type Stand, startStand } from "./reviewStand.ts"
import { hostile, sampleReport, sampleSound } from "./sample.ts"

describe.skipIf(noChromium)(`markup in a review (${chromiumNeeded})`, () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-markup-"))
  const speaker = SpeakerName.make(hostile)
  const sample = sampleReport(8)
  const report = {
    ...sample,
    cues: sample.cues.map((cue) => ({ ...cue, text: hostile, said: hostile, speaker }))
  }
  let stand: Stand
  let tab: Tab

  beforeAll(async () => {
    const { wav, peaks } = sampleSound(sample)
    writeFileSync(join(folder, "sound.wav"), wav)
    const { review: parts } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
    const voice = { name: hostile, why: hostile }
    const page = reviewPage(report, { audio: "sound.wav", peaks, parts }, [voice]).text
    stand = { page, report, files: { "sound.wav": join(folder, "sound.wav") }, take: wav }
    tab = await startTab()
  })

  afterAll(async () => {
    await tab?.close()
    rmSync(folder, { recursive: true })
  })

  it("is shown as text, also in the editor and among the speakers", async () => {
    const { address, close } = await startStand(stand)
    const page = await tab.fresh()
    const misdeeds = misdeedsOf(page, new URL(address).origin)
    await page.goto(`${address}#cue-1`)
    await page.keyboard.press("e")
    const text = page.locator("#edit textarea")
    await text.waitFor()
    expect(await text.inputValue()).toContain("<script>")
    await page.keyboard.press("Escape")
    expect(await page.locator("#cues").textContent()).toContain("<script>")
    expect(await page.evaluate("document.querySelectorAll('img, [onerror]').length")).toBe(0)
    expect(await page.evaluate("window.caught")).toBeUndefined()
    expect(misdeeds).toEqual([])
    close()
  })
})
