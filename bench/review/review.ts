/**
 * Measures how soon an edited line is heard in its place: a film of two hours and 2,000 lines, spoken by the bundled
 * service, under `dubwright review`, in Chromium. Each edit changes a line's words or its voice, presses Listen and
 * then Accept, and plays from the line as soon as the change is saved. The lines are at the start, the middle and the
 * end of the film, in turn. Between opening the edit box and Listen, the user types for about three seconds.
 *
 * The new line is first heard from the page's preview, which an AudioContext plays while the page's audio element still
 * has the earlier file. The time counts once the context has played some of it. What it plays is compared with the
 * delivered file: at the line, they may differ in level by a decibel, and otherwise by the file's dither.
 *
 *     node bench/run.mjs review [--hours 2] [--lines 2000] [--edits 12] [--outputs wav,srt] [--profile FOLDER]
 *
 * For each edit, prints in milliseconds:
 *
 * - listen: from the key to the take's sound: the request, the speaking, and decoding in the page
 * - saved: from Accept to the server's response
 * - heard: from Accept until the new line plays in its place
 * - written: from Accept until the WAV file is in its place
 * - loaded: from Accept until the audio element can play that file
 *
 * The last column is listen and heard together: what the user waits for, without the take's own length. Fails if the
 * line's samples did not change. A line in the excerpt on which the mix's gain is measured is written later.
 * `--profile` writes a CPU profile of the server.
 *
 * Run `npm run build` first. Needs Chromium and ffmpeg.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { locateConfigured } from "../../src/ffmpeg/process/FfmpegBinary.ts"
import { startChromium } from "../../test/pages/chromium.ts"
import { command } from "../shared/service.ts"
import { sentenceAt } from "./sentences.ts"

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "2" },
    lines: { type: "string", default: "2000" },
    edits: { type: "string", default: "12" },
    outputs: { type: "string", default: "wav,srt" },
    profile: { type: "string" }
  }
})
const [hours, lines, edits] = [Number(values.hours), Number(values.lines), Number(values.edits)]
const spacing = (hours * 3600) / lines

/** Writes the film, its subtitle and the manifest, and runs the batch. */
const makeFilm = async (folder: string): Promise<void> => {
  const time = (seconds: number) =>
    new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace(".", ",")
  const cue = (at: number) =>
    `${at + 1}\n${time(at * spacing)} --> ${time((at + 0.9) * spacing)}\n${sentenceAt(at)}\n`
  writeFileSync(join(folder, "film.srt"), Array.from({ length: lines }, (_, at) => cue(at)).join("\n"))
  const picture = `color=gray:size=64x36:rate=1:duration=${hours * 3600}`
  const film = ["-f", "lavfi", "-i", picture, "-pix_fmt", "yuv420p", join(folder, "film.mp4")]
  const { path: ffmpeg } = await Effect.runPromise(locateConfigured)
  execFileSync(ffmpeg, ["-v", "error", ...film])
  const manifest = [
    "service: embedded",
    `defaults: { provider: provider_native, voice: en-anna, language: en, sync: off, outputs: [${values.outputs}] }`,
    "jobs: [{ id: film, input: film.srt, video: film.mp4 }]"
  ]
  writeFileSync(join(folder, "batch.yaml"), manifest.join("\n"))
  const { status, stderr } = spawnSync(process.execPath, [command, "run", "batch.yaml", "--quiet"], {
    cwd: folder
  })
  if (status !== 0) throw new Error(stderr.toString())
}

