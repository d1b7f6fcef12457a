/** Whether the words after `dubwright` name a command and only options that it has, with the nearest right name where not. */
import { CliConfig, Command, type HelpDoc, type Usage } from "@effect/cli"
import { Either, Option } from "effect"
import { distance } from "fastest-levenshtein"
import { badUsage, type Ended } from "./Ended.ts"

/** A node of the command tree: a command's name, its options, and what stands below it. */
export interface CommandShape {
  readonly name: string
  /** Long names with their dashes. */
  readonly options: ReadonlyArray<string>
  /** Its description, arguments and options. */
  readonly help: HelpDoc.HelpDoc
  readonly below: ReadonlyArray<CommandShape>
}

/** The commands that lead from the root to one, the root first. */
export type CommandPath = readonly [CommandShape, ...ReadonlyArray<CommandShape>]

/** Options that every command takes. */
export const everywhere: ReadonlyArray<string> = ["--help", "--version", "--completions"]

/** The shape of a command that is built of @effect/cli's parts, with the shapes of those below it. */
export const shapeOf = <Name extends string, R, E, A>(
  command: Command.Command<Name, R, E, A>,
  below: ReadonlyArray<CommandShape> = []
): CommandShape => ({
  name: [...Command.getNames(command)][0] ?? "",
  options: below.length > 0 ? [] : namesIn(Command.getUsage(command)).filter((name) => name.startsWith("--")),
  help: Command.getHelp(command, helpConfig),
  below
})

// The library's own options are left out of the pages: the overview names those that count.
const helpConfig = CliConfig.make({ showBuiltIns: false })

const namesIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return usage.names
    case "Optional":
    case "Repeated":
      return namesIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...namesIn(usage.left), ...namesIn(usage.right)]
  }
}

/** The words that lead to a command, or what is wrong with them. */
export const commandNamed = (
  root: CommandShape,
  words: ReadonlyArray<string>
): Either.Either<CommandPath, Ended> => {
  const path: [CommandShape, ...Array<CommandShape>] = [root]
  for (const word of words) {
    const here = path.at(-1)
    if (here === undefined || here.below.length === 0 || word.startsWith("-")) break
    const below = here.below.find(({ name }) => name === word)
    if (below === undefined) {
      const full = path.map(({ name }) => name).join(" ")
      return Either.left(
        badUsage(
          `unknown command "${word}"${meant(
            word,
            here.below.map(({ name }) => name)
          )} (${full} --help lists all)`
        )
      )
    }
    path.push(below)
  }
  return Either.right(path)
}

/** Refuses the first option that the command does not have. Words after a bare `--` are not options. */
export const optionsKnown = (path: CommandPath, words: ReadonlyArray<string>): Either.Either<void, Ended> => {
  const command = path.at(-1)
  const known = [...(command?.options ?? []), ...everywhere]
  const bare = words.indexOf("--")
  const full = path.map(({ name }) => name).join(" ")
  for (const word of bare < 0 ? words : words.slice(0, bare)) {
    const name = word.split("=")[0] ?? word
    if (!/^-./u.test(name) || name === "-h" || /^-[\d.]/u.test(name) || known.includes(name)) continue
    return Either.left(badUsage(`unknown option ${name}${meant(name, known)} (${full} --help lists all)`))
  }
  return Either.void
}

/** What was probably meant, as the end of a sentence. */
const meant = (typed: string, known: ReadonlyArray<string>): string =>
  Option.match(nearestName(typed, known), { onNone: () => "", onSome: (name) => `; did you mean ${name}?` })

const nearestName = (typed: string, known: ReadonlyArray<string>): Option.Option<string> => {
  const [best] = known
    .map((name) => ({ name, away: distance(typed.toLowerCase(), name) }))
    .sort((a, b) => a.away - b.away)
  return best !== undefined && best.away <= Math.max(2, Math.floor(typed.length / 3))
    ? Option.some(best.name)
    : Option.none()
}
