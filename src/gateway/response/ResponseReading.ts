/**
 * Reads a service's answers by its dialect. The interface does not define envelopes and most field names: fields may be
 * at the top level or inside envelopes, and lists may be bare or named. Missing values become "" for text, 0 for counts
 * and -1 for credits.
 */
import { Predicate } from "effect"
import type { Credits, Health } from "../../contract/Account.ts"
import type { Model, Provider, Voice } from "../../contract/ProviderCatalogue.ts"
import type { Task, TaskStatus } from "../../contract/Task.ts"
import {
  type AnswerField,
  type Dialect,
  defaultDialect,
  plainName
} from "../../domain/manifest/ServiceDialect.ts"
import { controlNames } from "../../domain/speech/Casting.ts"
import type { StatedRules } from "../../domain/speech/ProviderProfile.ts"

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Placeholder for credits that the service does not report. */
export const unsaid = -1

/** Returns a JSON object, or undefined. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  Predicate.isRecord(value) ? value : undefined

/** Objects that hold the fields of an answer, in order. */
const envelopes = "data task job result results output response payload item metadata".split(" ")

/** Returns the objects that may hold a field: the response itself and its envelopes, outer ones first. */
const layersOf = (value: unknown, depth = 3): ReadonlyArray<Fields> => {
  const top = fieldsOf(Array.isArray(value) && value.length === 1 ? value[0] : value)
  if (top === undefined) return []
  return depth === 0 ? [top] : [top, ...envelopes.flatMap((name) => layersOf(valueIn(top, name), depth - 1))]
}

/** Returns the first non-empty value under any of these names. A name with dots is a path. */
const pickField = (layers: ReadonlyArray<Fields>, names: ReadonlyArray<string>): unknown => {
  for (const name of names)
    for (const layer of layers) {
      const value = name
        .split(".")
        .reduce((inner: unknown, part) => valueIn(fieldsOf(inner) ?? {}, part), layer)
      if (value !== undefined && value !== null && value !== "") return value
    }
  return undefined
}

/** Returns the value of a field, whatever the style of its name. */
const valueIn = (layer: Fields, name: string): unknown => {
  if (Object.hasOwn(layer, name)) return layer[name]
  const own = ownNames(layer).get(plainName(name))
  return own === undefined ? undefined : layer[own]
}

/** The fields of an answer's objects by their plain names: each object is asked for many fields. */
const namesOfLayers = new WeakMap<Fields, ReadonlyMap<string, string>>()

const ownNames = (layer: Fields): ReadonlyMap<string, string> => {
  const keys = () => Object.keys(layer).reverse()
  // Of several names that are alike, the first counts.
  const names = namesOfLayers.get(layer) ?? new Map(keys().map((name) => [plainName(name), name]))
  namesOfLayers.set(layer, names)
  return names
}

