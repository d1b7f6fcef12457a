/** Parses the service's settings file (YAML or JSON). Reports every problem with its line. */
import { Array, Either, Schema } from "effect"
import { checkSettings, type SettingsFault } from "../../settings/Settings.ts"
import { readSettings } from "../../settings/SettingsText.ts"
import { ServiceConfig } from "./ServiceConfig.ts"

/** The settings are invalid; one line per problem. */
export class ConfigRejected extends Schema.TaggedError<ConfigRejected>()("ConfigRejected", {
  problems: Schema.NonEmptyArray(Schema.String)
}) {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Parses a settings file's text. `file` names it in problems. An empty file gives the defaults. */
export const parseConfig = (text: string, file: string): Either.Either<ServiceConfig, ConfigRejected> =>
  rejected(
    readSettings(ServiceConfig, text, "expected settings: keys with their values", {}),
    ({ line = 1, message }) => `${file}:${line}: ${message}`
  )

/** Validates settings that are given as a value. */
export const decodeConfig = (value: unknown): Either.Either<ServiceConfig, ConfigRejected> =>
  rejected(checkSettings(ServiceConfig, value), ({ message }) => message)

const rejected = (
  checked: ReturnType<typeof checkSettings<ServiceConfig, unknown>>,
  problemOf: (fault: SettingsFault) => string
) => Either.mapLeft(checked, (faults) => new ConfigRejected({ problems: Array.map(faults, problemOf) }))
