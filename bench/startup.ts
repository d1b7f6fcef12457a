/**
 * Measures what a command costs before it does any work: its processor time, also as a ratio to a bare `node -e 0`.
 *
 * Each command runs N times, in turn with the others; the least is printed. Run `npm run build` first.
 *
 *     node bench/run.mjs startup [N]
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { processorSeconds } from "./shared/processorTime.ts"

const rounds = Number(process.argv[2] ?? 10)
const folder = mkdtempSync(join(tmpdir(), "dubwright-startup-"))
const cue = (at: number) => `${at}\n00:00:0${at},000 --> 00:00:0${at},900\nThe ferry has left.\n`
writeFileSync(join(folder, "film.srt"), [1, 2, 3, 4, 5].map(cue).join("\n"))

const program = resolve("dist/dubwright.mjs")
const commands = [
  ["-e", "0"],
  [program, "--version"],
  [program, "--help"],
  [program, "plan", "film.srt", "--embedded"],
  [program, "voices", "--embedded"]
]
const least = commands.map(() => Infinity)
for (let round = 0; round < rounds; round++)
  commands.forEach((words, at) => {
    const before = processorSeconds()
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" })
    if (status !== 0) throw new Error(stderr)
    least[at] = Math.min(least[at] ?? Infinity, processorSeconds() - before)
  })
rmSync(folder, { recursive: true })
const [bare = 0] = least
commands.forEach((words, at) => {
  const seconds = least[at] ?? 0
  const name = words[0] === program ? `dubwright ${words.slice(1).join(" ")}` : "node -e 0"
  console.log(`${name.padEnd(32)} ${seconds.toFixed(2)} s  ${(seconds / bare).toFixed(1)} × node`)
})
