/** Runs the built command as a user would. */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { Readable } from "node:stream"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const command = resolve("dist/dubwright.mjs")

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  /** The first line on stdout. */
  readonly firstLine: Promise<string>
  /** The first line on stderr. */
  readonly firstWord: Promise<string>
  readonly ended: Promise<Ran>
}

/** Creates an empty temporary folder. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "dubwright-"))

/** Starts the command, without environment variables of the machine that would change its behaviour. */
export const start = (
  words: ReadonlyArray<string>,
  options: {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string
  } = {}
): Running => {
  const { DUBWRIGHT_API_KEY: _key, DUBWRIGHT_BASE_URL: _url, DUBWRIGHT_VOICES: _voices, ...env } = process.env
  const child = spawn(process.execPath, [command, ...words], {
    cwd: options.cwd ?? emptyFolder(),
    env: { ...env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const firstOf = (stream: Readable, read: () => string) =>
    new Promise<string>((tell) => {
      stream.on("data", () => {
        if (read().includes("\n")) tell(read().slice(0, read().indexOf("\n")))
      })
      child.once("close", () => tell(`exited before printing a line: ${stderr}`))
    })
  const firstLine = firstOf(child.stdout, () => stdout)
  const firstWord = firstOf(child.stderr, () => stderr)
  child.stdin.end(options.input ?? "")
  return {
    child,
    firstLine,
    firstWord,
    ended: once(child, "close").then(() => ({ code: child.exitCode, stdout, stderr }))
  }
}

/** Runs the command until it exits. */
export const run = (words: ReadonlyArray<string>, options?: Parameters<typeof start>[1]): Promise<Ran> =>
  start(words, options).ended