/** Starts the review; returns the address to open. */
const startReview = async (folder: string) => {
  const profiling = values.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${values.profile}`]
  const child = spawn(process.execPath, [...profiling, command, "review", "batch.yaml"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((done) => child.once("close", done))
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("review ")) return { child, ended, address: line.slice("review ".length) }
  throw new Error("the review ended before it printed its address")
}

/** What the page did, with its time in milliseconds since 1970. */
const marks: Array<{ readonly name: string; readonly at: number }> = []

/** Waits until the page has done it, after a time in milliseconds since 1970. */
const waitFor = async (name: string, after = 0): Promise<void> => {
  const end = performance.now() + 30_000
  while (!marks.some((mark) => mark.name === name && mark.at > after)) {
    if (performance.now() > end) throw new Error(`${name}: not within 30 s, but ${JSON.stringify(marks)}`)
    await setTimeout(10)
  }
}

/**
 * Records keys, responses, the events of media elements, and previews with what they play. Plays from the line once the
 * change is saved, with the element's own sound if there is no preview.
 */
const recorder = `
  const mark = (name) => record(name, performance.timeOrigin + performance.now())
  addEventListener("keydown", ({ key, ctrlKey }) => ctrlKey && mark(key), true)
  const isReloaded = sessionStorage.accepted === location.hash
  delete sessionStorage.accepted
  const ask = window.fetch
  window.fetch = async (path, ...more) => {
    const answer = await ask(path, ...more)
    const { state } = path === "delivery" ? await answer.clone().json() : {}
    const name = path.split("/").at(-1)
    mark(state ?? name)
    if (name === "preview") window.previewFrom = Number(answer.headers.get("x-preview-from"))
    if (name === "accept") sessionStorage.accepted = location.hash
    if (name === "accept") setTimeout(() => document.querySelector("#play").click())
    return answer
  }
  const start = AudioBufferSourceNode.prototype.start
  AudioBufferSourceNode.prototype.start = function (...when) {
    start.call(this, ...when)
    const { context, buffer } = this
    const from = context.currentTime
    const look = () => (context.currentTime > from ? mark("playing preview") : setTimeout(look, 1))
    look()
    window.secondAt = (seconds) => {
      const at = Math.round((seconds - previewFrom) * buffer.sampleRate)
      return { rate: buffer.sampleRate, samples: [...buffer.getChannelData(0).subarray(at, at + buffer.sampleRate)] }
    }
  }
  for (const type of ["canplay", "playing"])
    addEventListener(type, ({ target }) => {
      const isNew = target.id !== "audio" || isReloaded || target.currentSrc.includes("?")
      mark(type + " " + (isNew ? "" : "old ") + target.id)
    }, true)
`

/** A second of the delivered sound. */
const secondAt = (file: string, seconds: number): Buffer => {
  const bytes = Buffer.alloc(2 * 48_000)
  const descriptor = openSync(file, "r")
  const head = Buffer.alloc(1_000)
  readSync(descriptor, head, 0, head.length, 0)
  const dataAt = head.indexOf("data") + 8
  readSync(descriptor, bytes, 0, bytes.length, dataAt + 2 * Math.round(seconds * 48_000))
  closeSync(descriptor)
  return bytes
}

/** A second of a preview: its samples, ±1 at full scale. */
interface Second {
  readonly rate: number
  readonly samples: ReadonlyArray<number>
}

/**
 * Throws if a second of a preview is not that of the file, apart from its level, the file's dither, and what another
 * sample rate changes.
 */
const compare = ({ rate, samples }: Second, file: Buffer): void => {
  const sampleAt = (at: number) => (at < 48_000 ? file.readInt16LE(2 * at) / 32_768 : 0)
  const delivered = samples.map((_, at) => {
    const place = (at * 48_000) / rate
    const first = Math.floor(place)
    return sampleAt(first) + (place - first) * (sampleAt(first + 1) - sampleAt(first))
  })
  const product = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  const level = product(samples, delivered) / product(samples, samples)
  const missing = delivered.map((value, at) => value - level * (samples[at] ?? 0))
  const error = Math.sqrt(product(missing, missing) / product(delivered, delivered))
  if (!(error < 0.1 && Math.abs(20 * Math.log10(level)) < 1))
    throw new Error(`the preview is another sound: factor ${level.toFixed(3)}, error ${error.toFixed(3)}`)
}

/** Edits a line; returns the milliseconds of each phase. */
const edit = async (
  page: Page,
  address: string,
  folder: string,
  cue: number,
  what: "words" | "voice",
  by: number
) => {
  const sound = join(folder, "out/film/film.wav")
  marks.length = 0
  await page.goto("about:blank")
  await page.goto(`${address}film/report.html#cue-${cue}`)
  await page.locator(`#cue-${cue}[aria-current]`).waitFor()
  await page.keyboard.press("e")
  await page.locator("#edit textarea").waitFor()
  const before = secondAt(sound, (cue - 1) * spacing + 0.5)
  if (what === "voice") await page.locator('#edit input[name="voice"]').fill("en-bo")
  await page.locator("#edit textarea").press("Control+a")
  await page.keyboard.type(sentenceAt(what === "voice" ? cue - 1 : lines + by), { delay: 75 })
  await page.keyboard.press("Control+Enter")
  await waitFor("playing edit-take")
  // The user listens to the take, in part.
  await setTimeout(500)
  await page.keyboard.press("Control+s")
  await waitFor("playing preview")
  await page.evaluate("document.querySelector('#play').click()")
  const at = (name: string) => marks.find((mark) => mark.name === name)?.at ?? NaN
  const accepted = at("s")
  const within = (cue - 1) * spacing + 0.5
  const previewed = await page.evaluate<Second>(`secondAt(${within})`)
  await waitFor("delivered", accepted)
  const after = secondAt(sound, within)
  if (before.equals(after)) throw new Error(`cue ${cue} sounds as before`)
  compare(previewed, after)
  await waitFor("canplay audio")
  return {
    listen: at("playing edit-take") - at("Enter"),
    saved: at("accept") - accepted,
    heard: at("playing preview") - accepted,
    written: statSync(sound).ctimeMs - accepted,
    loaded: at("canplay audio") - accepted
  }
}

