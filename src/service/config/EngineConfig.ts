/** Schemas of the settings file's `engines` section, one per kind of engine. */
import { Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"
import { expecting } from "../../domain/values/SchemaWords.ts"
import {
  addressField,
  describedField,
  optionalCount,
  optionalField,
  optionalNumber
} from "../../settings/SettingsFields.ts"
import { cloudSettings } from "../../engines/cloud/shared/CloudSettings.ts"
import { foreignVoice, keyVariable, normalise } from "../../engines/EngineFields.ts"

/** eSpeak NG, bundled: more than a hundred languages. */
const EspeakSettings = Schema.Struct({
  kind: Schema.Literal("espeak"),
  threads: optionalCount(
    1,
    64,
    "Worker threads, about 60 MB each while in use; default: the number of cores minus one."
  )
})

/** Flite, bundled: English voices. */
const FliteSettings = Schema.Struct({
  kind: Schema.Literal("flite"),
  threads: optionalCount(1, 64, "Worker threads; default: 1.")
})

/** A local program, started once per text, without a shell. */
const CommandSettings = Schema.Struct({
  kind: Schema.Literal("command"),
  program: describedField(Schema.NonEmptyString, "The program's path, or its name on PATH."),
  args: describedField(
    Schema.Array(Schema.String),
    "Its arguments. {voice}, {language}, {rate}, {stretch} (1 / rate), {wpm}, {volume}, {pitch} (semitones) and {output} (the audio file " +
      "to write) are filled in. Without {output} the program writes the audio to stdout. It reads the text from stdin."
  ),
  voices: describedField(
    Schema.NonEmptyArray(
      Schema.Struct({
        ...foreignVoice,
        argument: optionalField(
          Schema.String,
          "The value of {voice}, such as a model's path; default: the id."
        )
      })
    ),
    "Its voices."
  ),
  rawRate: optionalField(
    SampleRate,
    "Sample rate in Hz of raw output (16-bit mono samples without a header)."
  ),
  extension: optionalField(
    Schema.String.pipe(
      Schema.pattern(/^[a-z0-9]{1,8}$/u, expecting("up to 8 letters and digits, such as wav"))
    ),
    "Extension of the file at {output}; default: wav."
  ),
  normalise,
  timeout: optionalNumber(0, 3_600, "Seconds before the program is killed; default: 60.")
})

/** A server that implements OpenAI's /audio/speech. */
const OpenAiSettings = Schema.Struct({
  kind: Schema.Literal("openai"),
  baseUrl: describedField(
    addressField,
    "The server's URL without /audio/speech, such as http://localhost:8880/v1."
  ),
  keyVariable: Schema.optionalWith(keyVariable, { exact: true }),
  model: describedField(Schema.NonEmptyString, "The model's name on the server."),
  voices: optionalField(Schema.Array(Schema.Struct(foreignVoice)), "The server's voices."),
  listVoices: optionalField(
    Schema.Boolean,
    "Whether to read the server's voices from /audio/voices; default: false."
  ),
  format: optionalField(
    Schema.Literal("wav", "mp3", "flac", "opus", "aac"),
    "The audio format to request; default: wav."
  ),
  normalise,
  maxCharacters: optionalCount(1, 100_000, "Maximum characters per request; default: 4096."),
  timeout: optionalNumber(0, 3_600, "Seconds to wait for a response; default: 120.")
})

/** Another service with the same HTTP interface. */
const UpstreamSettings = Schema.Struct({
  kind: Schema.Literal("upstream"),
  baseUrl: describedField(addressField, "The other service's URL."),
  keyVariable,
  provider: describedField(Schema.NonEmptyString, "The provider to use on that service."),
  model: optionalField(Schema.NonEmptyString, "The model to use; default: the provider's default model."),
  timeout: optionalNumber(0, 86_400, "Maximum seconds per task; default: 600.")
})

/** Neural voices on this machine, with sherpa-onnx. */
const SherpaSettings = Schema.Struct({
  kind: Schema.Literal("sherpa"),
  voices: optionalField(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "Installed voices by id, and folders or .onnx files of others; default: every installed voice."
  ),
  processes: optionalCount(
    1,
    64,
    "Sentences spoken at once, each in its own process; default: the number of cores minus one, at most 4."
  ),
  threads: optionalCount(1, 64, "Threads of each process; default: 1."),
  steady: optionalField(
    Schema.Boolean,
    "Whether equal texts give equal samples, at the cost of some liveliness; default: true."
  ),
  memory: optionalCount(
    100,
    1_000_000,
    "Megabytes of memory above which a process is replaced; default: 1500."
  )
})

/** Settings of one speech engine, by `kind`. A nested union would report each fault as an unknown `kind`, too. */
export const EngineSettings = Schema.Union(
  EspeakSettings,
  FliteSettings,
  SherpaSettings,
  CommandSettings,
  OpenAiSettings,
  UpstreamSettings,
  ...cloudSettings
)
export type EngineSettings = typeof EngineSettings.Type