/** Returns text, or a number as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** Returns a finite number, also from text, which may have separators of thousands. */
export const finiteNumber = (value: unknown): number | undefined => {
  const read =
    typeof value === "string" && /^\s*[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?\s*$/iu.test(value)
      ? value.trim() === ""
        ? undefined
        : Number(value.replaceAll(",", ""))
      : value
  return typeof read === "number" && Number.isFinite(read) ? read : undefined
}

/** Returns a non-negative integer; 0 if there is none. */
const countIn = (value: unknown): number => Math.max(0, Math.round(finiteNumber(value) ?? 0))

const failedWords = /fail|error|cancel|expire|abort|reject|timed?.?out/iu
const waitingWords = /^(queued|pending|waiting|created|submitted|scheduled)$/iu
const doneWords = /^(done|complete[d]?|succeed(ed)?|success(ful)?|finish(ed)?|ready)$/iu

/** Whether a state's word says that a task is done. */
export const isDoneWord = (word: string, { states }: Dialect): boolean =>
  doneWords.test(word) || states.done.includes(word.toLowerCase())

/** A task whose id may be missing. Besides the contract's fields, those that recognize it in a history. */
export interface ReadTask extends Omit<Task, "task_id"> {
  readonly task_id: string | undefined
  /** The text, or its beginning, if the service repeats it. */
  readonly text: string | undefined
  /** The names of its fields, if it is done and none of them holds an address of its audio. */
  readonly silent: string | undefined
}

/** Reads a task. `id` is the requested id, for responses that do not repeat it. */
export const taskOf = (value: unknown, id?: string, dialect: Dialect = defaultDialect): ReadTask => {
  const layers = layersOf(value)
  const field = (name: AnswerField) => pickField(layers, dialect.fields[name])
  const word = stateOf(layers, dialect)
  const hasFailed = failedWords.test(word) || dialect.states.failed.includes(word.toLowerCase())
  const progress = Number.parseFloat(textOf(field("progress")) ?? "")
  const saysDone = isDoneWord(word, dialect) || (word === "" && progress >= 100)
  const audio = addressOf(
    layers,
    dialect,
    saysDone || progress >= 100 ? "any" : word === "" ? "audio" : "own"
  )
  const status: TaskStatus = hasFailed
    ? "failed"
    : audio !== undefined
      ? "done"
      : waitingWords.test(word)
        ? "queued"
        : "processing"
  return {
    task_id: id !== undefined && namesId(layers, dialect, id) ? id : (idIn(value, dialect) ?? id),
    status,
    provider: textOf(field("provider")) ?? "",
    model_id: textOf(field("model")) ?? "",
    voice_id: textOf(field("voice")) ?? "",
    voice_name: labelIn(layers, dialect),
    characters: countIn(field("characters")),
    credits: finiteNumber(field("cost")) ?? unsaid,
    created_at: textOf(field("created")) ?? "",
    completed_at: textOf(field("completed")),
    duration: finiteNumber(field("duration")),
    audio_url: audio,
    srt_url: textOf(field("srt")),
    json_url: textOf(field("json")),
    engine: textOf(pickField(layers, ["engine"]))?.slice(0, 80),
    text: textOf(field("text")),
    silent:
      status !== "failed" && audio === undefined && (saysDone || progress >= 100)
        ? layers.flatMap((layer) => Object.keys(layer)).join(", ")
        : undefined,
    error:
      status === "failed"
        ? {
            code: textOf(fieldsOf(pickField(layers, ["error"]))?.["code"]) ?? "failed",
            message: wordsIn([...layers].reverse()) ?? "no reason given"
          }
        : undefined
  }
}

/**
 * Reads the id of the task that an answer is about: a UUID by the interface, but any text or number is accepted. An
 * outer `id` may be the request's; the task's own is deeper.
 */
export const idIn = (value: unknown, dialect: Dialect = defaultDialect): string | undefined => {
  const id = textOf(pickField([...layersOf(value)].reverse(), dialect.fields.id))?.trim()
  return id === "" ? undefined : id
}

const namesId = (layers: ReadonlyArray<Fields>, dialect: Dialect, id: string): boolean =>
  layers.some((layer) => dialect.fields.id.some((name) => textOf(pickField([layer], [name])) === id))

/** Reads one field of an answer as text. */
export const fieldIn = (value: unknown, field: AnswerField, { fields }: Dialect): string | undefined =>
  textOf(pickField(layersOf(value), fields[field]))

/** Reads the word of a task's state; empty if it has none. */
export const stateIn = (value: unknown, dialect: Dialect): string => stateOf(layersOf(value), dialect)

/** Returns the word of the task's state. An outer word of success is that of the request, as is a number. */
const stateOf = (layers: ReadonlyArray<Fields>, { fields, states }: Dialect): string => {
  const own: ReadonlyArray<string> = [...states.done, ...states.failed]
  const words = layers.map((layer) => {
    const word = textOf(pickField([layer], fields.state)) ?? ""
    return /^-?\d+$/u.test(word) && !own.includes(word) ? "" : word
  })
  const inner = words.slice(1).find((word) => word !== "")
  if (inner !== undefined) return inner
  const [outer = ""] = words
  const isOfRequest = layers.slice(1).some((layer) => pickField([layer], fields.id) !== undefined)
  return isOfRequest && !failedWords.test(outer) && doneWords.test(outer) ? "" : outer
}

/**
 * Returns the address of a task's audio. Until the task is done, only names with "audio" count, or only the
 * interface's own name.
 */
const addressOf = (
  layers: ReadonlyArray<Fields>,
  dialect: Dialect,
  names: "own" | "audio" | "any"
): string | undefined => {
  const all = dialect.fields.audio
  const stated = textOf(pickField(layers, all.slice(0, 1)))
  if (stated !== undefined) return stated
  const some = names === "any" ? all : names === "audio" ? all.filter((name) => /audio/iu.test(name)) : []
  for (const name of some)
    for (const layer of layers) {
      const address = firstAddress(pickField([layer], [name]), dialect)
      if (address !== undefined) return address
    }
  return undefined
}

const firstAddress = (value: unknown, dialect: Dialect, depth = 4): string | undefined => {
  if (typeof value === "string")
    return /^(https?:\/\/|\/)\S+$/iu.test(value.trim()) ? value.trim() : undefined
  if (!Array.isArray(value) || depth === 0) return undefined
  for (const one of value) {
    const fields = fieldsOf(one)
    const inner = fields === undefined ? one : pickField([fields], dialect.fields.audio)
    const address = firstAddress(inner, dialect, depth - 1)
    if (address !== undefined) return address
  }
  return undefined
}

/** Returns the label: under its name, or any text that has the marker of a task of ours. */
const labelIn = (layers: ReadonlyArray<Fields>, dialect: Dialect): string | undefined => {
  const label = textOf(pickField(layers, dialect.fields.label))
  if (label !== undefined && marker.test(label)) return label
  const marked = layers
    .flatMap((layer) => Object.values(layer))
    .find((value) => typeof value === "string" && value.length <= maxLabel && marker.test(value))
  return textOf(marked) ?? label
}

const marker = /\bdw-[0-9a-f]{12}/u
const maxLabel = 300

/** Returns the entries of a list, bare or named, at the top level or in an envelope; empty if there is none. */
const listIn = (value: unknown, name: string): ReadonlyArray<unknown> => foundList(value, name) ?? []

/** Returns the entries of a list; undefined if there is none. */
export const foundList = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  const layers = layersOf(value)
  const under = [name, "data", "items", "results", "records", "list"]
  for (const key of under) for (const layer of layers) if (Array.isArray(layer[key])) return layer[key]
  for (const layer of layers) for (const entry of Object.values(layer)) if (Array.isArray(entry)) return entry
  // Some services omit an empty list.
  return finiteNumber(pickField(layers, ["total"])) === 0 || layers.some((layer) => layer[name] === null)
    ? []
    : undefined
}