const folder = mkdtempSync(join(tmpdir(), "dubwright-review-"))
process.on("exit", () => rmSync(folder, { recursive: true }))
await makeFilm(folder)
const review = await startReview(folder)
process.on("exit", () => review.child.kill("SIGINT"))
const browser = await startChromium()
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
await page.exposeFunction("record", (name: string, at: number) => void marks.push({ name, at }))
await page.addInitScript(recorder)
await page.goto(review.address)
const address = new URL(".", page.url()).href
const places = [20, Math.floor(lines / 2), lines - 4]
const rows: Array<Awaited<ReturnType<typeof edit>>> = []
console.log(
  "| edit | listen | saved | heard | written | loaded | listen + heard |\n|---|---|---|---|---|---|---|"
)
const print = (name: string, row: Awaited<ReturnType<typeof edit>>) => {
  const columns = [...Object.values(row), row.listen + row.heard]
  console.log(`| ${[name, ...columns.map((value) => value.toFixed(0))].join(" | ")} |`)
}
for (let at = 0; at < edits; at++) {
  const round = Math.floor(at / places.length)
  // Another line each time, near the previous one.
  const cue = (places[at % places.length] ?? 1) + (at % places.length === 2 ? -round : round)
  const what = round % 2 === 0 ? "words" : "voice"
  const row = await edit(page, address, folder, cue, what, at)
  rows.push(row)
  print(`${what} of cue ${cue}`, row)
}
const quantile = (share: number, of: (row: (typeof rows)[number]) => number): number => {
  const sorted = rows.map(of).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
}
for (const [name, share] of [
  ["p50", 0.5],
  ["max", 1]
] as const) {
  const both = quantile(share, ({ listen, heard }) => listen + heard)
  const columns = (["listen", "saved", "heard", "written", "loaded"] as const).map((phase) =>
    quantile(share, (row) => row[phase]).toFixed(0)
  )
  console.log(`| ${[name, ...columns, both.toFixed(0)].join(" | ")} |`)
}
await browser.close()
review.child.kill("SIGINT")
await review.ended
