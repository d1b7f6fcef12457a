/** The first commands of a new user: the demo, and a file without a command. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { noteOfRun, runOfFile } from "../../../src/app/CommandLine.ts"
import { emptyFolder, run } from "../process.ts"

describe("a file without a command", () => {
  const words = (...given: ReadonlyArray<string>) =>
    runOfFile(given, ["run", "plan", "demo"], (path) => path === "notes")

  test("is dubbed with the bundled service, unless --base-url chooses another", () => {
    expect(words("film.srt")).toEqual(["run", "film.srt", "--embedded"])
    expect(words("Film.VTT", "b.srt", "--quiet")).toEqual([
      "run",
      "Film.VTT",
      "b.srt",
      "--quiet",
      "--embedded"
    ])
    expect(words("notes")).toEqual(["run", "notes", "--embedded"])
    expect(words("film.srt", "--embedded")).toEqual(["run", "film.srt", "--embedded"])
    expect(words("film.srt", "--base-url=https://tts.example")).toEqual([
      "run",
      "film.srt",
      "--base-url=https://tts.example"
    ])
  })

  test("may be missing, a track of a film, a pattern, or of a kind that run rejects with the reason", () => {
    for (const file of ["subs.mks", "film.mkv#vi", "season/*", "season\\film", "notes.xyz"])
      expect(words(file)).toEqual(["run", file, "--embedded"])
  })

  test("is neither a command, an option, nor a mistyped command", () => {
    expect([words(), words("run", "film.srt"), words("--help"), words("paln")]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  test("is announced, with the service that it does not use", () => {
    const given = ["run", "film.srt", "--embedded"]
    expect(noteOfRun(given, undefined)).toBe("this is dubwright run film.srt --embedded")
    expect(noteOfRun(given, "https://tts.example")).toBe(
      "this is dubwright run film.srt --embedded; dubwright run film.srt uses https://tts.example (DUBWRIGHT_BASE_URL)"
    )
  })

  test("is delivered without spending at the service of the environment", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.srt"), "1\n00:00:01,000 --> 00:00:04,000\nThe ferry has left.\n")
    const env = { DUBWRIGHT_BASE_URL: "http://127.0.0.1:9", DUBWRIGHT_API_KEY: "secret" }
    const { code, stderr } = await run(["film.srt"], { cwd, env })
    expect(code, stderr).toBe(0)
    expect(stderr).toContain("note: this is dubwright run film.srt --embedded; dubwright run film.srt uses")
    expect(stderr).not.toContain("secret")
    expect(existsSync(join(cwd, "out/film/film.wav"))).toBe(true)
  })
})

test(
  "the demo needs nothing but the package: no file of the clone, no network",
  { timeout: 240_000 },
  async () => {
    const home = emptyFolder()
    mkdirSync(join(home, "package"))
    cpSync("dist", join(home, "package/dist"), { recursive: true })
    symlinkSync(resolve("node_modules"), join(home, "package/node_modules"))
    const temporary = join(home, "tmp")
    mkdirSync(temporary)
    const child = spawn(process.execPath, [join(home, "package/dist/dubwright.mjs"), "demo"], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: temporary, HTTPS_PROXY: "http://127.0.0.1:9" }
    })
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.stdout.resume()
    await once(child, "close")
    expect(child.exitCode, stderr).toBe(0)
    const index = /demo: open (.+index\.html)/u.exec(stderr)?.[1] ?? ""
    const out = dirname(index)
    expect(out.startsWith(temporary)).toBe(true)
    expect(JSON.parse(readFileSync(join(out, "run.json"), "utf8")).jobs).toEqual([
      { id: "lighthouse-en", status: "delivered" },
      { id: "lighthouse-vi", status: "delivered" }
    ])
    expect(existsSync(join(out, "lighthouse-vi/lighthouse-vi.wav"))).toBe(true)
  }
)
