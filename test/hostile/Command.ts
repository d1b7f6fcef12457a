/** Starts the real command on a subtitle, with a test service. */
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

/** Writes `scene.srt` with `lines` lines into a folder; `words` returns a line's text by its number. */
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
 * Creates a folder with `scene.srt` and a well-behaved service except for `character`, for the lifetime of the scope.
 */
export const scene = (lines: number, character: Partial<Character> = {}, words?: (line: number) => string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeScene(folder, lines, words)
    const service = yield* serving(new HostileService({ ...calm, ...character }))
    return { folder, service }
  })

/** How a command ended: its exit code or signal, and its stderr. */
export interface CommandEnd {
  readonly how: number | string | null
  readonly words: string
}

/** A running command. */
export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<CommandEnd>
  /** Its stderr so far. */
  readonly words: () => string
}

/**
 * Starts the command with a key but no service address in its environment. `before` holds words in front of the
 * command, such as another program.
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

/** Additional options, environment variables and words in front of the command. */
export interface Besides {
  readonly options?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly before?: ReadonlyArray<string>
}

/** The arguments that name the scene, the service and the folders. */
const wordsFor = (folder: string, service: HostileService, state: string): ReadonlyArray<string> => [
  join(folder, "scene.srt"),
  ...["--base-url", service.baseUrl, "--voice", "v1", "--provider", "provider_fast"],
  ...["--state", state, "--out", join(folder, "out")]
]

/** Plans a folder's scene as a run would, and returns the output of `plan --json`. */
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

/** Starts a run of a folder's scene, with state and output in the same folder unless `state` names another. */
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
 * Starts a run of a folder's scene on a terminal of its own, which closes when `window` ends. `ended` resolves when the
 * run itself has ended.
 */
export const onTerminal = (
  folder: string,
  service: HostileService
): { readonly window: ChildProcess; readonly ended: Promise<unknown> } => {
  const words = [process.execPath, command, "run", ...wordsFor(folder, service, join(folder, "state"))]
  const window = spawn("script", ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    env: { ...process.env, DUBWRIGHT_API_KEY: service.character.key },
    // The run inherits this pipe and keeps it open for as long as it lives.
    stdio: ["pipe", "ignore", "ignore", "pipe"]
  })
  const held = window.stdio[3]
  if (!(held instanceof Readable)) throw new Error("expected a readable pipe")
  return { window, ended: once(held.resume(), "close") }
}

/** The scene's finished WAV file. */
export const resultIn = (folder: string): Buffer => readFileSync(join(folder, "out/scene/scene.wav"))

/** Reads the folder's run.json. */
export const runIn = (folder: string): RunReport =>
  Schema.decodeUnknownSync(Schema.parseJson(RunReport))(readFileSync(join(folder, "out/run.json"), "utf8"))

/** Waits until a condition holds. */
export const until = (isSo: () => boolean): Promise<void> =>
  new Promise((done) => {
    const look = () => (isSo() ? done() : setTimeout(look, 2))
    look()
  })

/** Waits until `count` tasks were charged. */
export const reached = (service: HostileService, count: number): Promise<void> =>
  until(() => service.charged.length >= count)
