/**
 * Runs a command line: checks it, runs its command, prints its error once and returns its exit code. The process is
 * `Program.ts`.
 */
import { Command, ValidationError } from "@effect/cli"
import { toAnsiText } from "@effect/cli/HelpDoc"
import { Cause, Effect, Option, Either } from "effect"
import { statSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { version } from "../domain/values/Version.ts"
import { badUsage, CommandEnded, exitCodeFor, exitCodes, type ExitCode } from "./ExitCodes.ts"
import { helpPage } from "./cli/HelpPage.ts"
import { Screen } from "./terminal/Screen.ts"
import { NoSqlite } from "../store/state/NoSqlite.ts"
import { helpColumns } from "./terminal/TextLayout.ts"
import { topicNames } from "./cli/ManualTopics.ts"
import { findCommand, checkOptions, fullName, shapeOf, type CommandShape } from "./cli/UsageCheck.ts"
import { queryCommands, serviceCommands, voicesCommands } from "./cli/QueryCommands.ts"
import { batchCommands } from "./cli/BatchCommands.ts"
import { serverCommands, keysCommands } from "./cli/ServerCommands.ts"
import { setupCommands } from "./cli/SetupCommands.ts"

const commands = [...batchCommands, ...queryCommands, ...serverCommands, ...setupCommands] as const
const root = Command.make("dubwright").pipe(Command.withSubcommands(commands))

/** Subcommands by command, in the order of the help pages. */
const subcommands = new Map([
  ["service", serviceCommands.map((command) => shapeOf(command))],
  ["voices", voicesCommands.map((command) => shapeOf(command))],
  ["keys", keysCommands.map((command) => shapeOf(command))]
])

/** The tree's shape, for usage checks and help pages. */
export const rootShape: CommandShape = shapeOf(
  root,
  commands.map((command) => {
    const shape = shapeOf(command)
    return { ...shape, below: subcommands.get(shape.name) ?? [] }
  })
)

const isHelp = (word: string): boolean => word === "--help" || word === "-h"

/** A command line, as it was given and as it is understood. */
export interface CommandLine {
  /** The page of the manual or the command that `help` names. */
  readonly helpTopic: ReadonlyArray<string> | undefined
  /** The `run` that a bare file means. */
  readonly fileRun: ReadonlyArray<string> | undefined
  readonly words: ReadonlyArray<string>
}

/** Commands of `service` that may be typed without that word, as in scripts for earlier versions. */
const movedToService = (subcommands.get("service") ?? [])
  .map(({ name }) => name)
  .filter((name) => rootShape.below.every((command) => command.name !== name))

const spelledOut = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  movedToService.includes(words[0] ?? "") ? ["service", ...words] : words

export const commandLineOf = (typed: ReadonlyArray<string>): CommandLine => {
  const given = spelledOut(typed)
  // `help run` prints the same page as `run --help`.
  const helpTopic =
    given[0] === "help" ? spelledOut(given.slice(1).filter((word) => !isHelp(word))) : undefined
  const fileRun =
    helpTopic === undefined
      ? runOfFile(
          given,
          rootShape.below.map(({ name }) => name),
          (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
        )
      : undefined
  return {
    helpTopic,
    fileRun,
    words: fileRun ?? (helpTopic === undefined ? given : [...helpTopic, "--help"])
  }
}

/** Runs a command line and returns its exit code. Interruption passes through, after a message. */
export const runCommandLine = (line: CommandLine) =>
  commandOf(line).pipe(
    Effect.as<ExitCode>(exitCodes.done),
    Effect.onInterrupt(() => interrupted(line.words)),
    Effect.catchAllCause((cause) => printFailure(cause, line.words.includes("--verbose")))
  )

const commandOf = ({ helpTopic, fileRun, words }: CommandLine) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const columns = helpColumns(screen.look.columns)
    if (helpTopic?.length === 1) {
      const { topicText } = yield* Effect.promise(() => import("./cli/ManualPage.ts"))
      const page = yield* topicText(helpTopic[0] ?? "", rootShape, columns)
      if (Option.isSome(page)) return yield* screen.result(page.value)
    }
    const path = yield* helpTopic?.length === 1
      ? findCommand(rootShape, words, [...movedToService, "all", ...topicNames], "command or topic")
      : findCommand(rootShape, words, movedToService)
    const rest = words.slice(path.length - 1)
    yield* checkOptions(path, rest)
    const last = path.at(-1)
    const ready = path.length > 1 && (last?.below.length === 0 || (last?.options.length ?? 0) > 0)
    if (words.length === 0 || asksForHelp(rest)) return yield* screen.result(helpPage(path, columns))
    if (!ready && !rest.some((word) => word.startsWith("--completions")))
      return yield* badUsage(`missing command after ${fullName(path)} (${fullName(path)} --help lists all)`)
    yield* shellKnown(rest)
    if (fileRun !== undefined && !words.includes("--quiet"))
      yield* screen.say(`note: ${noteOfRun(fileRun, process.env["DUBWRIGHT_BASE_URL"])}`)
    yield* quietly(Command.run(root, { name: "dubwright", version })(["node", "dubwright", ...words])).pipe(
      Effect.catchIf(ValidationError.isValidationError, (error) =>
        badUsage(`${oneLine(toAnsiText(error.error))} (${fullName(path)} --help shows how)`)
      )
    )
  })

