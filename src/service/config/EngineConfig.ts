/** The engines of the settings file. */
import { Schema } from "effect"
import { LanguageTag } from "../../domain/values/Ids.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { address, count, described, optional, seconds } from "./ConfigFields.ts"

const variable = described(
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
  threads: optional(
    count(1, 64),
    "Worker threads of some 90 MB each; default one less than the machine has cores."
  )
})

/** Flite, which comes with the program: English voices. */
const FliteSettings = Schema.Struct({
  kind: Schema.Literal("flite"),
  threads: optional(count(1, 64), "Worker threads; default 1.")
})

const foreignVoice = {
  id: Schema.NonEmptyString,
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  languages: Schema.optionalWith(Schema.Array(LanguageTag), { exact: true }),
  gender: Schema.optionalWith(Schema.Literal("female", "male"), { exact: true })
}

const normalise = optional(
  Schema.Boolean,
  "Whether numbers, dates, units and abbreviations are written out before it reads them; default false."
)

/** A local program, started without a shell for each text. */
const CommandSettings = Schema.Struct({
  kind: Schema.Literal("command"),
  program: described(Schema.NonEmptyString, "The program's path, or its name on PATH."),
  args: described(
    Schema.Array(Schema.String),
    "Its arguments. {voice}, {language}, {rate}, {stretch} (1 / rate), {wpm}, {volume}, {pitch} (semitones) and {output} (the audio file " +
      "to write) are filled in; without {output} the audio is read from its standard output. The text comes on its standard input."
  ),
  voices: described(
    Schema.NonEmptyArray(
      Schema.Struct({
        ...foreignVoice,
        argument: optional(
          Schema.String,
          "What {voice} stands for, such as a model's path; the id where absent."
        )
      })
    ),
    "Its voices."
  ),
  rawRate: optional(SampleRate, "Set where the output is bare 16-bit mono samples: their rate in hertz."),
  extension: optional(
    Schema.String.pipe(
      Schema.pattern(/^[a-z0-9]{1,8}$/u, {
        message: () => "expected up to 8 letters and digits, such as wav"
      })
    ),
    "How the file at {output} ends; default wav."
  ),
  normalise,
  timeout: optional(seconds(3_600), "Seconds after which it is ended; default 60.")
})

/** A server that speaks OpenAI's /audio/speech. */
const OpenAiSettings = Schema.Struct({
  kind: Schema.Literal("openai"),
  baseUrl: described(
    address,
    "The server's address up to and without /audio/speech, such as http://localhost:8880/v1."
  ),
  keyVariable: Schema.optionalWith(variable, { exact: true }),
  model: described(Schema.NonEmptyString, "The server's model."),
  voices: optional(Schema.Array(Schema.Struct(foreignVoice)), "The server's voices."),
  listVoices: optional(
    Schema.Boolean,
    "Whether the server is asked for its voices at /audio/voices; default false."
  ),
  format: optional(
    Schema.Literal("wav", "mp3", "flac", "opus", "aac"),
    "The audio that is asked for; default wav."
  ),
  normalise,
  maxCharacters: optional(count(1, 100_000), "Most characters of one request; default 4096."),
  timeout: optional(seconds(3_600), "Seconds an answer may take; default 120.")
})

/** Another service of this same interface. */
const UpstreamSettings = Schema.Struct({
  kind: Schema.Literal("upstream"),
  baseUrl: described(address, "The other service's address."),
  keyVariable: variable,
  provider: described(Schema.NonEmptyString, "Which of its providers speaks."),
  model: optional(Schema.NonEmptyString, "Which of that provider's models; its default where absent."),
  timeout: optional(seconds(86_400), "Seconds a task may take there; default 600.")
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
