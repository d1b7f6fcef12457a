/**
 * Measures what the plan of a season costs beyond reading its files: 24 episodes in 4 languages, from real subtitles.
 *
 * Runs three processes in turn, each N times, and prints the least user and system time and the least elapsed time:
 * one that reads the bytes of all files, one that reads them into cues, and `dubwright plan`.
 *
 *     node bench/run.mjs season [cues of an episode] [N] [folder of subtitles]
 *
 * Run `npm run build` first.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Either } from "effect"
import { readScript } from "../../src/script/ScriptFile.ts"
import { cueTexts } from "../align/cueTexts.ts"
import { processorSeconds } from "../shared/processorTime.ts"

const languages = ["en", "es", "fr", "ru"]
const episodes = Array.from({ length: 24 }, (_, at) => `E${`${at + 1}`.padStart(2, "0")}`)
const manifest = `service: embedded
defaults: { provider: provider_native, voice: en-anna, outputs: [wav, srt] }
jobs:
  - input: "subs/{episode}.{language}.srt"
    id: "{episode}-{language}"
`

const clock = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(11, 23).replace(".", ",")

/** The lines of all files of a language, as often as needed; a repeated line says how often it was used. */
const linesOf = (folder: string, language: string, count: number): ReadonlyArray<string> => {
  const lines = readdirSync(join(folder, language)).flatMap((file) => cueTexts(join(folder, language), file))
  return Array.from({ length: count }, (_, at) => {
    const times = Math.floor(at / lines.length)
    const line = lines[at % lines.length] ?? ""
    return times === 0 ? line : `${line} ${times}`
  })
}

/** Writes the season. Cues follow each other every 4 s, and last 3 s. */
const write = (season: string, corpus: string, cues: number): void => {
  mkdirSync(join(season, "subs"))
  writeFileSync(join(season, "season.yaml"), manifest)
  for (const language of languages) {
    const lines = linesOf(corpus, language, cues * episodes.length)
    episodes.forEach((episode, number) => {
      const own = lines.slice(number * cues, (number + 1) * cues)
      const srt = own.map((line, at) => `${at + 1}\n${clock(at * 4 + 1)} --> ${clock(at * 4 + 4)}\n${line}\n`)
      writeFileSync(join(season, "subs", `${episode}.${language}.srt`), srt.join("\n"))
    })
  }
}

const filesIn = (season: string) =>
  readdirSync(join(season, "subs")).map((name) => ({ name, bytes: readFileSync(join(season, "subs", name)) }))

const measure = (season: string, rounds: number): void => {
  const own = fileURLToPath(import.meta.url)
  const commands = {
    "read the bytes": [own, "bytes", season],
    "read into cues": [own, "cues", season],
    plan: [resolve("dist/dubwright.mjs"), "plan", "season.yaml"]
  }
  const least = new Map<string, readonly [processor: number, elapsed: number]>()
  for (let round = 0; round < rounds; round++)
    for (const [name, words] of Object.entries(commands)) {
      const [processor, elapsed] = [processorSeconds(), performance.now()]
      const { status, stderr } = spawnSync(process.execPath, words, {
        cwd: season,
        encoding: "utf8",
        maxBuffer: 2 ** 28
      })
      if (status !== 0) throw new Error(stderr)
      const [before = Infinity, wall = Infinity] = least.get(name) ?? []
      least.set(name, [
        Math.min(before, processorSeconds() - processor),
        Math.min(wall, (performance.now() - elapsed) / 1000)
      ])
    }
  const [planned = 0, waited = 0] = least.get("plan") ?? []
  for (const [name, [processor, elapsed]] of least) {
    const more = `plan takes ${(planned - processor).toFixed(2)} and ${(waited - elapsed).toFixed(2)} s more`
    console.log(
      `${name.padEnd(16)} ${processor.toFixed(2)} s of CPU, ${elapsed.toFixed(2)} s elapsed; ${more}`
    )
  }
}

const [what = "126", ...rest] = process.argv.slice(2)
if (what === "bytes") {
  filesIn(rest[0] ?? "")
} else if (what === "cues") {
  for (const { name, bytes } of filesIn(rest[0] ?? "")) Either.getOrThrow(readScript(bytes, name))
} else {
  const season = mkdtempSync(join(tmpdir(), "dubwright-season-"))
  write(season, rest[1] ?? "../shared/corpus/real", Number(what))
  console.log(`${languages.length * episodes.length} files of ${what} cues`)
  measure(season, Number(rest[0] ?? 5))
  rmSync(season, { recursive: true })
}
