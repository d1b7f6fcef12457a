/** Options shared by several commands. */
import { Options } from "@effect/cli"
import { Effect, Redacted, Schema } from "effect"
import { OutputName } from "../../domain/manifest/Outputs.ts"
import { ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import {
  amount,
  checked,
  choice,
  flag,
  integer,
  invalid,
  list,
  maybe,
  withDefault,
  text
} from "./OptionKinds.ts"

const address = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((text) => {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    return /^https?:$/u.test(url.protocol) && url.username === "" && url.password === ""
  })
)

export const serviceAddress = (description: string) => {
  const expected = "an http or https URL without a user name or password"
  return maybe(checked("base-url", "URL", address, expected, description))
}

export const json = flag("json", "print only the result on stdout, as JSON")

/** How much is printed on stderr. */
export const loudness = {
  quiet: flag("quiet", "print only warnings and errors on stderr"),
  verbose: flag("verbose", "also print every step, every output file and stack traces")
}

const embedded = flag("embedded", "use the bundled service, in this process; default if no URL is set")

/** Service options of commands without a manifest. */
export const service = {
  baseUrl: serviceAddress("service URL; default: DUBWRIGHT_BASE_URL, then the bundled service"),
  embedded
}

export const language = maybe(
  Options.text("language").pipe(
    Options.withPseudoName("TAG"),
    Options.withDescription("language for jobs that set none; default: from the file name (film.vi.srt)"),
    Options.mapEffect((found) =>
      Effect.mapError(languageNamed(found), (message) => invalid(`--language: ${message}`))
    )
  )
)

export const casting = (whose: string) => ({
  voice: maybe(checked("voice", "ID", VoiceId, "a voice id", `voice ${whose}`)),
  provider: maybe(checked("provider", "ID", ProviderId, "a provider id", `provider ${whose}`)),
  model: maybe(checked("model", "ID", ModelId, "a model id", `model ${whose}`))
})

/** Options of every command on a batch. */
export const batch = {
  baseUrl: serviceAddress("service URL; default: the manifest's, then DUBWRIGHT_BASE_URL"),
  embedded,
  out: text("out", "DIR", "output folder; default: out (beside the manifest, or here)"),
  state: text("state", "DIR", "state folder; default: .dubwright (beside the manifest, or here)"),
  only: text("only", "PATTERN", "process only jobs whose id matches this glob"),
  // Defaults for jobs that do not set these themselves.
  bilingual: choice(
    "bilingual",
    ["first", "second", "all"],
    "language of bilingual subtitles to speak, for jobs that set none"
  ),
  ...casting("for jobs that set none"),
  language,
  outputs: list(
    "outputs",
    "LIST",
    OutputName,
    "outputs for jobs that set none, separated by commas; default: wav,srt, without a manifest also the film"
  ),
  video: text("video", "FILE", "film of the only script, without a manifest")
}

const TimeOfDaySchema = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(?:[01]?\d|2[0-3]):[0-5]\d$/u)),
  Schema.Struct({ hours: Schema.Int, minutes: Schema.Int }),
  {
    strict: true,
    decode: (text) => ({ hours: Number(text.split(":")[0]), minutes: Number(text.split(":")[1]) }),
    encode: ({ hours, minutes }) => `${hours}:${minutes}`
  }
)

export const timeOfDay = (name: string, description: string) =>
  maybe(checked(name, "HH:MM", TimeOfDaySchema, "a time of day such as 06:00", description))

/** Options of commands that create tasks. */
export const speaking = {
  concurrency: integer(
    "concurrency",
    "N",
    [1, 1000],
    "tasks in flight per provider, unless the manifest sets it"
  ),
  maxCredits: amount("max-credits", "N", "stop creating tasks before this batch spends more than N"),
  force: flag("force", "start even if the disk space or the credits will not suffice"),
  deadline: timeOfDay("deadline", "at this time of day, stop starting new work"),
  log: text("log", "FILE", "append a log to this file; old logs become FILE.1 to FILE.5"),
  events: flag("events", "print progress on stderr as JSON, one event per line")
}

const redis = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((text) => URL.canParse(text) && /^rediss?:$/u.test(new URL(text).protocol))
)

export const redisAddress = (description: string) =>
  checked("fleet", "URL", redis, "a Redis URL such as redis://host:6379", description)

/** Options that connect a run to a fleet. */
export const fleet = {
  fleet: maybe(redisAddress("dispatch work to workers via this Redis (dubwright help fleet)")),
  share: text("share", "WHERE", "with --fleet: what all machines share, a folder or s3://BUCKET/PREFIX")
}

/** A port; 0 picks a free one. */
export const port = (fallback: number, description: string) =>
  withDefault(integer("port", "PORT", [0, 65_535], description), fallback)

export const data = withDefault(
  text("data", "DIR", "the service's data folder; default: .dubwright/service"),
  ".dubwright/service"
)

/** A URL that may hold a password, so that errors do not show it. */
const databaseUrl = Options.text("database").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription("PostgreSQL database that replicas share, with --files; default: SQLite in --data"),
  Options.mapEffect((url) =>
    /^postgres(?:ql)?:\/\/[^/]+\/[^/]+$/u.test(url) && URL.canParse(url)
      ? Effect.succeed(Redacted.make(url))
      : Effect.fail(invalid("--database: expected a URL such as postgres://USER@HOST/NAME"))
  )
)

/** The storage that replicas of a service share; undefined if all data is in its data folder. */
const replicaStorage = Options.all({
  database: maybe(databaseUrl),
  files: text(
    "files",
    "URL",
    "S3 bucket and prefix for the audio that replicas share, with --database; default: files in --data"
  )
}).pipe(
  Options.mapEffect(({ database, files }) => {
    if (database !== undefined && files !== undefined) return Effect.succeed({ database, files })
    if (database === undefined && files === undefined) return Effect.succeed(undefined)
    const [given, missing] = database === undefined ? ["--files", "--database"] : ["--database", "--files"]
    return Effect.fail(invalid(`${given}: set ${missing}, too; replicas share a database and files`))
  })
)

/** Where a service keeps its data. */
export const storage = { data, shared: replicaStorage }
