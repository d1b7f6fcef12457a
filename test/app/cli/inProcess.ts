/**
 * Runs a command line in this process, as the built command would. A process of its own takes a second or two of
 * processor time to start; tests of streams, signals and exit codes use `../process.ts`.
 */
import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer } from "effect"
import { commandLineOf, runCommandLine } from "../../../src/app/CommandLine.ts"
import { logsOn } from "../../../src/app/terminal/LogLines.ts"
import { makeScreen, Screen, type Stream } from "../../../src/app/terminal/Screen.ts"
import { emptyFolder, type Ran } from "../process.ts"

/** Runs a command line in a folder, an empty one unless given. Command lines of one process run one after another. */
export const runHere = async (
  words: ReadonlyArray<string>,
  {
    cwd = emptyFolder(),
    env = {}
  }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
): Promise<Ran> => {
  const said = { stdout: "", stderr: "" }
  const stream = (name: keyof typeof said): Stream => ({
    write: (text, done) => {
      said[name] += text
      done()
    }
  })
  const { DUBWRIGHT_API_KEY: _key, DUBWRIGHT_BASE_URL: _url, DUBWRIGHT_VOICES: _voices, ...own } = process.env
  const environment = Object.entries({ ...own, ...env }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const line = commandLineOf(words)
    const screen = makeScreen(
      stream("stdout"),
      stream("stderr"),
      Object.fromEntries(environment),
      words.includes("--events")
    )
    const surroundings = logsOn(words.includes("--verbose")).pipe(
      Layer.provideMerge(Layer.succeed(Screen, screen)),
      Layer.merge(NodeContext.layer)
    )
    const settings = ConfigProvider.fromMap(new Map(environment), { pathDelim: "_", seqDelim: "," })
    const code = await runCommandLine(line).pipe(
      Effect.withTracerEnabled(false),
      Effect.provide(surroundings),
      Effect.withConfigProvider(settings),
      Effect.runPromise
    )
    return { code, ...said }
  } finally {
    process.chdir(before)
  }
}
