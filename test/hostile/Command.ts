/** The real command, told to speak a subtitle with a service of ours. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { RunReport } from "../../src/domain/report/Report.ts"
import { serving, temporaryFolder } from "./Batch.ts"
import { calm, type Character, HostileService } from "./HostileService.ts"

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

/**
 * A folder with `scene.srt` in it and a service that speaks it, calm but for what is named, for as long as the scope.
 */
export const scene = (lines: number, character: Partial<Character> = {}, words?: (line: number) => string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeScene(folder, lines, words)
    const service = yield* serving(new HostileService({ ...calm, ...character }))
    return { folder, service }
  })

/** How a command ended: its exit code or the signal that ended it, and what it said on stderr. */
export interface CommandEnd {
  readonly how: number | string | null
  readonly words: string
}

/** A command at work. */
export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<CommandEnd>
  /** What it said on stderr so far. */
  readonly words: () => string
}

/**
 * Starts the command with a key and nothing else of a service in its environment; `before` stands before it, such as
 * another program.
 */
export const startedBy = (
  key: string,
  words: ReadonlyArray<string>,
  { before = [], env = {} }: Pick<Besides, "before" | "env"> = {}
): Started => {
  const [program = process.execPath, ...rest] = [...before, process.execPath, command, ...words]
  const { DUBWRIGHT_BASE_URL: _url, ...own } = process.env
  const child = spawn(program, rest, {
    env: { ...own, ...env, DUBWRIGHT_API_KEY: key },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  child.stderr.on("data", (chunk) => (said += String(chunk)))
  const ended = new Promise<CommandEnd>((tell) =>
    child.once("close", (code, signal) => tell({ how: code ?? signal, words: said }))
  )
  return { child, ended, words: () => said }
}

/** What a command is told besides: on its command line, in its environment, before it. */
export interface Besides {
  readonly options?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly before?: ReadonlyArray<string>
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
): Started =>
  startedBy(
    service.character.key,
    ["run", ...wordsFor(folder, service, state), "--quiet", ...(besides.options ?? [])],
    besides
  )

/**
 * Starts a run of a folder's scene on a terminal of its own, which is closed where `window` ends; tells when the run
 * itself has ended.
 */
export const onTerminal = (
  folder: string,
  service: HostileService
): { readonly window: ChildProcess; readonly ended: Promise<unknown> } => {
  const words = [process.execPath, command, "run", ...wordsFor(folder, service, join(folder, "state"))]
  const window = spawn("script", ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    env: { ...process.env, DUBWRIGHT_API_KEY: service.character.key },
    // The run holds the end of a pipe, as all that it was begun with, for as long as it lives.
    stdio: ["pipe", "ignore", "ignore", "pipe"]
  })
  const held = window.stdio[3]
  if (!(held instanceof Readable)) throw new Error("there is a pipe")
  return { window, ended: once(held.resume(), "close") }
}

/** The scene's finished sound. */
export const resultIn = (folder: string): Buffer => readFileSync(join(folder, "out/scene/scene.wav"))

/** What run.json says. */
export const runIn = (folder: string): RunReport =>
  Schema.decodeUnknownSync(Schema.parseJson(RunReport))(readFileSync(join(folder, "out/run.json"), "utf8"))

/** Waits until something is so. */
export const until = (isSo: () => boolean): Promise<void> =>
  new Promise((done) => {
    const look = () => (isSo() ? done() : setTimeout(look, 2))
    look()
  })

/** Waits until so many tasks were charged. */
export const reached = (service: HostileService, count: number): Promise<void> =>
  until(() => service.charged.length >= count)
