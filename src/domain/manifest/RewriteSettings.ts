/** Manifest settings for shortening lines that do not fit with a language model: `rewrite`. */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { HttpAddress } from "./ServiceSettings.ts"

/** A rewriter: a program, or a server with OpenAI's chat endpoint. */
export const RewriteSettings = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, run without a shell. The prompt is its standard input; in arguments, {text}, {limit}, {language}, {before} and {after} are replaced. It prints the shorter line."
  ),
  baseUrl: optional(
    HttpAddress,
    "The URL of a server with /chat/completions, such as https://llm.example/v1; default: DUBWRIGHT_REWRITE_URL. Its key is read from DUBWRIGHT_REWRITE_KEY only."
  ),
  model: optional(Schema.NonEmptyTrimmedString, "The server's model. A server needs it, a program does not."),
  timeout: optional(
    Schema.Number.pipe(Schema.between(1, 3_600)),
    "Maximum seconds for one line; default 60."
  ),
  concurrency: optional(
    Schema.Int.pipe(Schema.between(1, 64)),
    "Maximum number of lines sent at once; default 4 for a server, 1 for a program."
  ),
  accept: optional(
    Schema.Boolean,
    "Speak proposals unseen, within the budget, and save them in the overrides file; default false: they are only reported."
  )
})
export type RewriteSettings = typeof RewriteSettings.Type
