/** The main program: checks the command line, runs the command, prints its error once and sets the exit code. */
import { Command, ValidationError } from "@effect/cli"
import { toAnsiText } from "@effect/cli/HelpDoc"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { statSync } from "node:fs"
import { isatty } from "node:tty"
import { stripVTControlCharacters } from "node:util"
import { version } from "../domain/values/Version.ts"
import { terminalSignals } from "../system/TerminalSignals.ts"
import { collectorIn } from "./layers/TraceCollector.ts"
import { completionScript, shellKnown } from "./cli/ShellCompletions.ts"
import { root, rootShape } from "./CommandTree.ts"
import { badUsage, CommandEnded, exitCodeFor, type ExitCode, exitCodes, interruptions } from "./ExitCodes.ts"
import { noteOfRun, runOfFile } from "./cli/BareFile.ts"
import { helpPage } from "./cli/HelpPage.ts"
import { logsOn } from "./terminal/LogLines.ts"
import { eventLine, processScreen, sayAs, Screen } from "./terminal/Screen.ts"
import { NoSqlite } from "../store/state/NoSqlite.ts"
import { withholdSecrets, withoutSecrets } from "./layers/SecretVariables.ts"
import { helpColumns } from "./terminal/TextLayout.ts"
import { topicNames } from "./cli/ManualTopics.ts"
import { findCommand, type CommandPath, checkOptions } from "./cli/UsageCheck.ts"

const isHelp = (word: string): boolean => word === "--help" || word === "-h"

const given = process.argv.slice(2)
// `help run` prints the same page as `run --help`.
const helpTopic = given[0] === "help" ? given.slice(1).filter((word) => !isHelp(word)) : undefined
const fileRun =
  helpTopic === undefined
    ? runOfFile(
        given,
        rootShape.below.map(({ name }) => name),
        (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
      )
    : undefined
const words = fileRun ?? (helpTopic === undefined ? given : [...helpTopic, "--help"])
const verbose = words.includes("--verbose")
const events = words.includes("--events")

const ran = Effect.gen(function* () {
  const screen = yield* Screen
  const columns = helpColumns(screen.look.columns)
  if (helpTopic?.length === 1) {
    const { topicText } = yield* Effect.promise(() => import("./cli/ManualPage.ts"))
    const page = yield* topicText(helpTopic[0] ?? "", rootShape, columns)
    if (Option.isSome(page)) return yield* screen.result(page.value)
  }
  const path = yield* findCommand(rootShape, words, helpTopic?.length === 1 ? ["all", ...topicNames] : [])
  const rest = words.slice(path.length - 1)
  yield* checkOptions(path, rest)
  const last = path.at(-1)
  const ready = path.length > 1 && (last?.below.length === 0 || last?.runsAlone === true)
  if (words.length === 0 || asksForHelp(rest)) return yield* screen.result(helpPage(path, columns))
  if (!ready && !rest.some((word) => word.startsWith("--completions"))) {
    return yield* badUsage(`missing command after ${fullName(path)} (${fullName(path)} --help lists all)`)
  }
  yield* shellKnown(rest)
  if (fileRun !== undefined && !words.includes("--quiet"))
    yield* screen.say(`note: ${noteOfRun(fileRun, process.env["DUBWRIGHT_BASE_URL"])}`)
  const line = [...process.argv.slice(0, 2), ...words]
  yield* quietly(Command.run(root, { name: "dubwright", version })(line)).pipe(
    Effect.catchIf(ValidationError.isValidationError, (error) =>
      badUsage(`${oneLine(toAnsiText(error.error))} (${fullName(path)} --help shows how)`)
    )
  )
})

const asksForHelp = (rest: ReadonlyArray<string>): boolean => {
  const bare = rest.indexOf("--")
  return (bare < 0 ? rest : rest.slice(0, bare)).some(isHelp)
}

const fullName = (path: CommandPath): string => path.map(({ name }) => name).join(" ")

const oneLine = (text: string): string => {
  const line = stripVTControlCharacters(text)
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/^Expected to find option: '(.+)'$/u, "missing option $1")
  return line.charAt(0).toLowerCase() + line.slice(1)
}

// @effect/cli prints option errors and completion scripts itself. Its errors are silenced here, because every error is
// printed once at the end.
const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.consoleWith((console) =>
    Effect.withConsole(effect, {
      ...console,
      error: () => Effect.void,
      log: (...said) => console.log(...said.map((text) => completionScript(String(text))))
    })
  )

/** Prints a failure once on stderr and returns its exit code. */
const printFailure = (cause: Cause.Cause<unknown>): Effect.Effect<ExitCode, never, Screen> =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.interrupt
    const ended = Option.match(Cause.failureOption(cause), {
      onNone: () => fault(cause),
      onSome: exitCodeFor
    })
    yield* screen.draw([])
    if (ended.message !== "") {
      for (const line of ended.message.split("\n")) yield* screen.say(`dubwright: ${line}`)
    }
    if (verbose && ended.code === exitCodes.fault) {
      yield* screen.say(Cause.pretty(cause, { renderErrorCause: true }))
    }
    return ended.code
  })

const interrupted = Effect.flatMap(Screen, (screen) => {
  const resumes = words[0] === "run" || words[0] === "retry" || (words[0] === "voices" && words[1] === "add")
  return resumes
    ? screen.say("dubwright: interrupted; progress is saved, run the same command again to continue")
    : Effect.void
})

const fault = (cause: Cause.Cause<unknown>): CommandEnded => {
  const defect = Cause.squash(cause)
  // Thrown while a module loads, so it arrives as a defect, not as a failure.
  if (defect instanceof NoSqlite) return exitCodeFor(defect)
  const [first = ""] = String(defect).split("\n")
  const more = verbose ? "" : " (--verbose prints the stack trace)"
  return new CommandEnded({
    code: exitCodes.fault,
    message: `internal error, please report it: ${first}${more}`
  })
}

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

const surroundings = logsOn(verbose).pipe(
  Layer.provideMerge(processScreen(events, withoutSecrets)),
  Layer.merge(NodeContext.layer)
)

NodeRuntime.runMain(
  ran.pipe(
    Effect.as(exitCodes.done),
    Effect.onInterrupt(() => interrupted),
    Effect.catchAllCause(printFailure),
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
