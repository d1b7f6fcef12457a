/**
 * Whether the words after `dubwright` name a command and only options that it has, with the nearest right name where
 * not.
 */
import { CliConfig, Command, type HelpDoc, type Usage } from "@effect/cli"
import { Either, Option } from "effect"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"

/** An option by its long name with the dashes. */
export interface OptionShape {
  readonly name: string
  readonly takesValue: boolean
}

/** A node of the command tree: a command's name, its options, and what stands below it. */
export interface CommandShape {
  readonly name: string
  readonly options: ReadonlyArray<OptionShape>
  /** What must be given: options by their names with the dashes, arguments by theirs without brackets. */
  readonly needed: ReadonlyArray<string>
  /** Its description, arguments and options. */
  readonly help: HelpDoc.HelpDoc
  readonly below: ReadonlyArray<CommandShape>
}

/** The commands that lead from the root to one, the root first. */
export type CommandPath = readonly [CommandShape, ...ReadonlyArray<CommandShape>]

/** Options that every command takes. */
const everywhere: ReadonlyArray<OptionShape> = [
  { name: "--help", takesValue: false },
  { name: "-h", takesValue: false },
  { name: "--version", takesValue: false },
  { name: "--completions", takesValue: true }
]

/** The shape of a command that is built of @effect/cli's parts, with the shapes of those below it. */
export const shapeOf = <Name extends string, R, E, A>(
  command: Command.Command<Name, R, E, A>,
  below: ReadonlyArray<CommandShape> = []
): CommandShape => ({
  name: [...Command.getNames(command)][0] ?? "",
  options: below.length > 0 ? [] : optionsIn(Command.getUsage(command)),
  needed: below.length > 0 ? [] : neededIn(Command.getUsage(command)),
  help: Command.getHelp(command, helpConfig),
  below
})

// The library's own options are left out of the pages: the overview names those that count.
const helpConfig = CliConfig.make({ showBuiltIns: false })

const optionsIn = (usage: Usage.Usage): ReadonlyArray<OptionShape> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return usage.names
        .filter((name) => name.startsWith("--"))
        .map((name) => ({ name, takesValue: Option.isSome(usage.acceptedValues) }))
    case "Optional":
    case "Repeated":
      return optionsIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...optionsIn(usage.left), ...optionsIn(usage.right)]
  }
}

/** The names of what a command must be given. */
const neededIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
    case "Optional":
      return []
    case "Named":
      return usage.names.map((name) => name.replaceAll(/[<>]/gu, ""))
    case "Repeated":
      return neededIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...neededIn(usage.left), ...neededIn(usage.right)]
  }
}

/**
 * The words that lead to a command, or what is wrong with them; where help is asked for, `topics` will do in a
 * command's place.
 */
export const findCommand = (
  root: CommandShape,
  words: ReadonlyArray<string>,
  topics: ReadonlyArray<string> = []
): Either.Either<CommandPath, CommandEnded> => {
  const path: [CommandShape, ...Array<CommandShape>] = [root]
  for (const word of words) {
    const here = path.at(-1)
    if (here === undefined || here.below.length === 0 || word.startsWith("-")) break
    const below = here.below.find(({ name }) => name === word)
    if (below === undefined) {
      const full = path.map(({ name }) => name).join(" ")
      const names = [...here.below.map(({ name }) => name), ...topics]
      const kind = topics.length === 0 ? "command" : "command or topic"
      return Either.left(
        badUsage(`unknown ${kind} "${word}"${meant(word, names)} (${full} --help lists all)`)
      )
    }
    path.push(below)
  }
  return Either.right(path)
}

/** Refuses an option that the command does not have, has been given before, or that lacks its value. */
export const checkOptions = (
  path: CommandPath,
  words: ReadonlyArray<string>
): Either.Either<void, CommandEnded> => {
  const known = [...(path.at(-1)?.options ?? []), ...everywhere]
  const hint = `(${path.map(({ name }) => name).join(" ")} --help lists all)`
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
    if (given.has(name)) return Either.left(badUsage(`${name} is given twice: expected it once ${hint}`))
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

/** What was probably meant, as the end of a sentence. */
const meant = (typed: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(typed, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}
