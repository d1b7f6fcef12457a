/** Checks the command line: the command and its options must exist; errors suggest the nearest name. */
import { CliConfig, CommandDescriptor, type HelpDoc, type Usage } from "@effect/cli"
import { Either, Option } from "effect"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"

/** An option; `name` is the long name with its dashes. */
interface OptionShape {
  readonly name: string
  readonly takesValue: boolean
}

/** A node of the command tree: a command, its options and its subcommands. */
export interface CommandShape {
  readonly name: string
  readonly options: ReadonlyArray<OptionShape>
  /** Required options, with their dashes, and required arguments, without brackets. */
  readonly needed: ReadonlyArray<string>
  /** Its description, arguments and options. */
  readonly help: () => HelpDoc.HelpDoc
  /** Its subcommands. With options of its own, it also runs without one of them. */
  readonly below: ReadonlyArray<CommandShape>
}

/** The commands from the root to one command, root first. */
export type CommandPath = readonly [CommandShape, ...ReadonlyArray<CommandShape>]

/** Returns a command's name with those above it, such as `dubwright keys create`. */
export const fullName = (path: ReadonlyArray<CommandShape>): string => path.map(({ name }) => name).join(" ")

/** Options of every command. */
const everywhere: ReadonlyArray<OptionShape> = [
  { name: "--help", takesValue: false },
  { name: "-h", takesValue: false },
  { name: "--version", takesValue: false },
  { name: "--completions", takesValue: true },
  { name: "--log-level", takesValue: true }
]

/** Returns the shape of an @effect/cli command; `below` are its subcommands' shapes. */
export const shapeOf = (
  { descriptor }: { readonly descriptor: CommandDescriptor.Command<unknown> },
  below: ReadonlyArray<CommandShape> = []
): CommandShape => {
  const usage = CommandDescriptor.getUsage(descriptor)
  return {
    name: [...CommandDescriptor.getNames(descriptor)][0] ?? "",
    options: namedIn(usage, false).flatMap(({ names, acceptedValues }) =>
      names
        .filter((name) => name.startsWith("--"))
        .map((name) => ({ name, takesValue: Option.isSome(acceptedValues) }))
    ),
    needed: namedIn(usage, true).flatMap(({ names }) => names.map((name) => name.replaceAll(/[<>]/gu, ""))),
    help: () => CommandDescriptor.getHelp(descriptor, helpConfig),
    below
  }
}

// Help pages omit the library's built-in options; the overview names the useful ones.
const helpConfig = CliConfig.make({ showBuiltIns: false })

/** The options and arguments of a usage: all, or only the required ones. */
const namedIn = (usage: Usage.Usage, isRequired: boolean): ReadonlyArray<Usage.Named> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return [usage]
    case "Optional":
      return isRequired ? [] : namedIn(usage.usage, isRequired)
    case "Repeated":
      return namedIn(usage.usage, isRequired)
    case "Alternation":
    case "Concat":
      return [...namedIn(usage.left, isRequired), ...namedIn(usage.right, isRequired)]
  }
}

/** Resolves `words` to a command. The error also suggests other names, such as topics for `dubwright help`. */
export const findCommand = (
  root: CommandShape,
  words: ReadonlyArray<string>,
  others: ReadonlyArray<string> = [],
  kind = "command"
): Either.Either<CommandPath, CommandEnded> => {
  const path: [CommandShape, ...Array<CommandShape>] = [root]
  for (const word of words) {
    const here = path.at(-1)
    if (here === undefined || here.below.length === 0 || word.startsWith("-")) break
    const below = here.below.find(({ name }) => name === word)
    if (below === undefined) {
      const names = [...here.below.map(({ name }) => name), ...others]
      return Either.left(
        badUsage(`unknown ${kind} "${word}"${meant(word, names)} (${fullName(path)} --help lists all)`)
      )
    }
    path.push(below)
  }
  return Either.right(path)
}

/** Fails on an option that is unknown, repeated, or lacks its value. */
export const checkOptions = (path: CommandPath, words: ReadonlyArray<string>) => {
  const known = [...(path.at(-1)?.options ?? []), ...everywhere]
  const hint = `(${fullName(path)} --help lists all)`
  const given = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--") break
    if (!/^-./u.test(word)) continue
    const name = word.split("=")[0] ?? word
    const option = known.find((option) => option.name === name)
    if (option === undefined) {
      const names = known.map(({ name }) => name)
      return Either.left(badUsage(`unknown option ${name}${meant(name, names)} ${hint}`))
    }
    if (given.has(name)) return Either.left(badUsage(`${name} is given twice; give it once ${hint}`))
    given.add(name)
    if (!option.takesValue || word.includes("=")) continue
    const value = words[++at]
    if (value === undefined || value.startsWith("--")) {
      const found = value === undefined ? "nothing" : value
      return Either.left(badUsage(`expected a value after ${name}, found ${found} ${hint}`))
    }
  }
  return Either.void
}

/** A suggestion to append to an error; empty if no name is near. */
const meant = (typed: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(typed, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}
