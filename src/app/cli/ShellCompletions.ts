/** The scripts that complete commands in a shell, as the library writes them. */
import { Either } from "effect"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"

const shells = ["bash", "zsh", "fish", "sh"]

/** Refuses a shell that there is no script for; `words` hold what stands behind `--completions`. */
export const shellKnown = (words: ReadonlyArray<string>): Either.Either<void, CommandEnded> => {
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

/** A script without the library's own options, which this command does not take. */
export const completionScript = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^\s*'--(?:log-level|wizard)\[| -l (?:log-level|wizard) /u.test(line))
    .map((line) => (/^\s*opts="/u.test(line) ? line.replaceAll(/ --(?:log-level|wizard)\b/gu, "") : line))
    .join("\n")
