/** The example of docs/engines/neural.md, followed word for word: a neural voice and a bundled one dub a film. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { run, start } from "../../app/process.ts"
import { writePiperVoice } from "./tinyVoice.ts"

const page = readFileSync("docs/engines/neural.md", "utf8")

/** The block of the page that begins with these words. */
const blockOf = (words: string): string => {
  const blocks = [...page.matchAll(/^( *)```\w*\n([^]*?)^ *```$/gmu)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gmu"), "")
  )
  return blocks.find((block) => block.startsWith(words)) ?? `the page has no block ${words}`
}

/** The arguments of a command of the page. */
const argumentsOf = (command: string, url: string): ReadonlyArray<string> =>
  command.replace("http://127.0.0.1:8080", url).replace(/ &$/u, " --quiet --port 0").split(" ").slice(1)

const script = `1
00:00:00,500 --> 00:00:02,000
The ferry has left.

2
00:00:02,500 --> 00:00:04,000
BO: Then we wait.
`

test("a film is dubbed with the page alone", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-neural-"))
  mkdirSync(join(cwd, "models"))
  writePiperVoice(join(cwd, "models"), "en_GB-alan-medium", {
    espeak: { voice: "en-gb-x-rp" },
    language: { code: "en_GB" }
  })
  const settings = blockOf("# service.yaml").replace("./models/kokoro-multi-lang-v1_0, ", "")
  writeFileSync(join(cwd, "service.yaml"), settings)
  writeFileSync(join(cwd, "harbour.en.srt"), script)
  const [serve = "", keys = ""] = blockOf("dubwright serve").split("\n")
  const service = start(argumentsOf(serve, ""), { cwd })
  try {
    const url = (await service.firstLine).replace("listening ", "")
    const create = keys.replace(/^.*\$\(/u, "").replace(")", "")
    const key = (await run(argumentsOf(create, url), { cwd })).stdout.trim()
    const client = { cwd, env: { DUBWRIGHT_API_KEY: key } }
    const commands = blockOf("dubwright voices --base-url").trim().split("\n")
    const listed = await Promise.all(commands.map((command) => run(argumentsOf(command, url), client)))
    const manifest = blockOf("# harbour.yaml")
      .replace("http://127.0.0.1:8080", url)
      .replace(/^ +video: .*\n/mu, "")
      .replace("[mp4, srt]", "[wav, srt]")
    const [local = "", fast = ""] = [...manifest.matchAll(/voice: ([\w-]+)/gu)].map(([, voice]) => voice)
    expect(listed.map(({ stdout }) => stdout)).toEqual([
      expect.stringContaining(local),
      expect.stringContaining(fast)
    ])
    writeFileSync(join(cwd, "harbour.yaml"), manifest)
    const dubbed = await run(["run", "harbour.yaml"], client)
    expect(dubbed.code, dubbed.stderr).toBe(0)
    const report = JSON.parse(readFileSync(join(cwd, "out/harbour.en/report.json"), "utf8"))
    const engines = report.cues.map((cue: { readonly engine?: string }) => cue.engine)
    expect(engines).toEqual(["local", "espeak"])
  } finally {
    service.child.kill("SIGTERM")
    await service.ended
    rmSync(cwd, { recursive: true, force: true })
  }
})
