/**
 * Schema of the service's settings file (`serve --config service.yaml`). Every setting has a default: with an empty
 * file, or none, the service works offline with all five providers.
 */
import { isIP } from "node:net"
import { Schema } from "effect"
import { LanguageTag } from "../../domain/values/Ids.ts"
import { expecting } from "../../domain/values/SchemaWords.ts"
import {
  addressField,
  describedField,
  optionalCount,
  optionalField,
  optionalNumber,
  Slug
} from "../../settings/SettingsFields.ts"
import { EngineSettings } from "./EngineConfig.ts"
import { keyVariable } from "../../engines/EngineFields.ts"

/** A provider's model. */
export const ModelSettings = Schema.Struct({
  id: Slug,
  name: optionalField(Schema.NonEmptyString, "Display name; default: the id."),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  languages: optionalField(Schema.Array(LanguageTag), "Languages it speaks; default: its voices' languages."),
  creditsPerCharacter: optionalField(Schema.NonNegative, "Credits per character; default: 1."),
  rate: optionalNumber(0.5, 2, "Speaking rate, multiplied with the voice's; 1 is the engine's default."),
  pitch: optionalNumber(-12, 12, "Pitch in semitones, added to the voice's; 0 is the engine's default.")
})
export type ModelSettings = typeof ModelSettings.Type

/** An engine's voice, or one per language. */
const EngineVoices = Schema.Union(
  Schema.NonEmptyString,
  Schema.Record({
    key: Schema.String.pipe(
      Schema.pattern(/^[a-z]{2,3}$/u, { message: () => "expected a language such as en or vi" })
    ),
    value: Schema.NonEmptyString
  })
)

/** A provider's voice. */
export const VoiceSettings = Schema.Struct({
  id: Slug,
  name: optionalField(Schema.NonEmptyString, "Display name; default: the id."),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  gender: Schema.optionalWith(Schema.Literal("female", "male", "neutral"), { exact: true }),
  voice: describedField(
    EngineVoices,
    "The engine's voice, or one per language. The text's language selects one; the first is used when it is unclear."
  ),
  languages: optionalField(Schema.Array(LanguageTag), "Languages it speaks; default: as the engine reports."),
  rate: optionalNumber(0.5, 2, "Speaking rate; 1 is the engine's default."),
  pitch: optionalNumber(-12, 12, "Pitch in semitones; 0 is the engine's default."),
  volume: optionalNumber(0.1, 2, "Volume; 1 is the engine's default.")
})
export type VoiceSettings = typeof VoiceSettings.Type

const Range = Schema.Struct({ min: Schema.Number, max: Schema.Number, default: Schema.Number }).pipe(
  Schema.filter((range) => range.min <= range.default && range.default <= range.max, {
    message: () => "expected min, max and default with min ≤ default ≤ max"
  })
)

/** One of several engines of a provider. */
const EngineEntry = Schema.Struct({
  engine: describedField(Schema.NonEmptyString, "The engine's name under `engines`."),
  name: optionalField(
    Slug,
    "Its name in tasks, metrics and the log; default: the engine's name, with a number if it is used twice."
  ),
  keyVariable: optionalField(
    keyVariable,
    "The environment variable with its key; default: the engine's own."
  ),
  order: optionalCount(
    1,
    100,
    "Engines with the lowest order speak. If they fail, those with the next order speak. Default: the place in the list."
  ),
  weight: optionalNumber(0.01, 1_000, "Share of the tasks among engines of the same order; default: 1."),
  concurrency: optionalCount(
    1,
    256,
    "Maximum number of tasks that it speaks at once; default: the provider's."
  ),
  requestsPerMinute: optionalCount(1, 1_000_000, "Maximum requests in a minute; default: unlimited."),
  voices: optionalField(
    Schema.Record({ key: Schema.String, value: EngineVoices }),
    'The engine\'s voice for each voice id of the provider; "*" is for all other voices. Default: voices of the same name.'
  )
})
export type EngineEntry = typeof EngineEntry.Type

/** A provider. For the five built-in providers, missing fields keep their defaults. */
export const ProviderSettings = Schema.Struct({
  enabled: optionalField(Schema.Boolean, "Whether to offer this provider; default: true."),
  name: Schema.optionalWith(Schema.NonEmptyString, { exact: true }),
  description: Schema.optionalWith(Schema.String, { exact: true }),
  engine: optionalField(Schema.NonEmptyString, "The engine's name under `engines`."),
  engines: optionalField(
    Schema.NonEmptyArray(EngineEntry),
    "Several engines instead of `engine`. If one fails, the next one speaks."
  ),
  concurrency: optionalCount(1, 256, "Maximum tasks spoken at once; default: 2."),
  minCharacters: optionalCount(0, 100_000, "Minimum characters of a text; does not apply to SRT."),
  maxCharacters: optionalCount(1, 100_000, "Maximum characters of a text."),
  srtInput: optionalField(Schema.Boolean, "Whether to accept SRT as text and speak it on its timeline."),
  transcript: optionalField(
    Schema.Literal("none", "with_transcript", "export_srt"),
    "The task flag that requests a transcript."
  ),
  controls: optionalField(
    Schema.Struct({
      speed: Schema.optionalWith(Range, { exact: true }),
      vol: Schema.optionalWith(Range, { exact: true }),
      pitch: Schema.optionalWith(Range, { exact: true })
    }),
    "The controls a task may set, with their ranges; any other control is rejected."
  ),
  models: Schema.optionalWith(Schema.NonEmptyArray(ModelSettings), { exact: true }),
  defaultModel: optionalField(Slug, "The model of tasks that name none; default: the first model."),
  voices: optionalField(
    Schema.Union(Schema.Literal("all"), Schema.NonEmptyArray(VoiceSettings)),
    "Its voices; `all` offers every voice of the engine, with the prefix `voicePrefix`."
  ),
  voicePrefix: optionalField(
    Slug,
    "Prefix of the engine's voice ids with `voices: all`; default: the provider's id and a dash."
  )
})
export type ProviderSettings = typeof ProviderSettings.Type

