/** Who speaks, within which limits, and who is told: the parts of a manifest that are about the batch as a whole. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { expecting } from "../values/SchemaWords.ts"

/** Limits and prices of a provider, each overriding the built-in profile. */
export const ProviderLimits = Schema.Struct({
  concurrency: optional(Schema.Int.pipe(Schema.between(1, 1_000)), "Tasks in flight at once."),
  perSecond: optional(Schema.Positive, "Tasks started in any one second, at most."),
  maxChars: optional(Schema.Int.pipe(Schema.between(1, 1_000_000)), "The most characters of one task."),
  creditsPerCharacter: optional(Schema.NonNegative, "What one character costs, for estimates and budgets.")
})

/** What is done about a create whose answer was lost, at a service that does not repeat labels. */
export const Undecided = Schema.Literal("match", "report", "again")
export type Undecided = typeof Undecided.Type

/** An address of the web, as far as its spelling tells. */
const HttpAddress = Schema.String.pipe(
  Schema.pattern(
    /^https?:\/\/[^\s/]\S*$/iu,
    expecting("an http or https address such as https://tts.example")
  )
)

/** The service that speaks: the bundled one, or the one at an address. */
export const ServiceSettings = Schema.Union(
  Schema.Literal("embedded"),
  Schema.Struct({
    baseUrl: described(HttpAddress, "The service's base address."),
    undecided: optional(
      Undecided,
      "A create whose answer was lost, at a service that does not repeat voice_name: match takes the one task of the history that can only be it and fails the line where that is not certain (default), report fails it always, again creates it once more and may pay twice."
    )
  })
)

/** Who is told when a run has ended: a program, an address, or both. */
export const NotifySettings = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, started in the manifest's folder with run.json on its standard input; no shell is between."
  ),
  webhook: optional(
    Schema.String.pipe(
      Schema.pattern(/^(?:https?:\/\/\S+|\$[A-Za-z_][A-Za-z0-9_]*)$/u, {
        message: () => "expected an http or https address, or $NAME of a variable that holds it"
      })
    ),
    "An address to which run.json is posted; $NAME takes it from the environment, where addresses that are secrets belong."
  )
})
export type NotifySettings = typeof NotifySettings.Type
