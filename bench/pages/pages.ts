/**
 * Measures how soon the pages of a job are usable, and their longest pauses: a job of 5,000 cues and four hours, in
 * Chromium. The report is opened from disk. The review comes from a stand-in for its server, with a film of two hours;
 * it is opened at 1400 and 420 pixels, light and dark.
 *
 * For loading the page and for each action of a user, prints the time until it is painted and the longest task of the
 * page's main thread meanwhile, both in milliseconds. It also prints each task's CPU time, because a busy machine
 * lengthens the elapsed time. For the review, it also prints the serious and critical findings of axe, and takes a
 * screenshot after each action if a folder is named.
 *
 *     node bench/run.mjs pages [cues] [rounds of the report] [folder of screenshots]
 *
 * Run `npm run build` first. Needs ffmpeg.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { CDPSession, Page } from "playwright-core"
import { jobPage } from "../../src/pages/documents/JobPage.ts"
import { seriousFindings } from "../../test/pages/axe.ts"
import { startChromium } from "../../test/pages/chromium.ts"
import { sampleReport, sampleSound } from "../../test/pages/sample.ts"
import { longFilm } from "../../test/pages/longFilm.ts"
import { reviewActions } from "../../test/pages/reviewActions.ts"
import { startStand } from "../../test/pages/reviewStand.ts"

const report = sampleReport(Number(process.argv[2] ?? 5_000))
// The sound of its first two minutes: only the page is measured. As many peaks as the longest waveform has.
const { wav } = sampleSound({ ...report, cues: report.cues.slice(0, 40), duration: 120 })
const peaks = Float32Array.from({ length: 120_000 }, (_, at) => 0.5 + 0.4 * Math.sin(at / 9))
const folder = mkdtempSync(join(tmpdir(), "dubwright-pages-"))
const file = join(folder, "report.html")
writeFileSync(join(folder, "sound.wav"), wav)
const { job } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
const page = jobPage(report, { audio: "sound.wav", peaks, parts: job }).text
writeFileSync(file, page)
console.log(`${report.cues.length} cues, ${(page.length / 1e6).toFixed(1)} MB`)

const painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"

/** A task of the main thread. Times are in microseconds. */
interface Task {
  readonly dur?: number
  readonly tdur?: number
}

/** Runs `act`; returns its time and the longest task in milliseconds. */
const traced = async (cdp: CDPSession, tab: Page, act: () => Promise<unknown>): Promise<string> => {
  const tasks: Array<Task> = []
  const collect = ({ value }: { readonly value: ReadonlyArray<object> }) => {
    tasks.push(...value.filter((event) => "name" in event && event.name === "ThreadControllerImpl::RunTask"))
  }
  cdp.on("Tracing.dataCollected", collect)
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel"] }
  })
  const start = performance.now()
  await act()
  await tab.evaluate(painted)
  const taken = performance.now() - start
  const ended = new Promise((done) => cdp.once("Tracing.tracingComplete", done))
  await cdp.send("Tracing.end")
  await ended
  cdp.off("Tracing.dataCollected", collect)
  const most = (times: ReadonlyArray<number | undefined>) =>
    (times.reduce<number>((longest, time = 0) => Math.max(longest, time), 0) / 1000).toFixed(0)
  return `${taken.toFixed(0)}, task ${most(tasks.map(({ dur }) => dur))} (CPU ${most(tasks.map(({ tdur }) => tdur))})`
}

const actions: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  next: (tab) => tab.keyboard.press("n"),
  search: (tab) => tab.locator("#search").fill("bridge"),
  clear: (tab) => tab.keyboard.press("Escape"),
  filter: (tab) => tab.locator("#filter").selectOption("marked"),
  unfilter: (tab) => tab.locator("#filter").selectOption("all"),
  sort: (tab) =>
    tab.evaluate(`(() => {
      const field = document.querySelector("#order")
      field.value = "0"
      field.dispatchEvent(new Event("change"))
    })()`),
  scroll: (tab) =>
    tab.evaluate(`(async () => {
      for (let step = 0; step < 30; step++) {
        scrollBy(0, 700)
        await ${painted}
      }
    })()`),
  end: (tab) => tab.evaluate("scrollTo(0, document.documentElement.scrollHeight)"),
  start: (tab) => tab.evaluate("scrollTo(0, 0)"),
  zoom: (tab) => tab.keyboard.press("+")
}

const [rounds, shots] = [Number(process.argv[3] ?? 3), process.argv[4]]
const browser = await startChromium()
for (let round = 0; round < rounds; round++) {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const cdp = await tab.context().newCDPSession(tab)
  console.log(`report ${await traced(cdp, tab, () => tab.goto(pathToFileURL(file).href))}`)
  for (const [name, act] of Object.entries(actions))
    console.log(`  ${name} ${await traced(cdp, tab, () => act(tab))}`)
  await tab.close()
}

const film = longFilm(folder, report.cues.length)
for (const [width, colorScheme] of [
  [1400, "light"],
  [420, "dark"],
  [420, "light"],
  [1400, "dark"]
] as const) {
  const stand = await startStand(film)
  const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const cdp = await tab.context().newCDPSession(tab)
  console.log(`review, ${width} ${colorScheme} ${await traced(cdp, tab, () => tab.goto(stand.address))}`)
  for (const [name, act] of Object.entries(reviewActions)) {
    console.log(`  ${name} ${await traced(cdp, tab, () => act(tab))}`)
    if (shots !== undefined)
      await tab.screenshot({ path: join(shots, `${width}-${colorScheme}-${name.replaceAll(" ", "-")}.png`) })
    if (!["edit", "next take", "price of a voice", "help"].includes(name)) continue
    const over = await tab.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
    console.log(`    axe: ${(await seriousFindings(tab)).join("; ") || "nothing"}; ${over} px too wide`)
  }
  await tab.close()
  stand.close()
}
await browser.close()
rmSync(folder, { recursive: true })
