/** The main program: runs the command line in this process, with its streams, signals and exit code. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import { isatty } from "node:tty"
import { terminalSignals } from "../system/TerminalSignals.ts"
import { collectorIn } from "./layers/TraceCollector.ts"
import { commandLineOf, runCommandLine } from "./CommandLine.ts"
import { exitCodes, interruptions } from "./ExitCodes.ts"
import { logsOn } from "./terminal/LogLines.ts"
import { eventLine, processScreen, sayAs } from "./terminal/Screen.ts"
import { withholdSecrets, withoutSecrets } from "./layers/SecretVariables.ts"

const commandLine = commandLineOf(process.argv.slice(2))
const { words } = commandLine
const events = words.includes("--events")

let signal: keyof typeof interruptions | undefined
process.once("SIGINT", () => (signal ??= "SIGINT"))
process.once("SIGTERM", () => (signal ??= "SIGTERM"))

const onTerminal = [0, 1, 2].some((stream) => isatty(stream))
for (const { signal: received, as } of terminalSignals(process.platform, onTerminal))
  process.on(received, () => {
    if (as === undefined) return
    signal ??= received === "SIGHUP" ? received : as
    process.emit(as)
  })

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return typeof exit.value === "number" ? exit.value : exitCodes.fault
  if (!Cause.isInterruptedOnly(exit.cause)) return exitCodes.fault
  // Stopping a server is its normal end.
  if (words[0] === "serve" || words[0] === "review" || words[0] === "worker") return exitCodes.done
  return interruptions[signal ?? "SIGINT"]
}

// stderr may be a closed pipe or a log on a full disk; the run continues without it.
process.stderr.on("error", () => {})

// A reader that closes stdout early (`dubwright … | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.done)
  const message = `dubwright: cannot write results to standard output: ${error.message}; free some space, or redirect the output to another file`
  const line = events ? eventLine(sayAs(message), Date.now()) : message
  process.stderr.write(`${line}\n`, () => process.exit(exitCodes.fault))
})

const collector = collectorIn(process.env)
const settings = withholdSecrets(process.env)

/** Adds tracing if the environment names a collector; otherwise loads no tracing code and makes no spans. */
const observed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  collector === undefined
    ? Effect.withTracerEnabled(effect, false)
    : Effect.flatMap(
        Effect.promise(() => import("./layers/Tracing.ts")),
        ({ withTracing }) => withTracing(effect, collector)
      )

const surroundings = logsOn(words.includes("--verbose")).pipe(
  Layer.provideMerge(processScreen(events, withoutSecrets)),
  Layer.merge(NodeContext.layer)
)

NodeRuntime.runMain(
  runCommandLine(commandLine).pipe(
    observed,
    Effect.provide(surroundings),
    Effect.withConfigProvider(settings)
  ),
  {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => end(codeOf(exit))
  }
)
