/** Shell completion scripts, as @effect/cli generates them. */
import { Either } from "effect"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"

const shells = ["bash", "zsh", "fish", "sh"]

/** Fails if `--completions` in `words` names an unsupported shell. */
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

/** Removes `--wizard` from a completion script: the library adds it, but the command does not accept it. */
export const completionScript = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^\s*'--wizard\[| -l wizard /u.test(line))
    .map((line) => (/^\s*opts="/u.test(line) ? line.replaceAll(/ --wizard\b/gu, "") : line))
    .join("\n")
