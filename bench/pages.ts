/**
 * Measures how soon a report page is usable: a job of 2,000 cues and 100 minutes, opened from disk in Chromium, 5
 * times.
 *
 * Prints milliseconds from the start of navigation until the page is interactive (its script has run). Also prints how
 * long it takes to move the current cue after a key press, and to find rows after typing a word.
 *
 *     node bench/run.mjs pages [cues]
 *
 * Run `npm run build` first.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { jobPage } from "../src/pages/documents/JobPage.ts"
import { startChromium } from "../test/pages/chromium.ts"
import { sampleReport, sampleSound } from "../test/pages/sample.ts"

const report = sampleReport(Number(process.argv[2] ?? 2_000))
const { wav, peaks } = sampleSound(report)
const folder = mkdtempSync(join(tmpdir(), "dubwright-pages-"))
const file = join(folder, "report.html")
writeFileSync(join(folder, "sound.wav"), wav)
const { job } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
const page = jobPage(report, { audio: "sound.wav", peaks, parts: job }).text
writeFileSync(file, page)
console.log(`${report.cues.length} cues, ${(page.length / 1e6).toFixed(1)} MB`)

const painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
const browser = await startChromium()
for (let round = 0; round < 5; round++) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await tab.goto(pathToFileURL(file).href)
  const ready = await tab.evaluate<number>(
    "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
  )
  const timed = async (act: () => Promise<void>): Promise<number> => {
    const start = performance.now()
    await act()
    await tab.evaluate(painted)
    return performance.now() - start
  }
  const key = await timed(() => tab.keyboard.press("n"))
  const search = await timed(() => tab.locator("#search").fill("bridge"))
  console.log(`interactive ${ready.toFixed(0)} ms, key ${key.toFixed(0)} ms, search ${search.toFixed(0)} ms`)
  await tab.close()
}
await browser.close()
rmSync(folder, { recursive: true })