/** Whether a text is an IP address, or a network in CIDR notation. */
const isNetwork = (value: string): boolean => {
  const [address = "", bits, ...others] = value.split("/")
  const family = isIP(address)
  const most = family === 6 ? 128 : 32
  return (
    family !== 0 &&
    others.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= most))
  )
}

/** The whole settings file. */
export const ServiceConfig = Schema.Struct({
  audio: optionalField(
    Schema.Struct({
      format: optionalField(Schema.Literal("mp3", "wav"), "Audio format of tasks; default: mp3."),
      rate: optionalField(
        Schema.Literal(22_050, 24_000, 44_100, 48_000),
        "Sample rate in Hz; default: 24000."
      ),
      bitrate: optionalCount(32, 320, "MP3 bitrate in kbit/s; default: 96.")
    }),
    "Format of the audio files."
  ),
  limits: optionalField(
    Schema.Struct({
      queue: optionalCount(
        1,
        1_000_000,
        "Maximum number of queued tasks, shared evenly among accounts with queued tasks; default: 10000."
      ),
      bodyBytes: optionalCount(1_024, 64_000_000, "Maximum bytes of a request body; default: 256000."),
      timeline: optionalNumber(
        1,
        86_400,
        "Latest start of an SRT entry, in seconds; default: 14400. At most 600 s, and 20 s for each character of the SRT."
      ),
      requestsPerSecond: optionalNumber(
        0.1,
        100_000,
        "Requests per second and account, with bursts of ten seconds' worth; default: unlimited."
      ),
      connections: optionalCount(1, 65_000, "Maximum open connections; default: 4000."),
      streams: optionalCount(
        1,
        65_000,
        "Maximum open event streams and speech requests of an account; default: 100."
      ),
      allStreams: optionalCount(
        1,
        65_000,
        "Maximum open event streams and speech requests in all; default: 1000."
      ),
      requestTimeout: optionalNumber(1, 3_600, "Maximum seconds to receive a request; default: 30."),
      taskTimeout: optionalNumber(1, 86_400, "Maximum seconds to speak a task; default: 900."),
      attempts: optionalCount(1, 100, "Maximum attempts at a task if errors are temporary; default: 3."),
      drain: optionalNumber(
        0,
        3_600,
        "Seconds to wait for in-flight tasks when the service stops; default: 20."
      ),
      lease: optionalNumber(
        1,
        3_600,
        "With --database: seconds without a heartbeat until other replicas speak its tasks; default: 15."
      ),
      accountBytes: optionalCount(
        1,
        1_000_000_000_000_000,
        "Maximum bytes of audio that an account keeps; default: 20000000000."
      ),
      freeDisk: optionalCount(
        0,
        1_000_000_000_000,
        "Free bytes of disk below which new tasks are rejected; default: 50000000."
      )
    }),
    "Limits on the service's work and memory."
  ),
  keep: optionalField(
    Schema.Struct({
      days: optionalNumber(
        0.00001,
        36_500,
        "Days before a finished task and its files are deleted; default: 30."
      ),
      addressHours: optionalNumber(
        0.0001,
        87_600,
        "Hours a file URL stays valid; reading the task returns a new one; default: 24."
      )
    }),
    "Retention of tasks and file URLs."
  ),
  publicUrl: optionalField(
    addressField,
    "The service's public URL, used in file URLs; default: the request's Host header."
  ),
  webhooks: optionalField(
    Schema.Struct({
      privateAddresses: optionalField(
        Schema.Boolean,
        "Whether webhooks may go to this machine and to private networks; default: false."
      )
    }),
    "Webhooks of tasks."
  ),
  proxies: optionalField(
    Schema.Array(
      Schema.String.pipe(Schema.filter(isNetwork, expecting("an IP address or network such as 10.0.0.0/8")))
    ),
    "Addresses of proxies in front of the service. Their X-Forwarded-For header is trusted; default: none."
  ),
  engines: optionalField(
    Schema.Record({ key: Slug, value: EngineSettings }),
    "Engines by name; `espeak`, `flite` and `neural` are built in."
  ),
  providers: optionalField(
    Schema.Record({ key: Slug, value: ProviderSettings }),
    "Providers by id. Five are built in; you can add more."
  )
}).annotations({ identifier: "ServiceConfig", title: "dubwright service settings" })
export type ServiceConfig = typeof ServiceConfig.Type

/** Returns the maximum number of queued tasks. */
export const queueLimit = ({ limits }: ServiceConfig): number => limits?.queue ?? 10_000
