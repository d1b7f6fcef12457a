/**
 * The dialect of a service: its paths, the body of a create, and where its answers hold what. Services that share the
 * interface differ in these only.
 *
 * Paths and bodies have placeholders. A value that is only a placeholder keeps its type, and is left out if there is
 * nothing to put in.
 */
import { Predicate, Record, Schema } from "effect"
import { optional } from "./FieldDescription.ts"

/**
 * The fields of an answer, each with its names, the interface's first. A name with dots is a path from the outside.
 * Names are compared by `plainName`: `task_id` is also `taskId` and `TaskID`.
 */
const fieldNames = {
  id: "task_id job_id project_export_id generation_id speech_id id uuid request_id",
  state: "status state task_status job_status phase",
  progress: "progress percent percentage",
  audio:
    "audio_url audio_link audio_uri audio audio_file audio_content audio_base64 audio_data all_audio_urls output_uri output_url output result download_url file_url media_url url uri link",
  srt: "srt_url subtitle_url",
  json: "json_url",
  label: "voice_name",
  text: "text input_text prompt content",
  characters: "characters character_count characters_used text_length",
  cost: "credits credit_cost credits_used cost",
  balance:
    "credits credit_balance ec_remain_credits remaining_credits remain_credits balance remaining credit",
  provider: "provider",
  model: "model_id model",
  voice: "voice_id voice",
  created: "created_at create_time created",
  completed: "completed_at finished_at",
  duration: "duration"
} as const

/** Returns a field's name without its style: in lower case, without _ and -. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/gu, "")

/** A field that answers are read for. */
export type AnswerField = keyof typeof fieldNames

/** The body of a create, or a part of it. */
export const Body = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The interface's paths. */
const paths = {
  create: "/v1/text-to-speech/{voice}",
  task: "/v1/task/{task}",
  tasks: "/v1/tasks",
  remove: "/v1/task/delete",
  voices: "/v1/voices",
  models: "/v1/models",
  providers: "/v1/providers",
  credits: "/v1/credits",
  health: "/v1/health-check"
}

const ofPaths = <A>(value: A) => Record.map(paths, () => value)
const ofFields = <A>(value: A) => Record.map(fieldNames, () => value)

/** A dialect in full. */
export const Dialect = Schema.Struct({
  paths: Schema.Struct(ofPaths(Schema.String)),
  /** How the body of a create is encoded. */
  encoding: Schema.Literal("json", "form"),
  body: Body,
  fields: Schema.Struct(ofFields(Schema.Array(Schema.String))),
  /** Words of a state, in lower case, besides the usual ones. */
  states: Schema.Struct({ done: Schema.Array(Schema.String), failed: Schema.Array(Schema.String) })
})
export type Dialect = typeof Dialect.Type

/** A remote service. */
export interface RemoteService {
  readonly baseUrl: string
  /** Default: the interface's. */
  readonly dialect?: Dialect | undefined
}

/** The interface itself, with the names that its relatives use. */
export const defaultDialect: Dialect = {
  paths,
  encoding: "json",
  body: {
    text: "{text}",
    provider: "{provider}",
    voice_name: "{label}",
    model_id: "{model}",
    with_transcript: "{with_transcript}",
    export_srt: "{export_srt}",
    speed: "{speed}",
    vol: "{vol}",
    pitch: "{pitch}"
  },
  fields: Record.map(fieldNames, (names) => names.split(" ")),
  states: { done: [], failed: [] }
}

const DialectName = Schema.Literal("default", "genmax", "v3")