/** The place of a page in its list. */
export interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly has_more: boolean
}

/** Reads paging. If the service does not report whether more pages follow, they do until a page is empty or repeats. */
const pagingOf = (value: unknown, entries: number): Paging => {
  const layers = layersOf(value)
  const more = pickField(layers, ["has_more"])
  const total = pickField(layers, ["total"])
  return {
    page: countIn(pickField(layers, ["page"])),
    limit: countIn(pickField(layers, ["limit", "page_size"])),
    total: finiteNumber(total) === undefined ? entries : countIn(total),
    has_more: typeof more === "boolean" ? more : entries > 0
  }
}

/** A task of the history. */
export type ListedTask = ReadTask & { readonly task_id: string }

/** A page of the history. */
export interface ReadTaskPage extends Paging {
  readonly tasks: ReadonlyArray<ListedTask>
  /** Entries whose id cannot be read: they may be any task. */
  readonly unread: number
  /** Whether it names a next page, or more tasks than it lists. */
  readonly namesMore: boolean
}

const nextNames = ["next", "next_cursor", "next_page", "next_page_token", "next_token", "next_url"]

/** Reads a page of the history; undefined if the answer has no list, which is not an empty history. */
export const taskPageOf = (value: unknown, dialect: Dialect = defaultDialect): ReadTaskPage | undefined => {
  const entries = foundList(value, "tasks")?.map((entry) => taskOf(entry, undefined, dialect))
  if (entries === undefined) return undefined
  const tasks = entries.filter((task): task is ListedTask => task.task_id !== undefined)
  const paging = pagingOf(value, entries.length)
  const pagers = [value, fieldsOf(value)?.["meta"], fieldsOf(value)?.["links"]].flatMap((one) =>
    layersOf(one)
  )
  const namesMore = paging.total > entries.length || pickField(pagers, nextNames) !== undefined
  return { tasks, unread: entries.length - tasks.length, namesMore, ...paging }
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap((entry) => textOf(entry) ?? []) : [textOf(value) ?? []].flat()

/** Reads a page of voices. */
export const voicePageOf = (value: unknown): Paging & { readonly voices: ReadonlyArray<Voice> } => {
  const voices = listIn(value, "voices").flatMap((entry): ReadonlyArray<Voice> => {
    const layers = layersOf(entry)
    const id = textOf(pickField(layers, ["voice_id", "id"]))
    const gender = textOf(pickField(layers, ["gender"]))?.toLowerCase()
    if (id === undefined) return []
    return [
      {
        voice_id: id,
        name: textOf(pickField(layers, ["name", "voice_name", "display_name"])) ?? id,
        provider: textOf(pickField(layers, ["provider"])) ?? "",
        languages: strings(pickField(layers, ["languages", "language"])),
        ...(gender === "female" || gender === "male" || gender === "neutral" ? { gender } : {}),
        description: textOf(pickField(layers, ["description"])) ?? ""
      }
    ]
  })
  return { voices, ...pagingOf(value, voices.length) }
}

/** Reads the list of models. */
export const modelListOf = (value: unknown): { readonly models: ReadonlyArray<Model> } => ({
  models: listIn(value, "models").flatMap((entry): ReadonlyArray<Model> => {
    const layers = layersOf(entry)
    const id = textOf(entry) ?? textOf(pickField(layers, ["model_id", "id"]))
    if (id === undefined) return []
    return [
      {
        model_id: id,
        name: textOf(pickField(layers, ["name", "display_name"])) ?? id,
        provider: textOf(pickField(layers, ["provider"])) ?? "",
        description: textOf(pickField(layers, ["description"])) ?? "",
        languages: strings(pickField(layers, ["languages", "language"])),
        credits_per_character: finiteNumber(pickField(layers, ["credits_per_character"])) ?? unsaid
      }
    ]
  })
})

/** What a service says of its providers. */
export interface ReadProviders {
  readonly providers: ReadonlyArray<{
    /** In the contract's shape. */
    readonly listed: Provider
    readonly rules: StatedRules
  }>
  /** Values that cannot be meant: provider, field and value. */
  readonly ignored: ReadonlyArray<string>
}

/** Reads the list of providers. */
export const providersOf = (value: unknown): ReadProviders => {
  const ignored: Array<string> = []
  const providers = listIn(value, "providers").flatMap((entry): ReadProviders["providers"] => {
    const layers = layersOf(entry)
    const id = textOf(entry) ?? textOf(pickField(layers, ["provider", "provider_id", "id", "name"]))
    if (id === undefined) return []
    const places = [fieldsOf(pickField(layers, ["features"])) ?? {}, ...layers]
    const ignore = (field: string, given: unknown) =>
      ignored.push(`${id.slice(0, 60)} ${field} ${(JSON.stringify(given) ?? "").slice(0, 60)}`)
    const stated = <A>(field: string, read: (given: unknown) => A | undefined): A | undefined => {
      const given = pickField(places, [field])
      const known = given === undefined ? undefined : read(given)
      if (given !== undefined && known === undefined) ignore(field, given)
      return known
    }
    const min = stated("min_characters", (given) => wholeNumber(given, 0))
    const max = stated("max_characters", (given) => wholeNumber(given, leastMaximum))
    const isContrary = min !== undefined && max !== undefined && min > max
    if (isContrary) ignore("min_characters above max_characters", [min, max])
    const srtInput = stated("srt_input", (given) => (typeof given === "boolean" ? given : undefined))
    const transcript = stated("transcript", (given) => transcripts.find((known) => known === given))
    const controls = stated("controls", rangesIn)
    const price = stated("credits_per_character", (given) => {
      const credits = finiteNumber(given)
      return credits === undefined || credits < 0 ? undefined : credits
    })
    const listed: Provider = {
      provider: id,
      name: textOf(pickField(layers, ["name", "display_name"])) ?? id,
      description: textOf(pickField(layers, ["description"])) ?? "",
      available: pickField(layers, ["available", "enabled"]) !== false,
      default_model_id: textOf(pickField(layers, ["default_model_id", "default_model"])) ?? "",
      features: {
        transcript: transcript ?? "none",
        srt_input: srtInput ?? false,
        min_characters: min ?? 0,
        max_characters: max ?? 0,
        controls: controls ?? {}
      }
    }
    const rules: StatedRules = {
      ...(min === undefined || isContrary ? {} : { minChars: min }),
      ...(max === undefined || isContrary ? {} : { maxChars: max }),
      ...(srtInput === undefined ? {} : { srtInput }),
      ...(transcript === undefined ? {} : { transcript }),
      ...(controls === undefined ? {} : { controls }),
      ...(price === undefined ? {} : { prices: { "*": price } })
    }
    return [{ listed, rules }]
  })
  return { providers, ignored }
}

/** A maximum below this many characters is not meant: a sentence would not fit. */
const leastMaximum = 20

const transcripts = ["none", "with_transcript", "export_srt"] as const

const wholeNumber = (value: unknown, least: number): number | undefined => {
  const read = finiteNumber(value)
  return read !== undefined && Number.isSafeInteger(read) && read >= least ? read : undefined
}

/** Reads the ranges of controls; undefined if one is none. */
const rangesIn = (value: unknown): Provider["features"]["controls"] | undefined => {
  const fields = fieldsOf(value)
  const named = controlNames.filter((name) => fields?.[name] !== undefined && fields[name] !== null)
  const ranges = named.flatMap((name) => {
    const range = fieldsOf(fields?.[name])
    const [min, max, usual] = [range?.["min"], range?.["max"], range?.["default"]].map(finiteNumber)
    if (min === undefined || max === undefined || min > max) return []
    return [[name, { min, max, default: usual ?? (name === "pitch" ? 0 : 1) }] as const]
  })
  return fields === undefined || ranges.length < named.length ? undefined : Object.fromEntries(ranges)
}

/** Reads the account's credits. Credits bought in packs are added up. */
export const creditsOf = (value: unknown, dialect: Dialect = defaultDialect): Credits => {
  const layers = layersOf(value)
  const names = dialect.fields.balance
  const held = pickField(layers, names)
  const packs = Array.isArray(value) ? value : Array.isArray(held) ? held : listIn(value, "credits")
  const amounts = packs.flatMap((pack) => {
    const fields = fieldsOf(pack)
    return fields === undefined ? [] : (finiteNumber(pickField([fields], ["amount", ...names])) ?? [])
  })
  const left =
    finiteNumber(value) ??
    finiteNumber(held) ??
    (amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0))
  return {
    ...(left === undefined ? {} : { credits: left }),
    unlimited: pickField(layers, ["unlimited"]) === true,
    used: finiteNumber(pickField(layers, ["used", "used_credits"])) ?? unsaid,
    reserved: finiteNumber(pickField(layers, ["reserved"])) ?? unsaid
  }
}

