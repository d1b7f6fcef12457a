/** The program behind the command: its words checked, the command run, its end told once and given an exit code. */
import { Command, ValidationError } from "@effect/cli"
import { toAnsiText } from "@effect/cli/HelpDoc"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit } from "effect"
import { stripVTControlCharacters } from "node:util"
import { version } from "../domain/Version.ts"
import { root, rootShape } from "./Commands.ts"
import { badUsage, Ended, endedBy, exitCodes } from "./Ended.ts"
import { helpPage } from "./HelpPage.ts"
import { logsOn } from "./Logs.ts"
import { processScreen, Screen } from "./Screen.ts"
import { commandNamed, type CommandPath, optionsKnown } from "./Usage.ts"

const given = process.argv.slice(2)
// `help run` says the same as `run --help`.
const words = given[0] === "help" ? [...given.slice(1), "--help"] : given
const verbose = words.includes("--verbose")

const ran = Effect.gen(function* () {
  const screen = yield* Screen
  const path = yield* commandNamed(rootShape, words)
  const rest = words.slice(path.length - 1)
  yield* optionsKnown(path, rest)
  const ready = path.length > 1 && path.at(-1)?.below.length === 0
  if (words.length === 0 || asksForHelp(rest)) return yield* screen.result(helpPage(path))
  if (!ready && !rest.some((word) => word.startsWith("--completions"))) {
    return yield* badUsage(`expected a command after ${fullName(path)} (${fullName(path)} --help lists all)`)
  }
  yield* quietly(Command.run(root, { name: "dubwright", version })(process.argv)).pipe(
    Effect.catchIf(ValidationError.isValidationError, (error) =>
      badUsage(`${oneLine(toAnsiText(error.error))} (${fullName(path)} --help shows how)`)
    )
  )
})

const asksForHelp = (rest: ReadonlyArray<string>): boolean => {
  const bare = rest.indexOf("--")
  return (bare < 0 ? rest : rest.slice(0, bare)).some((word) => word === "--help" || word === "-h")
}

const fullName = (path: CommandPath): string => path.map(({ name }) => name).join(" ")

const oneLine = (text: string): string => {
  const line = stripVTControlCharacters(text).replace(/\s+/gu, " ").trim()
  return line.charAt(0).toLowerCase() + line.slice(1)
}

// The library prints what is wrong with an option by itself; here it is told once, with the rest.
const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.consoleWith((console) => Effect.withConsole(effect, { ...console, error: () => Effect.void }))

/** Tells a failure on stderr, once, and turns it into the end it means. */
const told = (cause: Cause.Cause<unknown>): Effect.Effect<never, Ended, Screen> =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.interrupt
    const failure = Cause.failureOption(cause)
    const ended =
      failure._tag === "Some"
        ? endedBy(failure.value)
        : new Ended({
            code: exitCodes.fault,
            message: `a fault in dubwright itself: ${String(Cause.squash(cause)).split("\n")[0] ?? ""}${verbose ? "" : " (--verbose shows where)"}`
          })
    yield* screen.draw([])
    if (ended.message !== "") {
      for (const line of ended.message.split("\n")) yield* screen.say(`dubwright: ${line}`)
    }
    if (verbose && ended.code === exitCodes.fault)
      yield* screen.say(Cause.pretty(cause, { renderErrorCause: true }))
    return yield* ended
  })

let signal: "SIGINT" | "SIGTERM" | undefined
process.once("SIGINT", () => (signal ??= "SIGINT"))
process.once("SIGTERM", () => (signal ??= "SIGTERM"))

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.done
  // A service is meant to be stopped: that is its good end.
  if (Cause.isInterruptedOnly(exit.cause) && words[0] === "serve") return exitCodes.done
  if (Cause.isInterruptedOnly(exit.cause))
    return signal === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted
  const failure = Cause.failureOption(exit.cause)
  return failure._tag === "Some" && failure.value instanceof Ended ? failure.value.code : exitCodes.fault
}

// Whoever reads the results may stop reading: that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

NodeRuntime.runMain(
  ran.pipe(
    Effect.catchAllCause(told),
    Effect.provide(logsOn(verbose)),
    Effect.provide(processScreen),
    Effect.provide(NodeContext.layer)
  ),
  {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, end) => end(codeOf(exit))
  }
)
