/** Settings that several kinds of engines share. */
import { Schema } from "effect"
import { LanguageTag } from "../domain/values/Ids.ts"
import { expecting } from "../domain/values/SchemaWords.ts"
import { describedField, optionalField } from "../settings/SettingsFields.ts"

/** The name of an environment variable that holds a key. */
export const keyVariable = describedField(
  Schema.String.pipe(
    Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/u, expecting("the name of an environment variable"))
  ),
  "The environment variable that holds the key; never put the key itself in this file."
)

/** A voice of an engine that cannot list its own. */
export const foreignVoice = {
  id: Schema.NonEmptyString,
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  languages: Schema.optionalWith(Schema.Array(LanguageTag), { exact: true }),
  gender: Schema.optionalWith(Schema.Literal("female", "male"), { exact: true })
}

/** Whether to normalize the text first. */
export const normalise = optionalField(
  Schema.Boolean,
  "Whether to write out numbers, dates, units and abbreviations before the engine reads them; default: false."
)

/** Fills in the name and languages of a voice in the settings. */
export const completeVoice = <V extends { readonly id: string }>(
  voice: V & { readonly name?: string; readonly languages?: ReadonlyArray<string> }
) => ({ ...voice, name: voice.name ?? voice.id, languages: voice.languages ?? [] })
