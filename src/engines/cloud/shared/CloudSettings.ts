/** Settings that all cloud engines share. */
import { Config, Effect, Option, Redacted, Schema } from "effect"
import { LanguageTag } from "../../../domain/values/Ids.ts"
import {
  addressField,
  optionalCount,
  optionalField,
  optionalNumber
} from "../../../settings/SettingsFields.ts"
import type { EngineVoice } from "../../Engine.ts"
import { foreignVoice, keyVariable, normalise } from "../../EngineFields.ts"

/** The settings of every cloud engine. Each has a default. */
export const cloudFields = {
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
