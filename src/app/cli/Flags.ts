/** Options of several commands, each checked where it is read, so that a wrong value is told by its option's name. */
import { Args, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Array, Duration, Effect, Schema } from "effect"
import { roles } from "../../fleet/shared/WorkerRoles.ts"
import { failOnNames } from "../commands/FailOn.ts"
import { ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import {
  amount,
  checked,
  flag,
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
    checked(
      "base-url",
      "URL",
      address,
      "an http or https address without a name or password in it",
      description
    )
  )

const baseUrl = serviceAddress(
  "The service; else the manifest's service.baseUrl, else DUBWRIGHT_BASE_URL, else the bundled one."
)

export const json = flag("json", "The result as JSON on stdout, and nothing else there.")

/** How loud stderr is. */
export const loudness = {
  quiet: flag("quiet", "On stderr only warnings and errors."),
  verbose: flag(
    "verbose",
    "On stderr also every step, and the trace of a fault; at the end of a run, every file."
  )
}

const embedded = flag("embedded", "Start the bundled service in this process, on loopback, and use it.")

/** The service of commands that have no manifest. */
export const service = {
  baseUrl: serviceAddress("The service; else DUBWRIGHT_BASE_URL, else the bundled one."),
  embedded
}

/** The service that a new manifest names. */
export const namedService = {
  baseUrl: serviceAddress("Name this service in the manifest."),
  embedded: flag("embedded", "Name the bundled service, as without a terminal where --base-url names none.")
}

/** Where results and state lie. */
const folders = {
  out: textOption("out", "DIR", "Where results go; default: out, beside the manifest, or here without one."),
  state: textOption(
    "state",
    "DIR",
    "Where the state file and clips live; default: .dubwright, beside the manifest, or here without one."
  )
}

/** The state folder that is looked at where there is no manifest. */
export const stateHere = textOption(
  "state",
  "DIR",
  "Where the state file and clips live; default: .dubwright, here."
)

const only = textOption("only", "PATTERN", "Only jobs whose id matches this glob.")

export const language = maybe(
  Options.text("language").pipe(
    Options.withPseudoName("TAG"),
    Options.withDescription(
      "Language of jobs that name none: en, pt-BR or French; default: from names like film.vi.srt."
    ),
    Options.mapEffect((found) =>
      Effect.mapError(languageNamed(found), (message) =>
        ValidationError.invalidValue(HelpDoc.p(`--language: ${message}`))
      )
    )
  )
)

/** What jobs take that do not say themselves. */
const casting = {
  bilingual: maybe(
    Options.choice("bilingual", ["first", "second", "all"]).pipe(
      Options.withDescription("Language to speak of a subtitle in two, for jobs that do not choose")
    )
  ),
  voice: maybe(checked("voice", "ID", VoiceId, "a voice id", "Voice of jobs that name none.")),
  provider: maybe(checked("provider", "ID", ProviderId, "a provider id", "Provider of jobs that name none.")),
  model: maybe(checked("model", "ID", ModelId, "a model id", "Model of jobs that name none.")),
  language
}

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
    "Keep clips to which something has happened within this time, such as 30d, 12h or 4w; default: keep none that is not needed."
  )
)

/** What every command on a batch takes. */
export const batch = { baseUrl, embedded, ...folders, only, ...casting }

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

/** What commands take that have something spoken. */
export const speaking = {
  concurrency: integerOption(
    "concurrency",
    "N",
    { min: 1, max: 1000 },
    "Tasks in flight per provider; the manifest's providers.<id>.concurrency is finer."
  ),
  maxCredits: amount("max-credits", "N", "Stop creating tasks before this batch spends more."),
  deadline: timeOfDayFlag(
    "deadline",
    "The next time it is so late, nothing new is started; what is under way is finished."
  ),
  log: textOption(
    "log",
    "FILE",
    "Append what happens to this file; older logs are set aside as FILE.1 to FILE.5."
  ),
  events: flag("events", "Progress on stderr as JSON, one event a line.")
}

const redis = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((text) => URL.canParse(text) && /^rediss?:$/u.test(new URL(text).protocol))
)

const redisWords = "a Redis address such as redis://host:6379"

/** Where a fleet meets. */
export const fleet = {
  fleet: maybe(
    checked(
      "fleet",
      "URL",
      redis,
      redisWords,
      "Hand the work to the workers that meet at this Redis; `dubwright help fleet` tells how."
    )
  ),
  share: textOption(
    "share",
    "DIR",
    "With --fleet: the folder that all its machines mount, for clips and results."
  )
}

/** The same for those that are nothing without a fleet. */
export const ownFleet = {
  fleet: checked("fleet", "URL", redis, redisWords, "The Redis where the fleet meets."),
  share: requiredText("share", "DIR", "The folder that all machines of the fleet mount.")
}

/** The service as a worker reaches it. */
export const workerBaseUrl = serviceAddress(
  "The service as this machine reaches it, else DUBWRIGHT_BASE_URL, else the batch's; the key goes there and nowhere else."
)

const RoleList = Schema.split(",").pipe(Schema.compose(Schema.NonEmptyArray(Schema.Literal(...roles))))

export const workerRoles = Options.map(
  maybe(
    checked(
      "roles",
      "WHAT",
      RoleList,
      `one or both of ${roles.join(", ")}, with a comma between`,
      "What it does: speak, deliver; default: both."
    )
  ),
  (chosen) => chosen ?? roles
)

/** A port; 0 takes a free one. */
export const port = (fallback: number, description: string) =>
  Options.map(integerOption("port", "PORT", { min: 0, max: 65_535 }, description), (port) => port ?? fallback)

const FailOnList = Schema.split(",").pipe(Schema.compose(Schema.Array(Schema.Literal(...failOnNames))))

/** What is held against a plan. */
export const failOn = Options.map(
  maybe(
    checked(
      "fail-on",
      "WHAT",
      FailOnList,
      `one or more of ${failOnNames.join(", ")}, with commas between`,
      "End with code 3 where the plan shows it: overrun (a line will not fit), new (something would be sent), price (a price is not known), balance (the account has too few credits), notice (a script was mended); several with commas."
    )
  ),
  (names) => names ?? []
)

export const data = textOr(
  "data",
  "DIR",
  ".dubwright/service",
  "The service's folder; default: .dubwright/service."
)

/** Manifests, subtitles and texts. */
export const inputs = Args.text({ name: "file" }).pipe(
  Args.withDescription(
    "One manifest (.yaml, .yml, .json), or subtitles and texts (.srt .vtt .sbv .ass .ssa .txt .md, Whisper .json)."
  ),
  Args.atLeast(1)
)

export const manifest = Args.text({ name: "manifest" }).pipe(
  Args.withDescription("A manifest (.yaml, .yml, .json), or the same files that were run."),
  Args.atLeast(1)
)

/** The one manifest of a review. */
export const reviewed = Args.text({ name: "manifest" }).pipe(
  Args.withDescription("A manifest (.yaml, .yml, .json): what is accepted is written beside it."),
  Args.map(Array.of)
)