const asksForHelp = (rest: ReadonlyArray<string>): boolean => {
  const bare = rest.indexOf("--")
  return (bare < 0 ? rest : rest.slice(0, bare)).some(isHelp)
}

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
const printFailure = (cause: Cause.Cause<unknown>, verbose: boolean) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.interrupt
    const ended = Option.match(Cause.failureOption(cause), {
      onNone: () => fault(cause, verbose),
      onSome: exitCodeFor
    })
    yield* screen.draw([])
    if (ended.message !== "") {
      for (const line of ended.message.split("\n")) yield* screen.say(`dubwright: ${line}`)
    }
    if (verbose && ended.code === exitCodes.fault)
      yield* screen.say(Cause.pretty(cause, { renderErrorCause: true }))
    return ended.code
  })

const interrupted = (words: ReadonlyArray<string>) =>
  Effect.flatMap(Screen, (screen) =>
    screen.say("dubwright: interrupted; progress is saved, run the same command again to continue")
  ).pipe(Effect.when(() => /^(run|retry|voices add)( |$)/u.test(words.join(" "))))

const fault = (cause: Cause.Cause<unknown>, verbose: boolean): CommandEnded => {
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

const shells = ["bash", "zsh", "fish", "sh"]

/** Fails if `--completions` in `words` names an unsupported shell. */
const shellKnown = (words: ReadonlyArray<string>): Either.Either<void, CommandEnded> => {
  const at = words.findIndex((word) => word.startsWith("--completions"))
  const shell = words[at]?.split("=")[1] ?? words[at + 1] ?? ""
  return at < 0 || shells.includes(shell)
    ? Either.void
    : Either.left(
        badUsage(
          `--completions: expected ${shells.join(", ")}, found "${shell}" (dubwright --help lists all)`
        )
      )
}

/** Removes `--wizard` from a completion script: the library adds it, but the command does not accept it. */
const completionScript = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^\s*'--wizard\[| -l wizard /u.test(line))
    .map((line) => (/^\s*opts="/u.test(line) ? line.replaceAll(/ --wizard\b/gu, "") : line))
    .join("\n")

/** Names of commands hold none of these characters. Files, tracks of films and patterns hold at least one. */
const ofPaths = /[./\\*]/u

/**
 * Returns the words of `run --embedded FILE …` if the first word is a file, not a command; undefined otherwise. A file
 * is recognized by a dot or a slash in its name, or because it exists. Only `--base-url` chooses another service. The
 * environment does not: a command without the word `run` must not spend anything.
 */
export const runOfFile = (
  words: ReadonlyArray<string>,
  commands: ReadonlyArray<string>,
  exists: (path: string) => boolean
): ReadonlyArray<string> | undefined => {
  const [first = ""] = words
  if (first === "" || first.startsWith("-") || commands.includes(first)) return undefined
  if (!ofPaths.test(first) && !exists(first)) return undefined
  const chosen = words.some((word) => /^--(?:base-url|embedded)(?:=|$)/u.test(word))
  return ["run", ...words, ...(chosen ? [] : ["--embedded"])]
}

/** The note that says which service was chosen. `address` is the value of DUBWRIGHT_BASE_URL. */
export const noteOfRun = (run: ReadonlyArray<string>, address: string | undefined): string =>
  `this is dubwright ${run.join(" ")}` +
  (run.includes("--embedded") && address !== undefined && address !== ""
    ? `; dubwright run ${run[1] ?? ""} uses ${address} (DUBWRIGHT_BASE_URL)`
    : "")
