/** Settings of the cloud engines. Every field has a default. */
import { Config, Effect, Option, Redacted, Schema } from "effect"
import { LanguageTag } from "../../../domain/values/Ids.ts"
import {
  addressField,
  optionalCount,
  optionalField,
  optionalNumber
} from "../../../settings/SettingsFields.ts"
import { expecting } from "../../../domain/values/SchemaWords.ts"
import type { EngineVoice } from "../../Engine.ts"
import { foreignVoice, keyVariable, normalise } from "../../EngineFields.ts"

/** The settings of every cloud engine. Each has a default. */
const cloudFields = {
  keyVariable: Schema.optionalWith(keyVariable, { exact: true }),
  baseUrl: optionalField(addressField, "Where requests go; default: the provider's public address."),
  voices: optionalField(
    Schema.Array(Schema.Struct(foreignVoice)),
    "Voices in addition to those that the provider lists."
  ),
  listVoices: optionalField(
    Schema.Boolean,
    "Whether to request the voices from the provider; default: true."
  ),
  languages: optionalField(Schema.Array(LanguageTag), "Languages whose voices are offered; default: all."),
  concurrency: optionalCount(
    1,
    256,
    "Maximum requests in flight; default: the limit of the provider's smallest plan."
  ),
  maxCharacters: optionalCount(
    1,
    1_000_000,
    "Maximum length of a text as the provider counts it; default: the provider's limit."
  ),
  timeout: optionalNumber(0, 3_600, "Seconds to wait for a response; default: 120."),
  normalise,
  creditsPerCharacter: optionalField(
    Schema.NonNegative,
    "Credits per character that clients pay, unless a model states another price; default: 1."
  )
}

// Engines import these as types only: reading a settings file need not load the engines.

export const ElevenLabsSettings = Schema.Struct({
  kind: Schema.Literal("elevenlabs"),
  ...cloudFields,
  model: optionalField(Schema.NonEmptyString, "The model; default: eleven_multilingual_v2."),
  seed: optionalCount(
    0,
    4_294_967_295,
    "Equal requests with the same seed give nearly equal speech; default: none."
  ),
  stability: optionalNumber(0, 1, "Stability of the voice, 0 to 1; default: the voice's own."),
  similarityBoost: optionalNumber(
    0,
    1,
    "Similarity to the original voice, 0 to 1; default: the voice's own."
  ),
  style: optionalNumber(0, 1, "Exaggeration of the voice's style, 0 to 1; default: the voice's own.")
})

export const AzureSettings = Schema.Struct({
  kind: Schema.Literal("azure"),
  ...cloudFields,
  region: optionalField(
    Schema.String.pipe(Schema.pattern(/^[a-z0-9]{2,40}$/u, expecting("a region such as westeurope"))),
    "The region of the Speech resource; default: the environment variable AZURE_SPEECH_REGION."
  )
})

export const GoogleSettings = Schema.Struct({
  kind: Schema.Literal("google"),
  ...cloudFields,
  wordTimes: optionalField(
    Schema.Boolean,
    "Whether to request the times of words, where the voice has them; default: true."
  )
})

export const PollySettings = Schema.Struct({
  kind: Schema.Literal("polly"),
  ...cloudFields,
  model: optionalField(
    Schema.Literal("standard", "neural", "long-form", "generative"),
    "Polly's engine; default: neural."
  ),
  region: optionalField(
    Schema.String.pipe(Schema.pattern(/^[a-z0-9-]{2,40}$/u, expecting("a region such as eu-west-1"))),
    "The AWS region; default: the environment variable AWS_REGION."
  ),
  wordTimes: optionalField(
    Schema.Boolean,
    "Whether to request the times of words, which Amazon charges as a second text; default: false."
  )
})

export const MiniMaxSettings = Schema.Struct({
  kind: Schema.Literal("minimax"),
  ...cloudFields,
  model: optionalField(Schema.NonEmptyString, "The model; default: speech-2.8-hd."),
  groupId: optionalField(Schema.NonEmptyString, "The group id, which older accounts need.")
})

export const CartesiaSettings = Schema.Struct({
  kind: Schema.Literal("cartesia"),
  ...cloudFields,
  model: optionalField(Schema.NonEmptyString, "The model; default: sonic-3.")
})

export const GeminiSettings = Schema.Struct({
  kind: Schema.Literal("gemini"),
  ...cloudFields,
  model: optionalField(Schema.NonEmptyString, "The model; default: gemini-3.8-flash-tts."),
  style: optionalField(
    Schema.NonEmptyTrimmedString,
    "How to speak, sent with each text, such as: calm, as a narrator."
  )
})

/** Settings of a cloud engine, by `kind`. */
export const cloudSettings = [
  ElevenLabsSettings,
  AzureSettings,
  GoogleSettings,
  PollySettings,
  MiniMaxSettings,
  CartesiaSettings,
  GeminiSettings
] as const

/** The settings of an engine, with its name in errors and settings. */
export type CloudOptions<Settings> = Omit<Settings, "kind" | "languages" | "voices"> & {
  readonly name: string
  readonly languages?: ReadonlyArray<string>
  readonly voices?: ReadonlyArray<Partial<EngineVoice> & Pick<EngineVoice, "id">>
}
export type CloudSettings = CloudOptions<Schema.Struct.Type<typeof cloudFields>>

/** Reads an environment variable; none if it is missing or empty. */
export const secretIn = (variable: string): Effect.Effect<Option.Option<Redacted.Redacted>> =>
  Config.redacted(variable).pipe(
    Config.option,
    Effect.orDie,
    Effect.map(Option.filter((secret) => Redacted.value(secret).trim() !== ""))
  )

/** Reads a setting that is not a secret from the environment; undefined if it is missing or empty. */
export const settingIn = (variable: string): Effect.Effect<string | undefined> =>
  Effect.map(secretIn(variable), (found) =>
    Option.getOrUndefined(Option.map(found, (value) => Redacted.value(value).trim()))
  )
