/** Options shared by several commands. Each validates its own value, so errors name the option. */
import { Args, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Array, Duration, Effect, Redacted, Schema } from "effect"
import { roles } from "../../fleet/shared/WorkerRoles.ts"
import { failOnNames } from "../commands/FailOn.ts"
import { OutputName } from "../../domain/manifest/Outputs.ts"
import { ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import {
  amount,
  checked,
  flag,
  listOption,
  maybe,
  requiredText,
  integerOption,
  textOption,
  textOr
} from "./OptionKinds.ts"

const address = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((text) => {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    return /^https?:$/u.test(url.protocol) && url.username === "" && url.password === ""
  })
)

const serviceAddress = (description: string) =>
  maybe(
    checked("base-url", "URL", address, "an http or https URL without a user name or password", description)
  )

const baseUrl = serviceAddress("service URL; default: the manifest's, then DUBWRIGHT_BASE_URL")

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

/** Service options of `init`: the service written into the new manifest. */
export const namedService = {
  baseUrl: serviceAddress("write this service URL into the manifest"),
  embedded: flag("embedded", "write the bundled service into the manifest; default without a terminal")
}

/** Folders of results and state. */
const folders = {
  out: textOption("out", "DIR", "output folder; default: out (beside the manifest, or here)"),
  state: textOption("state", "DIR", "state folder; default: .dubwright (beside the manifest, or here)")
}

/** The state folder for commands without a manifest. */
export const stateHere = textOption("state", "DIR", "state folder; default: .dubwright in the current folder")

const only = textOption("only", "PATTERN", "process only jobs whose id matches this glob")

export const language = maybe(
  Options.text("language").pipe(
    Options.withPseudoName("TAG"),
    Options.withDescription("language for jobs that set none; default: from the file name (film.vi.srt)"),
    Options.mapEffect((found) =>
      Effect.mapError(languageNamed(found), (message) =>
        ValidationError.invalidValue(HelpDoc.p(`--language: ${message}`))
      )
    )
  )
)

const casting = (whose: string) => ({
  voice: maybe(checked("voice", "ID", VoiceId, "a voice id", `voice ${whose}`)),
  provider: maybe(checked("provider", "ID", ProviderId, "a provider id", `provider ${whose}`)),
  model: maybe(checked("model", "ID", ModelId, "a model id", `model ${whose}`))
})

/** The casting of the task that `doctor --probe` creates. */
export const probed = casting("of the probe's task; default: the manifest's, then the service's first")

/** Defaults for jobs that do not set these themselves. */
const jobDefaults = {
  bilingual: maybe(
    Options.choice("bilingual", ["first", "second", "all"]).pipe(
      Options.withDescription("language of bilingual subtitles to speak, for jobs that set none")
    )
  ),
  ...casting("for jobs that set none"),
  language,
  outputs: listOption(
    "outputs",
    "LIST",
    OutputName,
    "outputs for jobs that set none, separated by commas; default: wav,srt, without a manifest also the film"
  )
}

/** The film of a script that is passed without a manifest. */
const video = textOption("video", "FILE", "film of the only script, without a manifest")

const units = { h: "hours", d: "days", w: "weeks" } as const

const AgeSchema = Schema.String.pipe(
  Schema.pattern(/^\d{1,5}[hdw]$/u),
  Schema.transform(Schema.DurationFromSelf, {
    strict: true,
    decode: (text) => {
      const unit = text.endsWith("h") ? units.h : text.endsWith("d") ? units.d : units.w
      return Duration.decode(`${Number.parseInt(text, 10)} ${unit}`)
    },
    encode: (age) => `${Math.round(Duration.toHours(age))}h`
  })
)

export const olderThan = maybe(
  checked(
    "older-than",
    "AGE",
    AgeSchema,
    "an age such as 30d, 12h or 4w",
    "delete only clips unused for this long (30d, 12h, 4w)"
  )
)

/** Options of every command on a batch. */
export const batch = { baseUrl, embedded, ...folders, only, ...jobDefaults, video }

const TimeOfDaySchema = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(?:[01]?\d|2[0-3]):[0-5]\d$/u)),
  Schema.Struct({ hours: Schema.Int, minutes: Schema.Int }),
  {
    strict: true,
    decode: (text) => ({ hours: Number(text.split(":")[0]), minutes: Number(text.split(":")[1]) }),
    encode: ({ hours, minutes }) => `${hours}:${minutes}`
  }
)

export const timeOfDayFlag = (name: string, description: string) =>
  maybe(checked(name, "HH:MM", TimeOfDaySchema, "a time of day such as 06:00", description))

