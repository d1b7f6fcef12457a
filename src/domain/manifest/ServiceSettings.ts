/** Manifest settings for the whole batch: the service, provider limits, and notifications. */
import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"
import { byProvider } from "../speech/ProviderProfile.ts"
import { Body, DialectSetting } from "./ServiceDialect.ts"
import { expecting } from "../values/SchemaWords.ts"

const Range = Schema.Struct({
  min: described(Schema.Number, "The minimum value."),
  max: described(Schema.Number, "The maximum value.")
}).pipe(Schema.filter(({ min, max }) => min <= max || `min ${min} is above max ${max}`))

/** Rules and prices of a provider. Each overrides what the service states, and the built-in profile. */
export const ProviderLimits = Schema.Struct({
  concurrency: optional(
    Schema.Int.pipe(Schema.between(1, 1_000)),
    `Maximum number of tasks in flight; default ${byProvider((profile) => profile.concurrency)}.`
  ),
  perSecond: optional(
    Schema.Positive,
    "Maximum number of tasks started within one second; default: no limit."
  ),
  minChars: optional(
    Schema.Int.pipe(Schema.between(0, 1_000_000)),
    `Minimum number of characters of a plain text; default: as the service states, else ${byProvider((profile) => profile.minChars)}.`
  ),
  maxChars: optional(
    Schema.Int.pipe(Schema.between(1, 1_000_000)),
    `Maximum number of characters per task; default: as the service states, else ${byProvider((profile) => profile.maxChars)}, lowered if the service rejects a text as too long.`
  ),
  srtInput: optional(
    Schema.Boolean,
    `Whether a text may be an SRT; default: as the service states, else ${byProvider((profile) => profile.srtInput)}.`
  ),
  transcript: optional(
    Schema.Literal("none", "with_transcript", "export_srt"),
    `The field of a create that asks for a transcript; default: as the service states, else ${byProvider((profile) => profile.transcript)}.`
  ),
  controls: optional(
    Schema.Struct({
      speed: optional(Range, "Range of the speaking rate."),
      vol: optional(Range, "Range of the volume."),
      pitch: optional(Range, "Range of the pitch shift.")
    }),
    `The controls that the provider has, such as speed: { min: 0.5, max: 2 }; default: as the service states, else ${byProvider(({ controls }) => Object.keys(controls).join(", ") || "none")}.`
  ),
  tone: optional(
    Schema.String.pipe(
      Schema.filter((format) => format.split("{tone}").length === 2 && format.split("{text}").length === 2, {
        message: () => "expected a text with {tone} and {text}, such as [{tone}] {text}"
      })
    ),
    "How a line with a tone is sent, such as [{tone}] {text}; default: tones are not sent. Not for texts sent as SRT."
  ),
  creditsPerCharacter: optional(
    Schema.NonNegative,
    "Credits per character, for estimates and budgets; default: the price that the service reports."
  )
}).pipe(
  Schema.filter(
    ({ minChars = 0, maxChars = Infinity }) =>
      minChars <= maxChars || `minChars ${minChars} is above maxChars ${maxChars}`
  )
)

/** What to do after a lost response to a create, if the service does not return `voice_name`. */
export const Undecided = Schema.Literal("match", "report", "again")
export type Undecided = typeof Undecided.Type

/** An http or https URL; only its spelling is checked. */
export const HttpAddress = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/[^\s/]\S*$/iu, expecting("an http or https URL such as https://tts.example"))
)

/** The service that speaks: the bundled one, or a remote one. */
export const ServiceSettings = Schema.Union(
  Schema.Literal("embedded"),
  Schema.Struct({
    baseUrl: described(HttpAddress, "The service's base URL."),
    dialect: optional(
      DialectSetting,
      "How the service differs from the interface: default, genmax, v3, or its paths, body, fields and states."
    ),
    body: optional(
      Body,
      'Fields to add to the body of every create, such as language_code: "{language}". {language}, {provider}, {voice}, {model}, {speed}, {vol} and {pitch} are replaced; a field whose placeholder has no value is left out. A change does not speak finished lines again.'
    ),
    undecided: optional(
      Undecided,
      "What to do if the response to a create is lost and the service does not return voice_name. match (default) adopts the only task in the history that fits. If none fits, it creates the task again; if several fit, it fails the line. report always fails the line. again creates the task once more, which may charge twice."
    )
  })
)

/** Notifications at the end of a run: a program, a webhook, or both. */
export const NotifySettings = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, run without a shell in the manifest's folder, with run.json on standard input."
  ),
  webhook: optional(
    Schema.String.pipe(
      Schema.pattern(/^(?:https?:\/\/\S+|\$[A-Za-z_][A-Za-z0-9_]*)$/u, {
        message: () => "expected an http or https URL, or $NAME of an environment variable that holds one"
      })
    ),
    "The URL that receives run.json by POST. Use $NAME to read a secret URL from the environment."
  )
})
export type NotifySettings = typeof NotifySettings.Type
