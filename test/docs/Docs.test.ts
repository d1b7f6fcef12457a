/** Runs every command shown in the README and the manual, and checks their links and generated pages. */
import { spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { manifestPage } from "../../scripts/make-manifest.mjs"
import { run, start } from "../app/process.ts"

const pages = [
  "README.md",
  ...["docs", "docs/install", "docs/engines", "docs/batches", "docs/checks"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`)
  )
]

/** Returns the commands of a page: its `sh` blocks, in order. */
const commandsOf = (page: string): ReadonlyArray<string> =>
  [...readFileSync(page, "utf8").matchAll(/^( *)```sh\n([^]*?)^ *```$/gmu)].map(([, , block = ""]) =>
    block.replaceAll(/^ +/gmu, "")
  )

const root = mkdtempSync(join(tmpdir(), "dubwright-docs-"))
const bin = join(root, "bin")
const films = join(root, "films", "harbour")
const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))

/** Creates a stand-in for a program that a page uses but that tests must not run. */
const standIn = (name: string, text: string): void => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(bin, name), 0o755)
}

const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => found(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Runs a block of commands in the films' folder, then stops its background processes. */
const shell = (
  block: string,
  env: Readonly<Record<string, string>>
): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((ended) => {
    const child = spawn("sh", ["-e"], {
      cwd: films,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: root, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.once("exit", (code) => {
      // The block's background processes belong to its process group.
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, "SIGTERM")
        } catch {
          // The group has already ended.
        }
      }
      ended({ code, said })
    })
    child.stdin.end(block)
  })

describe("the README and the manual", () => {
  let service: ReturnType<typeof start>
  let address = ""
  let key = ""

  beforeAll(async () => {
    for (const folder of [bin, films]) mkdirSync(folder, { recursive: true })
    standIn("dubwright", `exec "${process.execPath}" "${resolve("dist/dubwright.mjs")}" "$@"`)
    // A script missing from package.json is an error in the page.
    const known = Object.keys(scripts).join("|")
    standIn(
      "npm",
      `case "$1 $2" in run\\ *) case "$2" in ${known}) ;; *) exit 1;; esac;; test\\ *|link\\ *|install\\ -g) ;; *) exit 1;; esac`
    )
    for (const name of ["systemctl", "crontab", "loginctl"]) standIn(name, "cat > /dev/null < /dev/null")
    const line = (at: number, speaker: string, words: string) =>
      `${at}\n00:00:0${at},000 --> 00:00:0${at},900\n${speaker}: ${words}\n`
    writeFileSync(
      join(films, "harbour.vi.srt"),
      `${line(1, "ANNA", "Xin chào.")}\n${line(2, "BO", "Chào chị.")}`
    )
    writeFileSync(join(films, "film.srt"), line(1, "ANNA", "The ferry has left."))
    copyFileSync("fixtures/last-ferry.mp4", join(films, "film.mp4"))
    copyFileSync("fixtures/crowded.en.srt", join(films, "crowded.srt"))
    writeFileSync(
      join(films, "season.yaml"),
      "service: embedded\njobs: [{ input: crowded.srt, language: en }, { input: film.srt, language: en }]\n"
    )
    writeFileSync(
      join(films, "service.yaml"),
      /```yaml\n# service\.yaml\n([^]*?)```/u.exec(readFileSync("docs/service.md", "utf8"))?.[1] ?? "none"
    )
    // What a page judges that makes none itself.
    await run(["run", "film.srt", "--embedded", "--out", "out"], { cwd: films })
    copyFileSync(join(films, "out/film/film.wav"), join(films, "premix.wav"))
    const data = join(root, "service")
    key = (await run(["keys", "create", "--data", data, "--name", "docs"])).stdout.trim()
    service = start(["serve", "--port", "0", "--data", data, "--quiet"])
    address = (await service.firstLine).replace("listening ", "")
  })

  afterAll(async () => {
    service.child.kill("SIGTERM")
    await service.ended
    rmSync(root, { recursive: true, force: true })
  })

  test.each(pages)("%s: its commands work as written", async (page) => {
    rmSync(join(films, "lines.xlsx"), { force: true })
    for (const block of commandsOf(page)) {
      const ready = block
        .replaceAll("https://tts.example", address)
        .replaceAll("DUBWRIGHT_API_KEY=…", `DUBWRIGHT_API_KEY=${key}`)
        .replaceAll("--port 8080", `--port ${await freePort()}`)
        // A service runs until it is stopped. The test stops it as soon as it listens.
        .replaceAll(
          /^dubwright serve (?!.*&$).*$/gmu,
          (line) => `(${line} & echo $! > pid) | head -1; kill $(cat pid)`
        )
      const { code, said } = await shell(ready, { DUBWRIGHT_API_KEY: key })
      expect(code, `${block}\n${said}`).toBe(
        page === "docs/checks/delivery.md" && said.includes("dubwright: does not meet") ? 3 : 0
      )
      expect(said).not.toContain("cannot be judged")
    }
  })

  test("link only to existing pages", () => {
    for (const page of pages) {
      const folder = resolve(page, "..")
      for (const [, path = ""] of readFileSync(page, "utf8").matchAll(
        /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/gu
      ))
        expect(readdirSync(resolve(folder, path, "..")), `${page}: ${path}`).toContain(path.split("/").at(-1))
    }
  })

  test("docs/manifest.md matches the schema (if this fails, run scripts/make-manifest.mjs)", async () => {
    const { stdout } = await run(["schema"])
    expect(readFileSync("docs/manifest.md", "utf8")).toBe(manifestPage(JSON.parse(stdout)))
  })

  test("are printed by help, without Markdown markup", async () => {
    const { stdout } = await run(["help", "fit"])
    expect(stdout).toMatch(/^HOW LINES ARE FITTED\n/u)
    expect(stdout).not.toMatch(/[`]|\*\*|\]\(|^\|/mu)
    expect((await run(["help", "exit-codes"])).stdout).toMatch(/^ {3}75 {2}/mu)
  })
})