/** Options of commands that create tasks. */
export const speaking = {
  concurrency: integerOption(
    "concurrency",
    "N",
    { min: 1, max: 1000 },
    "tasks in flight per provider, unless the manifest sets it"
  ),
  maxCredits: amount("max-credits", "N", "stop creating tasks before this batch spends more than N"),
  force: flag("force", "start even if the disk space or the credits will not suffice"),
  deadline: timeOfDayFlag("deadline", "at this time of day, stop starting new work"),
  log: textOption("log", "FILE", "append a log to this file; old logs become FILE.1 to FILE.5"),
  events: flag("events", "print progress on stderr as JSON, one event per line")
}

const redis = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((text) => URL.canParse(text) && /^rediss?:$/u.test(new URL(text).protocol))
)

const redisWords = "a Redis URL such as redis://host:6379"

/** Options that connect a run to a fleet. */
export const fleet = {
  fleet: maybe(
    checked(
      "fleet",
      "URL",
      redis,
      redisWords,
      "dispatch work to workers via this Redis (dubwright help fleet)"
    )
  ),
  share: textOption("share", "WHERE", "with --fleet: what all machines share, a folder or s3://BUCKET/PREFIX")
}

/** The same options for `worker`, where they are required. */
export const ownFleet = {
  fleet: checked("fleet", "URL", redis, redisWords, "the fleet's Redis"),
  share: requiredText(
    "share",
    "WHERE",
    "what all machines share: a folder that they mount, or s3://BUCKET/PREFIX"
  )
}

/** The service URL as a worker reaches it. */
export const workerBaseUrl = serviceAddress(
  "service URL for this machine; default: DUBWRIGHT_BASE_URL, then the batch's"
)

export const workerRoles = Options.map(
  listOption(
    "roles",
    "WHAT",
    Schema.Literal(...roles),
    "what this worker does: speak, deliver or speak,deliver; default: both"
  ),
  (chosen) => chosen ?? roles
)

/** A port; 0 picks a free one. */
export const port = (fallback: number, description: string) =>
  Options.map(integerOption("port", "PORT", { min: 0, max: 65_535 }, description), (port) => port ?? fallback)

/** Findings that make `plan` fail. */
export const failOn = Options.map(
  listOption(
    "fail-on",
    "WHAT",
    Schema.Literal(...failOnNames),
    "exit with code 3 on these conditions, separated by commas; see dubwright help commands"
  ),
  (names) => names ?? []
)

export const data = textOr(
  "data",
  "DIR",
  ".dubwright/service",
  "the service's data folder; default: .dubwright/service"
)

/** A URL that may hold a password, so that errors do not show it. */
const databaseUrl = Options.text("database").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription("PostgreSQL database that replicas share, with --files; default: SQLite in --data"),
  Options.mapEffect((url) =>
    /^postgres(?:ql)?:\/\/[^/]+\/[^/]+$/u.test(url) && URL.canParse(url)
      ? Effect.succeed(Redacted.make(url))
      : unshared("--database: expected a URL such as postgres://USER@HOST/NAME")
  )
)

/** The storage that replicas of a service share; undefined if all data is in its data folder. */
export const replicaStorage = Options.all({
  database: maybe(databaseUrl),
  files: textOption(
    "files",
    "URL",
    "S3 bucket and prefix for the audio that replicas share, with --database; default: files in --data"
  )
}).pipe(
  Options.mapEffect(({ database, files }) => {
    if (database !== undefined && files === undefined)
      return unshared("--database: set --files, too; replicas share a database and files")
    if (database === undefined && files !== undefined)
      return unshared("--files: set --database, too; replicas share a database and files")
    const both = database === undefined || files === undefined ? undefined : { database, files }
    return Effect.succeed(both)
  })
)

const unshared = (problem: string) => Effect.fail(ValidationError.invalidValue(HelpDoc.p(problem)))

/** A manifest, or subtitle and text files. */
export const inputs = Args.text({ name: "file" }).pipe(
  Args.withDescription(
    "one manifest, or scripts (.srt .vtt .ass .ttml .stl .scc .csv .xlsx .txt …; see help formats)"
  ),
  Args.atLeast(1)
)

export const manifest = Args.text({ name: "manifest" }).pipe(
  Args.withDescription("a manifest (.yaml .yml .json), or the files that were passed to run"),
  Args.atLeast(1)
)

/** The manifest or the files that `verify` checks. */
export const verified = Args.text({ name: "manifest" }).pipe(
  Args.withDescription(
    "a manifest, or the files that were passed to run; with --profile: audio and video files"
  ),
  Args.atLeast(1)
)

/** The reviewer's name, for saved approvals. */
export const reviewer = textOption("as", "NAME", "your name in approvals; default: the login name")

/** The manifest of `review`. */
export const reviewed = Args.text({ name: "manifest" }).pipe(
  Args.withDescription("a manifest (.yaml .yml .json); accepted changes are saved beside it"),
  Args.map(Array.of)
)
