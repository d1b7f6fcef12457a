/**
 * The service's settings file, `serve --config service.yaml`, as its author writes it. Everything has a default: an
 * empty file, or none, gives a service that works offline with all five providers.
 */
import { Schema } from "effect"
import { LanguageTag } from "../../domain/values/Ids.ts"
import {
  addressField,
  countField,
  describedField,
  optionalField,
  secondsField,
  Slug
} from "./ConfigFields.ts"
import { EngineSettings } from "./EngineConfig.ts"

/** A provider's model. */
export const ModelSettings = Schema.Struct({
  id: Slug,
  name: optionalField(Schema.NonEmptyString, "What people read; the id where absent."),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  languages: optionalField(Schema.Array(LanguageTag), "What it speaks; its voices' languages where absent."),
  creditsPerCharacter: optionalField(Schema.NonNegative, "Credits for one character; default 1."),
  rate: optionalField(
    Schema.Number.pipe(Schema.between(0.5, 2)),
    "Speaking rate of the model, 1 is the engine's own."
  ),
  pitch: optionalField(
    Schema.Number.pipe(Schema.between(-12, 12)),
    "Pitch of the model in semitones, 0 is the engine's own."
  )
})
export type ModelSettings = typeof ModelSettings.Type

/** A provider's voice. */
export const VoiceSettings = Schema.Struct({
  id: Slug,
  name: optionalField(Schema.NonEmptyString, "What people read; the id where absent."),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  gender: Schema.optionalWith(Schema.Literal("female", "male", "neutral"), { exact: true }),
  voice: describedField(
    Schema.Union(
      Schema.NonEmptyString,
      Schema.Record({
        key: Schema.String.pipe(
          Schema.pattern(/^[a-z]{2,3}$/u, { message: () => "expected a language such as en or vi" })
        ),
        value: Schema.NonEmptyString
      })
    ),
    "The engine's voice; or one for each language, among which the text's own language chooses, the first where it is in doubt."
  ),
  languages: optionalField(Schema.Array(LanguageTag), "What it speaks; as the engine says where absent."),
  rate: optionalField(Schema.Number.pipe(Schema.between(0.5, 2)), "Speaking rate, 1 is the engine's own."),
  pitch: optionalField(
    Schema.Number.pipe(Schema.between(-12, 12)),
    "Pitch in semitones, 0 is the engine's own."
  ),
  volume: optionalField(Schema.Number.pipe(Schema.between(0.1, 2)), "Volume, 1 is the engine's own.")
})
export type VoiceSettings = typeof VoiceSettings.Type

const Range = Schema.Struct({ min: Schema.Number, max: Schema.Number, default: Schema.Number }).pipe(
  Schema.filter((range) => range.min <= range.default && range.default <= range.max, {
    message: () => "expected min, max and default with min ≤ default ≤ max"
  })
)

/** A provider; one of the five takes what is absent from its default. */
export const ProviderSettings = Schema.Struct({
  enabled: optionalField(Schema.Boolean, "Whether it is served; default true."),
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  engine: optionalField(Schema.NonEmptyString, "The name of an engine below `engines`."),
  concurrency: optionalField(countField(1, 256), "Tasks spoken at once; default 2."),
  minCharacters: optionalField(countField(0, 100_000), "Least characters of a normal text."),
  maxCharacters: optionalField(countField(1, 100_000), "Most characters of a text."),
  srtInput: optionalField(Schema.Boolean, "Whether a text may be an SRT, spoken on its own timeline."),
  transcript: optionalField(
    Schema.Literal("none", "with_transcript", "export_srt"),
    "Which flag of a task asks for a transcript."
  ),
  controls: optionalField(
    Schema.Struct({
      speed: Schema.optionalWith(Range, { exact: true }),
      vol: Schema.optionalWith(Range, { exact: true }),
      pitch: Schema.optionalWith(Range, { exact: true })
    }),
    "The controls that a task may set, with their ranges; one that is absent is refused."
  ),
  models: Schema.optionalWith(Schema.NonEmptyArray(ModelSettings), { exact: true }),
  defaultModel: optionalField(Slug, "The model of a task that names none; the first where absent."),
  voices: optionalField(
    Schema.Union(Schema.Literal("all"), Schema.NonEmptyArray(VoiceSettings)),
    "Its voices; `all` lists every voice of the engine, each under the provider's prefix."
  ),
  voicePrefix: optionalField(
    Slug,
    "What stands before the engine's ids with `voices: all`; default the provider's id and a dash."
  )
})
export type ProviderSettings = typeof ProviderSettings.Type

/** The file. */
export const ServiceConfig = Schema.Struct({
  audio: optionalField(
    Schema.Struct({
      format: optionalField(Schema.Literal("mp3", "wav"), "What tasks leave; default mp3."),
      rate: optionalField(
        Schema.Literal(22_050, 24_000, 44_100, 48_000),
        "Frames per second; default 24000."
      ),
      bitrate: optionalField(countField(32, 320), "Kilobits per second of mp3; default 96.")
    }),
    "The audio files."
  ),
  limits: optionalField(
    Schema.Struct({
      queue: optionalField(
        countField(1, 1_000_000),
        "Tasks that may wait at once; accounts that have some waiting share it evenly. Default 10000."
      ),
      bodyBytes: optionalField(countField(1_024, 64_000_000), "Bytes of a request's body; default 256000."),
      timeline: optionalField(
        Schema.Number.pipe(Schema.between(1, 86_400)),
        "Seconds at which an SRT's last entry must have begun; default 14400."
      ),
      requestsPerSecond: optionalField(
        Schema.Number.pipe(Schema.between(0.1, 100_000)),
        "Requests of one account in a second, spread over ten; default without limit."
      ),
      connections: optionalField(countField(1, 65_000), "Connections at once; default 2000."),
      requestTimeout: optionalField(
        Schema.Number.pipe(Schema.between(1, 3_600)),
        "Seconds a request may take to arrive; default 30."
      ),
      taskTimeout: optionalField(
        Schema.Number.pipe(Schema.between(1, 86_400)),
        "Seconds a task may take to be spoken; default 900."
      ),
      attempts: optionalField(
        countField(1, 100),
        "Tries before a task fails for a passing cause; default 3."
      ),
      drain: optionalField(
        secondsField(3_600),
        "Seconds that tasks under way are given when the service stops; default 20."
      ),
      freeDisk: optionalField(
        countField(0, 1_000_000_000_000),
        "Bytes of disk below which no task is taken on; default 50000000."
      )
    }),
    "What bounds the service's work and memory."
  ),
  keep: optionalField(
    Schema.Struct({
      days: optionalField(
        Schema.Number.pipe(Schema.between(0.00001, 36_500)),
        "Days after which an ended task and its files are forgotten; default 30."
      ),
      addressHours: optionalField(
        Schema.Number.pipe(Schema.between(0.0001, 87_600)),
        "Hours for which a file's address stays valid; reading the task gives a fresh one; default 24."
      )
    }),
    "How long things are kept."
  ),
  publicUrl: optionalField(
    addressField,
    "The address under which clients reach the service, for the addresses of files; default the request's own host."
  ),
  engines: optionalField(
    Schema.Record({ key: Slug, value: EngineSettings }),
    "Engines by names of your own; `espeak` and `flite` are there without being named."
  ),
  providers: optionalField(
    Schema.Record({ key: Slug, value: ProviderSettings }),
    "Providers by their ids. The five are there without being named; further ones may be added."
  )
}).annotations({ identifier: "ServiceConfig", title: "dubwright service settings" })
export type ServiceConfig = typeof ServiceConfig.Type