/** The dialects that have a name. */
const namedDialects: Readonly<Record<typeof DialectName.Type, Dialect>> = {
  default: defaultDialect,
  genmax: {
    ...defaultDialect,
    paths: { ...paths, task: "/v1/history/{task}", tasks: "/v1/history" },
    body: {
      text: "{text}",
      provider: "{provider}",
      voice_name: "{label}",
      model_id: "{model}",
      language_code: "{language}",
      voice_settings: { speed: "{speed}", vol: "{vol}", pitch: "{pitch}" }
    }
  },
  v3: {
    ...defaultDialect,
    paths: { ...paths, create: "/v3/text-to-speech", voices: "/v3/voices" },
    encoding: "form",
    body: {
      text: "{text}",
      voice_id: "{provider}_{voice}",
      speed: "{speed}",
      with_transcript: "{with_transcript}",
      language: "{language}"
    }
  }
}

const path = Schema.String.pipe(
  Schema.pattern(/^\/\S*$/u, { message: () => "expected a path that starts with /, such as /v1/task/{task}" })
)

const Names = Schema.NonEmptyArray(Schema.NonEmptyTrimmedString)

/** What a manifest says of its service's dialect. */
export const DialectSetting = Schema.Union(
  DialectName,
  Schema.Struct({
    like: optional(DialectName, "The dialect that this one differs from; default: default."),
    paths: optional(
      Schema.partial(Schema.Struct(ofPaths(path))),
      "Paths of the service: create, task, tasks, remove, voices, models, providers, credits, health. {voice}, {provider} and {task} are replaced."
    ),
    encoding: optional(Schema.Literal("json", "form"), "How the body of a create is encoded; default json."),
    body: optional(
      Body,
      "The whole body of a create. {text}, {provider}, {voice}, {model}, {label}, {language}, {speed}, {vol}, {pitch}, {with_transcript} and {export_srt} are replaced. A field whose placeholder has no value is left out."
    ),
    fields: optional(
      Schema.partial(Schema.Struct(ofFields(Names))),
      "Names of fields in the service's answers, tried before the usual ones: id, state, progress, audio, srt, json, label, text, characters, cost, balance, provider, model, voice, created, completed, duration. A name with dots is a path, such as job.output.link."
    ),
    states: optional(
      Schema.partial(Schema.Struct({ done: Names, failed: Names })),
      "Words of the service for a task that is done or has failed, besides the usual ones."
    )
  })
)
export type DialectSetting = typeof DialectSetting.Type

/** Returns the dialect that a manifest's settings describe. `body` is added to the body of each create. */
export const dialectOf = (
  setting: DialectSetting = {},
  body: Readonly<Record<string, unknown>> = {}
): Dialect => {
  const own: Exclude<DialectSetting, string> = typeof setting === "string" ? { like: setting } : setting
  const base = namedDialects[own.like ?? "default"]
  return {
    paths: Record.map(base.paths, (path, name) => own.paths?.[name] ?? path),
    encoding: own.encoding ?? base.encoding,
    body: { ...(own.body ?? base.body), ...body },
    fields: Record.map(base.fields, (names, field) => [...(own.fields?.[field] ?? []), ...names]),
    states: Record.map(base.states, (words, state) => [...words, ...(own.states?.[state] ?? [])])
  }
}

/** Fills a template. Returns undefined for a value whose placeholders have no value. */
export const fillTemplate = (
  template: unknown,
  values: Readonly<Record<string, string | number | boolean | undefined>>
): unknown => {
  if (typeof template === "string") {
    const named = new Map(Object.entries(values))
    // Every second part is the name of a placeholder.
    const parts = template.split(/\{(\w+)\}/u).map((part, at) => (at % 2 === 0 ? part : named.get(part)))
    const isOnlyPlaceholder = parts.length === 3 && parts[0] === "" && parts[2] === ""
    return isOnlyPlaceholder ? parts[1] : parts.includes(undefined) ? undefined : parts.join("")
  }
  if (Array.isArray(template))
    return template.map((one) => fillTemplate(one, values)).filter(Predicate.isNotUndefined)
  if (!Predicate.isRecord(template)) return template
  const fields = Record.map(template, (one) => fillTemplate(one, values))
  const filled = Record.filter(fields, Predicate.isNotUndefined)
  return Record.isEmptyRecord(filled) && !Record.isEmptyRecord(template) ? undefined : filled
}
