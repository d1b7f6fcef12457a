/** Settings of the built-in providers. They work offline, with the bundled engines eSpeak NG and Flite. */
import { Record, Schema } from "effect"
import { builtInProviders } from "../../domain/speech/ProviderProfile.ts"
import { controlNames, neutralControls } from "../../domain/speech/Casting.ts"
import { ProviderSettings } from "./ServiceConfig.ts"

/** Defaults of every provider. */
export const plainProvider = {
  enabled: true,
  engine: "espeak",
  concurrency: 2,
  minCharacters: 0,
  maxCharacters: 5_000,
  srtInput: false,
  transcript: "none",
  controls: {},
  voices: "all"
} as const

/** Provider ids with their settings, in listing order. */
export const defaultProviders: Readonly<Record<string, ProviderSettings>> = Schema.decodeUnknownSync(
  Schema.Record({ key: Schema.String, value: ProviderSettings })
)(
  Record.map(builtInProviders, ({ bundled, minChars, concurrency: _, controls = {}, ...stated }) => ({
    ...stated,
    ...bundled,
    ...(minChars === undefined ? {} : { minCharacters: minChars }),
    controls: Object.fromEntries(
      controlNames.flatMap((name) =>
        controls[name] === undefined ? [] : [[name, { ...controls[name], default: neutralControls[name] }]]
      )
    )
  }))
)