/** Reads the service's health. Any response counts as healthy unless its status says otherwise. */
export const healthOf = (value: unknown): Health => {
  const layers = layersOf(value)
  const word = textOf(pickField(layers, ["status"])) ?? ""
  const queue = fieldsOf(pickField(layers, ["queue"])) ?? {}
  const disk = fieldsOf(pickField(layers, ["disk"])) ?? {}
  const events = textOf(fieldsOf(pickField(layers, ["events"]))?.["path"])
  const retention = finiteNumber(fieldsOf(pickField(layers, ["idempotency"]))?.["retention_seconds"])
  return {
    status: word === "draining" ? word : /degrad|down|unhealthy|fail|error/iu.test(word) ? "degraded" : "ok",
    version: textOf(pickField(layers, ["version"])) ?? "",
    providers: listIn(pickField(layers, ["providers"]), "providers").flatMap((entry) => {
      const provider = fieldsOf(entry)
      const id = textOf(provider?.["provider"])
      if (id === undefined || provider === undefined) return []
      const reason = textOf(provider["reason"])
      return [
        { provider: id, ready: provider["ready"] !== false, ...(reason === undefined ? {} : { reason }) }
      ]
    }),
    ...(retention === undefined ? {} : { idempotency: { retention_seconds: Math.floor(retention) } }),
    ...(events === undefined ? {} : { events: { path: events } }),
    disk: { free_bytes: finiteNumber(disk["free_bytes"]) ?? unsaid, writable: disk["writable"] !== false },
    queue: {
      queued: countIn(queue["queued"]),
      processing: countIn(queue["processing"]),
      limit: countIn(queue["limit"])
    }
  }
}

