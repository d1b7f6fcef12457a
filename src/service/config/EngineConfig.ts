/** The engines of the settings file. */
import { Schema } from "effect"
import { LanguageTag } from "../../domain/values/Ids.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { addressField, countField, describedField, optionalField, secondsField } from "./ConfigFields.ts"

const variable = describedField(
  Schema.String.pipe(
    Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/u, {
      message: () => "expected an environment variable's name"
    })
  ),
  "The name of the environment variable that holds the key; keys never stand in this file."
)

/** eSpeak NG, which comes with the program: more than a hundred languages. */
const EspeakSettings = Schema.Struct({
  kind: Schema.Literal("espeak"),
  threads: optionalField(
    countField(1, 64),
    "Worker threads of some 90 MB each; default one less than the machine has cores."
  )
})

/** Flite, which comes with the program: English voices. */
const FliteSettings = Schema.Struct({
  kind: Schema.Literal("flite"),
  threads: optionalField(countField(1, 64), "Worker threads; default 1.")
})

const foreignVoice = {
  id: Schema.NonEmptyString,
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  languages: Schema.optionalWith(Schema.Array(LanguageTag), { exact: true }),
  gender: Schema.optionalWith(Schema.Literal("female", "male"), { exact: true })
}

const normalise = optionalField(
  Schema.Boolean,
  "Whether numbers, dates, units and abbreviations are written out before it reads them; default false."
)

/** A local program, started without a shell for each text. */
const CommandSettings = Schema.Struct({
  kind: Schema.Literal("command"),
  program: describedField(Schema.NonEmptyString, "The program's path, or its name on PATH."),
  args: describedField(
    Schema.Array(Schema.String),
    "Its arguments. {voice}, {language}, {rate}, {stretch} (1 / rate), {wpm}, {volume}, {pitch} (semitones) and {output} (the audio file " +
      "to write) are filled in; without {output} the audio is read from its standard output. The text comes on its standard input."
  ),
  voices: describedField(
    Schema.NonEmptyArray(
      Schema.Struct({
        ...foreignVoice,
        argument: optionalField(
          Schema.String,
          "What {voice} stands for, such as a model's path; the id where absent."
        )
      })
    ),
    "Its voices."
  ),
  rawRate: optionalField(
    SampleRate,
    "Set where the output is bare 16-bit mono samples: their rate in hertz."
  ),
  extension: optionalField(
    Schema.String.pipe(
      Schema.pattern(/^[a-z0-9]{1,8}$/u, {
        message: () => "expected up to 8 letters and digits, such as wav"
      })
    ),
    "How the file at {output} ends; default wav."
  ),
  normalise,
  timeout: optionalField(secondsField(3_600), "Seconds after which it is ended; default 60.")
})

/** A server that speaks OpenAI's /audio/speech. */
const OpenAiSettings = Schema.Struct({
  kind: Schema.Literal("openai"),
  baseUrl: describedField(
    addressField,
    "The server's address up to and without /audio/speech, such as http://localhost:8880/v1."
  ),
  keyVariable: Schema.optionalWith(variable, { exact: true }),
  model: describedField(Schema.NonEmptyString, "The server's model."),
  voices: optionalField(Schema.Array(Schema.Struct(foreignVoice)), "The server's voices."),
  listVoices: optionalField(
    Schema.Boolean,
    "Whether the server is asked for its voices at /audio/voices; default false."
  ),
  format: optionalField(
    Schema.Literal("wav", "mp3", "flac", "opus", "aac"),
    "The audio that is asked for; default wav."
  ),
  normalise,
  maxCharacters: optionalField(countField(1, 100_000), "Most characters of one request; default 4096."),
  timeout: optionalField(secondsField(3_600), "Seconds an answer may take; default 120.")
})

/** Another service of this same interface. */
const UpstreamSettings = Schema.Struct({
  kind: Schema.Literal("upstream"),
  baseUrl: describedField(addressField, "The other service's address."),
  keyVariable: variable,
  provider: describedField(Schema.NonEmptyString, "Which of its providers speaks."),
  model: optionalField(Schema.NonEmptyString, "Which of that provider's models; its default where absent."),
  timeout: optionalField(secondsField(86_400), "Seconds a task may take there; default 600.")
})

/** A speech engine. */
export const EngineSettings = Schema.Union(
  EspeakSettings,
  FliteSettings,
  CommandSettings,
  OpenAiSettings,
  UpstreamSettings
)
export type EngineSettings = typeof EngineSettings.Type
