// Generates the pictures of the README from a real run of the demo in an empty folder: docs/pictures/terminal.svg, a
// recording of the terminal, and docs/pictures/report.png, the report page of the English dub.
//
//     npm run build && node scripts/make-readme-pictures.mjs
//
// Needs script(1) of util-linux for the pseudo-terminal, and Chromium.
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { chromium } from "playwright-core"
import { columns, framesOf, rows, terminalSvg } from "./terminal-svg.mjs"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "dubwright-pictures-"))
const command = "dubwright run pipelines/demo.yaml"

/** Times of the recording, in seconds. `run` is the longest the first run may take; a slower one is played faster. */
const times = { run: 11, gap: 0.35, prompt: 0.7, command: 0.9, read: 4, hold: 5 }

/** Runs the command in a pseudo-terminal; returns its output with the time of each piece, in seconds. */
const record = () =>
  new Promise((recorded, failed) => {
    const start = Date.now()
    const output = []
    const size = `stty cols ${columns} rows ${rows}`
    const child = spawn("script", ["-qfec", `${size}; exec ${command}`, "/dev/null"], {
      cwd: folder,
      env: { PATH: `${join(folder, "bin")}:${process.env.PATH}`, TERM: "xterm-256color", HOME: folder },
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => output.push({ time: (Date.now() - start) / 1000, text }))
    child.on("error", failed)
    child.on("close", (code) =>
      code === 0 ? recorded(output) : failed(new Error(`${command}: exit ${code}`))
    )
  })

/** Returns the recording of the command typed at a prompt and run, `from` seconds on, played `speed` times faster. */
const typed = (output, from, speed) => {
  const start = from + times.prompt + times.command
  return [
    { time: from, text: "\u001b[32m$\u001b[0m " },
    { time: from + times.prompt, text: `${command}\r\n` },
    ...output.map(({ time, text }) => ({ time: start + time / speed, text }))
  ]
}

/** Takes a picture of the report page down to its second row, with the speed chart open. */
const takeReport = async () => {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme: "light" })
  await page.goto(pathToFileURL(join(folder, "pipelines/out/last-ferry-en/report.html")).href)
  await page.locator("summary").first().click()
  await page.waitForTimeout(1000)
  const row = await page.locator("tbody tr").nth(1).boundingBox()
  const clip = { x: 0, y: 0, width: 1280, height: Math.round(row.y + row.height) }
  await page.screenshot({ path: here("../docs/pictures/report.png"), clip })
  await browser.close()
}

try {
  for (const name of ["pipelines", "bin"]) mkdirSync(join(folder, name))
  cpSync(here("../pipelines/demo.yaml"), join(folder, "pipelines/demo.yaml"))
  cpSync(here("../fixtures"), join(folder, "fixtures"), { recursive: true })
  symlinkSync(here("../dist/dubwright.mjs"), join(folder, "bin/dubwright"))

  const run = await record()
  const speed = Math.max(1, run.at(-1).time / times.run)
  const first = typed(run, 0, speed)
  const second = typed(await record(), first.at(-1).time + times.read, speed)
  const frames = await framesOf([...first, ...second], times.gap)
  const svg = terminalSvg(frames, {
    title: "Terminal recording of dubwright run pipelines/demo.yaml",
    description: `The first run speaks 23 lines with the included voices and delivers three jobs. The second run of the same command sends nothing: every clip was cached. Played ${speed.toFixed(1)} times faster than recorded.`,
    hold: times.hold
  })
  writeFileSync(here("../docs/pictures/terminal.svg"), svg)
  process.stderr.write(`terminal.svg: ${frames.length} frames, ${Math.round(svg.length / 1000)} kB\n`)
  await takeReport()
} finally {
  rmSync(folder, { recursive: true })
}
