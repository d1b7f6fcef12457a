/** The real command, told to speak a subtitle with a service of ours. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { RunReport } from "../../src/domain/Report.ts"
import type { HostileService } from "./HostileService.ts"

const command = fileURLToPath(new URL("../../dist/dubwright.mjs", import.meta.url))

const clock = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(11, 23).replace(".", ",")

/** Writes `scene.srt` of so many lines into a folder; `words` are what the lines say, by their numbers. */
export const writeScene = (
  folder: string,
  lines: number,
  words = (line: number) => `This is line number ${line}.`
): void =>
  writeFileSync(
    join(folder, "scene.srt"),
    Array.from(
      { length: lines },
      (_, i) => `${i + 1}\n${clock(i * 3)} --> ${clock(i * 3 + 2.8)}\n${words(i + 1)}\n`
    ).join("\n")
  )

/** How a command ended: its exit code or the signal that ended it, and what it said on stderr. */
export interface CommandEnd {
  readonly how: number | string | null
  readonly words: string
}

/** What a run is told besides, on its command line and in its environment. */
export interface Besides {
  readonly options?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** What the words that name a scene and the service to the command are. */
const wordsFor = (folder: string, service: HostileService, state: string): ReadonlyArray<string> => [
  join(folder, "scene.srt"),
  ...["--base-url", service.baseUrl, "--voice", "v1", "--provider", "provider_fast"],
  ...["--state", state, "--out", join(folder, "out")]
]

/** Plans a folder's scene as a run would do it, and returns what `plan --json` prints. */
export const planned = async (
  folder: string,
  service: HostileService,
  state = join(folder, "state")
): Promise<unknown> => {
  const child = spawn(process.execPath, [command, "plan", ...wordsFor(folder, service, state), "--json"], {
    env: { ...process.env, DUBWRIGHT_API_KEY: service.character.key },
    stdio: ["ignore", "pipe", "ignore"]
  })
  let words = ""
  for await (const chunk of child.stdout) words += String(chunk)
  return JSON.parse(words)
}

/** Starts a run of a folder's scene; its state and results lie beside it unless the state has a place of its own. */
export const started = (
  folder: string,
  service: HostileService,
  state = join(folder, "state"),
  besides: Besides = {}
) => {
  const child: ChildProcess = spawn(
    process.execPath,
    [command, "run", ...wordsFor(folder, service, state), "--quiet", ...(besides.options ?? [])],
    {
      env: { ...process.env, ...besides.env, DUBWRIGHT_API_KEY: service.character.key },
      stdio: ["ignore", "ignore", "pipe"]
    }
  )
  let words = ""
  child.stderr?.on("data", (chunk) => (words += String(chunk)))
  const ended = new Promise<CommandEnd>((resolve) =>
    child.once("close", (code, signal) => resolve({ how: code ?? signal, words }))
  )
  return { child, ended }
}

/** The scene's finished sound. */
export const resultIn = (folder: string): Buffer => readFileSync(join(folder, "out/scene/scene.wav"))

/** What run.json says. */
export const runIn = (folder: string): RunReport =>
  Schema.decodeUnknownSync(Schema.parseJson(RunReport))(readFileSync(join(folder, "out/run.json"), "utf8"))

/** Waits until so many tasks were charged. */
export const reached = (service: HostileService, count: number): Promise<void> =>
  new Promise((resolve) => {
    const look = () => (service.charged.length >= count ? resolve() : setTimeout(look, 2))
    look()
  })