/** Returns a response's message, from any of the usual fields of a few levels; undefined if there is none. */
export const wordsIn = (value: unknown, levels = 8): string | undefined => {
  if (typeof value === "string") return value.trim() === "" ? undefined : value
  if (levels === 0) return undefined
  if (Array.isArray(value))
    return value.map((one) => wordsIn(one, levels - 1)).find((words) => words !== undefined)
  for (const layer of layersOf(value, 1))
    for (const name of ["message", "error_message", "detail", "error", "errors", "reason", "msg", "title"]) {
      const words = wordsIn(layer[name], levels - 1)
      if (words !== undefined) return words
    }
  return undefined
}

/** Names of ids that are a request's as often as a task's. */
const ambiguous = new Set(["id", "uuid", "request_id"])

/** Returns whether a response is about a task: it has its id, an audio URL, or an envelope with an id or a state. */
export const isOfTask = (value: unknown, dialect: Dialect = defaultDialect): boolean => {
  const certain = [...dialect.fields.id.filter((name) => !ambiguous.has(name)), "audio_url"]
  const [, ...inner] = layersOf(value)
  const metadata = fieldsOf(fieldsOf(value)?.["metadata"])
  return (
    pickField(layersOf(value), certain) !== undefined ||
    inner.some(
      (layer) => layer !== metadata && pickField([layer], ["id", ...dialect.fields.state]) !== undefined
    )
  )
}

/** Returns whether a response has a status or a list. */
export const hasMoreDetail = (value: unknown): boolean =>
  layersOf(value).some(
    (layer) =>
      pickField([layer], ["status", "state"]) !== undefined || Object.values(layer).some(Array.isArray)
  )
