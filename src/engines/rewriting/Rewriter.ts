/** The interface of rewriters, which shorten a line that does not fit. */
import type { Effect } from "effect"
import { HelperFailed } from "../helpers/HelperFailed.ts"

/** A line to shorten, and its prompt. */
export interface LineToShorten {
  readonly system: string
  readonly user: string
  /** The parts of the prompt, for a program's arguments. */
  readonly values: Readonly<Record<"text" | "limit" | "language" | "before" | "after", string>>
}

export interface Rewriter {
  /** Identifies the rewriter: another one may reply differently. Holds no key. */
  readonly identity: string
  /** Maximum number of lines sent at once. */
  readonly concurrency: number
  /** Returns the reply, unchecked and unchanged. */
  readonly shorten: (line: LineToShorten) => Effect.Effect<string, HelperFailed>
}

/** Number of characters of a prompt's part that identify a quotation. */
const quoted = 24

/** Cuts an error where it begins to quote the prompt: errors are logged, prompts are not. */
export const withoutPrompt = (failed: HelperFailed, { system, values }: LineToShorten): HelperFailed => {
  const at = [system, values.text]
    .filter((part) => part.length >= quoted / 2)
    .map((part) => failed.detail.indexOf(part.slice(0, quoted)))
    .filter((found) => found >= 0)
  return at.length === 0
    ? failed
    : new HelperFailed({ ...failed, detail: `${failed.detail.slice(0, Math.min(...at))}…` })
}

/** Returns the identity of a program, or of a model at a server. */
export const rewriterIdentity = ({
  command,
  baseUrl = "",
  model = ""
}: {
  readonly command?: ReadonlyArray<string> | undefined
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
}): string =>
  command === undefined
    ? `endpoint ${baseUrl.replace(/\/+$/u, "")} ${model}`
    : `command ${JSON.stringify(command)}`
