/**
 * Reads a service's answers by its dialect. The interface does not define envelopes and most field names: fields may be
 * at the top level or inside envelopes, and lists may be bare or named. Missing values become "" for text, 0 for counts
 * and -1 for credits.
 */
import { Array as List, Either, Order, Predicate, Schema } from "effect"
import type { Credits, Health } from "../../contract/Account.ts"
import type { Model, Provider, Voice } from "../../contract/ProviderCatalogue.ts"
import type { TaskStatus } from "../../contract/Task.ts"
import {
  type AnswerField,
  type Dialect,
  defaultDialect,
  plainName
} from "../../domain/manifest/ServiceDialect.ts"
import { controlNames, neutralControls } from "../../domain/speech/Casting.ts"
import { StatedRules } from "../../domain/speech/ProviderProfile.ts"

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns a JSON object, or undefined. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  Predicate.isRecord(value) ? value : undefined

/** Returns text, or a number as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** Returns the objects of an answer, outer ones first. */
export const objectsIn = (value: unknown, depth = 4): ReadonlyArray<Fields> => {
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => objectsIn(one, depth - 1))
  const fields = fieldsOf(value)
  return fields === undefined
    ? []
    : [fields, ...Object.values(fields).flatMap((one) => objectsIn(one, depth - 1))]
}

/** A text or number of an answer. `[]` in its path marks a list. */
export interface Leaf {
  readonly path: string
  readonly value: string
}

/** Returns the texts and numbers of an answer. */
export const leavesOf = (value: unknown, path = "", depth = 8): ReadonlyArray<Leaf> => {
  const text = textOf(value)?.trim() ?? ""
  if (text !== "") return [{ path, value: text }]
  if (depth === 0) return []
  if (Array.isArray(value)) return value.slice(0, 50).flatMap((one) => leavesOf(one, `${path}[]`, depth - 1))
  return Object.entries(fieldsOf(value) ?? {}).flatMap(([name, one]) =>
    leavesOf(one, path === "" ? name : `${path}.${name}`, depth - 1)
  )
}

/** Returns the names of an answer's fields, for display. */
export const namesIn = (value: unknown): string =>
  leavesOf(value)
    .map(({ path }) => path)
    .join(", ")

/** Returns the only value of an answer that is named as an id, or that is a UUID in place of the task. */
export const onlyId = (answer: unknown): string | undefined => {
  const values = leavesOf(answer).flatMap(({ path, value }) =>
    !/\s/u.test(value) &&
    !isNamed(path, notIds) &&
    (isNamed(path, plainIds) || (isUuid.test(value) && /^(|task|job|data|result|response)$/iu.test(path)))
      ? [value]
      : []
  )
  return new Set(values).size === 1 ? values[0] : undefined
}

/** Returns what may be the address of the task's audio, the likeliest first. */
export const audioGuesses = (look: unknown, id: string): ReadonlyArray<Leaf> =>
  likeliest(
    leavesOf(look).filter(
      ({ path, value }) =>
        (isAddress(value) || isSoundFile(value)) &&
        !isNamed(path, notAudio) &&
        !/\.(srt|vtt|json|txt|html?|png|jpe?g|webp)(\?|$)/iu.test(value) &&
        !value.endsWith(`/${encodeURIComponent(id)}`)
    ),
    ({ path, value }) => 1 + (isSoundFile(value) ? 2 : 0) + (isNamed(path, sounds) ? 1 : 0)
  )

/** Leaves with a score, the highest first; those without are left out. */
export const likeliest = (leaves: ReadonlyArray<Leaf>, score: (leaf: Leaf) => number): ReadonlyArray<Leaf> =>
  List.sortBy(Order.reverse(Order.mapInput(Order.number, score)))(leaves.filter((leaf) => score(leaf) > 0))

/** Whether the last name of a path has one of these words. */
export const isNamed = (path: string, names: RegExp): boolean =>
  (path.split(".").at(-1) ?? "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}]+/u)
    .some((word) => names.test(word))

export const isUuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu
/** Whether a text is an address, as a URL or as a path. */
export const isAddress = (value: string): boolean => /^((https?:)?\/\/|\/)\S+$|^data:/iu.test(value)
export const isSoundFile = (value: string): boolean =>
  /^\S+\.(mp3|wav|ogg|opus|m4a|aac|flac|webm)(\?\S*)?$|^data:audio/iu.test(value)

const plainIds = /^(ids?|uid|uuid|guid)$/iu
export const notIds =
  /^(trace|correlation|request|user|account|client|team|org|project|workspace|parent|voice|speaker|style|model|provider|session|status|state|time|date|at|credits?|cost|characters|count|code|version|message|position|eta)$/iu
const sounds = /^(audio|sound|speech|file|url|link|download|output|result|media|mp3|wav)$/iu
const notAudio =
  /^(preview|sample|self|status|poll|cancel|callback|webhook|avatar|image|cover|srt|json|subtitles?)$/iu

/** Placeholder for credits that the service does not report. */
export const unsaid = -1

/** Objects that hold the fields of an answer, in order. */
const envelopes = "data task job result results output response payload item metadata".split(" ")

/** Returns the objects that may hold a field: the response itself and its envelopes, outer ones first. */
const layersOf = (value: unknown, depth = 3): ReadonlyArray<Fields> => {
  const top = fieldsOf(Array.isArray(value) && value.length === 1 ? value[0] : value)
  if (top === undefined) return []
  return depth === 0 ? [top] : [top, ...envelopes.flatMap((name) => layersOf(valueIn(top, name), depth - 1))]
}

/** Objects of an answer that tell of something else than the task. */
const asides = new Set(
  "error errors warnings filters tags voice model user account owner request input config settings usage links _links urls meta".split(
    " "
  )
)

/** Returns the objects that may hold a field of the task: those in known envelopes, and all, the known ones first. */
const placesOf = (value: unknown) => {
  const known = layersOf(value)
  const others = known.flatMap((layer) =>
    Object.entries(layer).flatMap(([name, one]) => (asides.has(name.toLowerCase()) ? [] : objectsIn(one)))
  )
  return { known, all: Array.from(new Set([...known, ...others])) }
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
  let values = plainLayers.get(layer)
  if (values === undefined) {
    // Of several names that are alike, the first counts.
    const entries = Object.entries(layer).reverse()
    values = new Map(entries.map(([own, value]) => [plainName(own), value]))
    plainLayers.set(layer, values)
  }
  return values.get(plainName(name))
}

/** The fields of an answer's objects by their plain names: each object is asked for many fields. */
const plainLayers = new WeakMap<Fields, ReadonlyMap<string, unknown>>()

/** Returns a finite number, also from text, which may have separators of thousands. */
export const finiteNumber = (value: unknown): number | undefined => {
  const isNumeral =
    typeof value === "string" &&
    /^\s*[-+]?(?=\.?\d)(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?\s*$/iu.test(value)
  const read = isNumeral ? Number(value.replaceAll(",", "")) : value
  return typeof read === "number" && Number.isFinite(read) ? read : undefined
}

/** Returns a non-negative integer; 0 if there is none. */
const countIn = (value: unknown): number => Math.max(0, Math.round(finiteNumber(value) ?? 0))

const failedWords = /^(?!.*retry).*(fail|error|cancel|expire|abort|reject|timed?.?out)/iu
const waitingWords = /^(queued|pending|waiting|created|submitted|scheduled)$/iu
/** The last word of a state. A word before it may deny it, as in "not ready". */
const doneWords =
  /^(?!.*(^|[^a-z])(not|un|in|partial(ly)?|almost)[^a-z])(.*[^a-z])?(done|completed?|succe(ed(ed)?|ss(ful)?)|finish(ed)?|ready|generated|rendered|processed|synthesi[sz]ed|available|ended)[^a-z]*$/iu
/** States of a task that is not done, whatever address its answer has. */
const busyWords =
  /queue|pend|wait|process(?!ed)|running|progress|start|generat(?!ed)|render(?!ed)|doing|creat|submit|schedul|init|prepar|work|(^|[^a-z])(not|in)[^a-z]/iu

/** Whether a state's word says that a task is done. */
export const isDoneWord = (word: string, { states }: Dialect): boolean =>
  doneWords.test(word) || states.done.includes(word.toLowerCase())

export type ReadTask = ReturnType<typeof taskOf>

/**
 * Reads a task, whose id may be missing: the contract's fields, and what polls and searches need. `id` is the requested
 * id, for responses that do not repeat it.
 */
export const taskOf = (answer: unknown, id?: string, dialect: Dialect = defaultDialect) => {
  const value = id === undefined ? answer : entryOf(answer, id, dialect)
  const places = placesOf(value)
  const layers = places.all
  const field = (name: AnswerField) => pickField(layers, dialect.fields[name])
  const word = stateIn(value, dialect, places)
  const hasFailed = failedWords.test(word) || dialect.states.failed.includes(word.toLowerCase())
  const progress = Number.parseFloat(textOf(field("progress")) ?? "")
  const saysDone = isDoneWord(word, dialect) || progress >= 100
  const names = saysDone ? "any" : busyWords.test(word) ? "own" : "audio"
  const audio = addressOf(value, layers, dialect, names, id)
  const pending = waitingWords.test(word) ? "queued" : "processing"
  const status: TaskStatus = hasFailed ? "failed" : audio === undefined ? pending : "done"
  return {
    task_id: id !== undefined && namesId(layers, dialect, id) ? id : (idIn(value, dialect, places) ?? id),
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
    /** The text, or its beginning, if the service repeats it. */
    text: textOf(field("text")),
    /** The names of its fields, if it is done and none of them holds an address of its audio. */
    silent: !hasFailed && audio === undefined && saysDone ? namesIn(answer) : undefined,
    /** What a poll's answer says of the state: a word, a reason, or the names of its fields. */
    seen: id === undefined ? "" : word || (wordsIn(answer) ?? namesIn(answer)),
    error: hasFailed ? errorIn(layers) : undefined
  }
}

const errorIn = (layers: ReadonlyArray<Fields>) => ({
  code: textOf(fieldsOf(pickField(layers, ["error"]))?.["code"]) ?? "failed",
  message: wordsIn([...layers].reverse()) ?? "no reason given"
})

/** Returns the entry with an id, if an answer is a list, or a map by id, of several tasks. */
const entryOf = (value: unknown, id: string, dialect: Dialect): unknown => {
  const entries = foundList(value, "tasks") ?? []
  const own = entries.find((entry) => namesId(layersOf(entry), dialect, id))
  return objectsIn(value).find((fields) => fieldsOf(fields[id]) !== undefined)?.[id] ?? own ?? value
}

/**
 * Reads the id of the task that an answer is about: a UUID by the interface, but any text or number is accepted. An
 * outer `id` may be the request's; the task's own is deeper. Without a known name, the only value that can be an id is.
 */
export const idIn = (
  value: unknown,
  { fields }: Dialect = defaultDialect,
  { known, all } = placesOf(value)
): string | undefined => {
  const id = textOf(pickField([...known].reverse(), fields.id) ?? pickField(all, fields.id))?.trim()
  return id === undefined || id === "" ? onlyId(value) : id
}

const namesId = (layers: ReadonlyArray<Fields>, dialect: Dialect, id: string): boolean =>
  layers.some((layer) => dialect.fields.id.some((name) => textOf(pickField([layer], [name])) === id))

/** Reads one field of an answer as text. */
export const fieldIn = (value: unknown, field: AnswerField, { fields }: Dialect): string | undefined =>
  textOf(pickField(layersOf(value), fields[field]))

/** Fields that are true of a task that is done. */
const doneFlags = "done completed finished ready is_done is_completed is_finished is_ready".split(" ")

/**
 * Reads the word of a task's state; empty if it has none. An outer word of success is that of the request, as is a
 * number.
 */
export const stateIn = (
  value: unknown,
  { fields, states }: Dialect,
  { known, all } = placesOf(value)
): string => {
  const own: ReadonlyArray<string> = [...states.done, ...states.failed]
  const wordOf = (layer: Fields) => {
    const word = textOf(pickField([layer], fields.state)) ?? ""
    return /^-?\d+$/u.test(word) && !own.includes(word) ? "" : word
  }
  const [top, ...inner] = known
  const isOfRequest = inner.some((layer) => pickField([layer], fields.id) !== undefined)
  const outer = top === undefined ? "" : wordOf(top)
  const words = [
    ...inner.map(wordOf),
    isOfRequest && !failedWords.test(outer) && doneWords.test(outer) ? "" : outer,
    ...all.slice(known.length).map(wordOf),
    doneFlags.some((name) => pickField(all, [name]) === true) ? "done" : ""
  ]
  return words.find((word) => word !== "") ?? ""
}

/**
 * Returns the address of a task's audio. Of a task that is done, any address counts that is named so or that is the
 * only one of a sound file. Of one whose state is unknown, only a sound file or a name with "audio" counts. Until it is
 * done, only the interface's own name does.
 */
const addressOf = (
  value: unknown,
  layers: ReadonlyArray<Fields>,
  dialect: Dialect,
  names: "own" | "audio" | "any",
  id = ""
): string | undefined => {
  const [own = "", ...others] = dialect.fields.audio
  const stated = pickField(layers, [own])
  const text = textOf(stated)?.trim() ?? ""
  const isPath =
    /^(\S+|https?:.+)$/iu.test(text) && !busyWords.test(text) && !/^(null|none|false)$/iu.test(text)
  const address = firstAddress(stated, dialect) ?? (isPath ? text : undefined)
  if (address !== undefined || names === "own") return address
  const named = others
    .filter((name) => names === "any" || /audio/iu.test(name))
    .flatMap((name) => layers.flatMap((layer) => firstAddress(pickField([layer], [name]), dialect) ?? []))
  const guesses = audioGuesses(value, id).map((leaf) => leaf.value)
  const only = (some: ReadonlyArray<string>) => (new Set(some).size === 1 ? some : [])
  return [
    ...named.filter(isSoundFile),
    ...only(guesses.filter(isSoundFile)),
    ...named,
    ...(names === "any" ? only(guesses) : [])
  ][0]
}

const firstAddress = (value: unknown, dialect: Dialect, depth = 4): string | undefined => {
  if (typeof value === "string") {
    const address = value.trim()
    if (/^[\w+/]{400,}={0,2}$/u.test(address)) return `data:audio;base64,${address}`
    return isAddress(address) || isSoundFile(address) ? address : undefined
  }
  if (depth === 0) return undefined
  for (const one of Array.isArray(value) ? value : [value]) {
    const fields = fieldsOf(one)
    const inner = fields === undefined ? one : pickField([fields], dialect.fields.audio)
    const address = inner === value ? undefined : firstAddress(inner, dialect, depth - 1)
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

/** Returns the entries of a list, bare or named, at the top level or in an envelope; undefined if there is none. */
export const foundList = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  const layers = layersOf(value)
  const under = [name, "data", "items", "results", "records", "list"]
  for (const key of under) for (const layer of layers) if (Array.isArray(layer[key])) return layer[key]
  for (const layer of placesOf(value).all)
    for (const [key, entry] of Object.entries(layer))
      if (
        Array.isArray(entry) &&
        !asides.has(key.toLowerCase()) &&
        (layers.includes(layer) || entry.length > 0)
      )
        return entry
  const rows = Object.entries(fieldsOf(pickField(layers, [name])) ?? {})
  if (rows.length > 0 && rows.every(([, row]) => fieldsOf(row) !== undefined))
    return rows.map(([id, row]) => ({ id, ...fieldsOf(row) }))
  // Some services omit an empty list.
  return finiteNumber(pickField(layers, ["total"])) === 0 || layers.some((layer) => layer[name] === null)
    ? []
    : undefined
}

const nextNames = "next next_cursor next_page next_page_token next_token next_url end_cursor".split(" ")

/** Reads paging. If the service does not report whether more pages follow, they do until a page is empty or repeats. */
const pagingOf = (value: unknown, entries: number) => {
  const layers = [value, fieldsOf(value)?.["meta"], fieldsOf(value)?.["links"]].flatMap(
    (one) => placesOf(one).all
  )
  const more = pickField(layers, ["has_more", "has_next", "has_next_page"])
  const stated = pickField(layers, ["total", "total_count", "count"])
  const total = finiteNumber(stated) === undefined ? entries : countIn(stated)
  return {
    page: countIn(pickField(layers, ["page"])),
    limit: countIn(pickField(layers, ["limit", "page_size"])),
    total,
    has_more: typeof more === "boolean" ? more : entries > 0,
    /** Whether it names a next page, or more entries than it lists. */
    namesMore: total > entries || pickField(layers, nextNames) !== undefined
  }
}

/** A task of the history. */
export type ListedTask = ReadTask & { readonly task_id: string }

export type ReadTaskPage = NonNullable<ReturnType<typeof taskPageOf>>

/**
 * Reads a page of the history; undefined if the answer has no list, which is not an empty history. Entries whose id
 * cannot be read are `unread`: they may be any task.
 */
export const taskPageOf = (value: unknown, dialect: Dialect = defaultDialect) => {
  const entries = foundList(value, "tasks")?.map((entry) => taskOf(entry, undefined, dialect))
  if (entries === undefined) return undefined
  const tasks = entries.filter((task): task is ListedTask => task.task_id !== undefined)
  return { tasks, unread: entries.length - tasks.length, ...pagingOf(value, entries.length) }
}

/** Returns the entries of a list that have an id, or are one, and a reader of their fields. */
const entriesIn = (value: unknown, list: string, ids: ReadonlyArray<string>) =>
  (foundList(value, list) ?? []).flatMap((entry) => {
    const layers = layersOf(entry)
    const id = textOf(entry) ?? textOf(pickField(layers, ids))
    const field = (...names: ReadonlyArray<string>) => pickField(layers, names)
    const text = (...names: ReadonlyArray<string>) => textOf(pickField(layers, names)) ?? ""
    return id === undefined ? [] : [{ id, layers, field, text }]
  })

const strings = (value: unknown): ReadonlyArray<string> =>
  [value].flat().flatMap((entry) => textOf(entry) ?? [])

/** Reads a page of voices. */
export const voicePageOf = (value: unknown) => {
  const voices = entriesIn(value, "voices", ["voice_id", "id"]).map(({ id, field, text }): Voice => ({
    voice_id: id,
    name: text("name", "voice_name", "display_name") || id,
    provider: text("provider"),
    languages: strings(field("languages", "language")),
    gender: genders.find((gender) => gender === text("gender").toLowerCase()),
    description: text("description")
  }))
  return { voices, ...pagingOf(value, voices.length) }
}

const genders = ["female", "male", "neutral"] as const

/** Reads the list of models. */
export const modelListOf = (value: unknown): { readonly models: ReadonlyArray<Model> } => ({
  models: entriesIn(value, "models", ["model_id", "id"]).map(({ id, field, text }) => ({
    model_id: id,
    name: text("name", "display_name") || id,
    provider: text("provider"),
    description: text("description"),
    languages: strings(field("languages", "language")),
    credits_per_character: finiteNumber(field("credits_per_character")) ?? unsaid
  }))
})

/**
 * Reads the list of providers: each in the contract's shape, and its rules. Values that cannot be meant are `ignored`:
 * provider, field and value.
 */
export const providersOf = (value: unknown) => {
  const ignored: Array<string> = []
  const ids = ["provider", "provider_id", "id", "name"]
  const providers = entriesIn(value, "providers", ids).map(({ id, layers, field, text }) => {
    const places = [fieldsOf(field("features")) ?? {}, ...layers]
    const ignore = (field: string, given: unknown) =>
      ignored.push(`${id.slice(0, 60)} ${field} ${(JSON.stringify(given) ?? "").slice(0, 60)}`)
    let rules: StatedRules = {}
    for (const [rule, name, read] of statedFields) {
      const given = pickField(places, [name])
      if (given === undefined) continue
      const stated = decodeRules({ [rule]: read(given) })
      if (Either.isLeft(stated)) ignore(name, given)
      else rules = { ...rules, ...stated.right }
    }
    const { minChars = 0, maxChars = Infinity, ...others } = rules
    if (minChars > maxChars) {
      ignore("min_characters above max_characters", [minChars, maxChars])
      rules = others
    }
    const listed: Provider = {
      provider: id,
      name: text("name", "display_name") || id,
      description: text("description"),
      available: field("available", "enabled") !== false,
      default_model_id: text("default_model_id", "default_model"),
      features: {
        transcript: rules.transcript ?? "none",
        srt_input: rules.srtInput ?? false,
        min_characters: rules.minChars ?? 0,
        max_characters: rules.maxChars ?? 0,
        controls: rangesIn(pickField(places, ["controls"])) ?? {}
      }
    }
    return { listed, rules }
  })
  return { providers, ignored }
}

/** A maximum below this many characters is not meant: a sentence would not fit. */
const minMaximum = 20

/** Each rule that a service may state, its field, and how the field's value is read. */
const statedFields: ReadonlyArray<readonly [keyof StatedRules, string, (given: unknown) => unknown]> = [
  ["minChars", "min_characters", finiteNumber],
  ["maxChars", "max_characters", (given) => [finiteNumber(given)].find((max = 0) => max >= minMaximum)],
  ["srtInput", "srt_input", (given) => given],
  ["transcript", "transcript", (given) => given],
  ["controls", "controls", (given) => rangesIn(given)],
  ["prices", "credits_per_character", (given) => ({ "*": finiteNumber(given) })]
]

const decodeRules = Schema.decodeUnknownEither(StatedRules)

/** Reads the ranges of controls; undefined if one is none. */
const rangesIn = (value: unknown): Provider["features"]["controls"] | undefined => {
  const fields = fieldsOf(value)
  const named = controlNames.filter((name) => fields?.[name] !== undefined && fields[name] !== null)
  const ranges = named.flatMap((name) => {
    const range = fieldsOf(fields?.[name])
    const [min, max, usual] = [range?.["min"], range?.["max"], range?.["default"]].map(finiteNumber)
    if (min === undefined || max === undefined || min > max) return []
    return [[name, { min, max, default: usual ?? neutralControls[name] }] as const]
  })
  return fields === undefined || ranges.length < named.length ? undefined : Object.fromEntries(ranges)
}

/** Reads the account's credits. Credits bought in packs are added up. */
export const creditsOf = (value: unknown, dialect: Dialect = defaultDialect): Credits => {
  const layers = layersOf(value)
  const names = dialect.fields.balance
  const held = pickField(layers, names)
  const packs = foundList(Array.isArray(held) && !Array.isArray(value) ? held : value, "credits") ?? []
  const amounts = packs.flatMap(
    (pack) => finiteNumber(pickField([fieldsOf(pack) ?? {}], ["amount", ...names])) ?? []
  )
  const sum = amounts.length === 0 ? undefined : amounts.reduce((total, amount) => total + amount)
  return {
    credits: finiteNumber(value) ?? finiteNumber(held) ?? sum,
    unlimited: pickField(layers, ["unlimited"]) === true,
    used: finiteNumber(pickField(layers, ["used", "used_credits"])) ?? unsaid,
    reserved: finiteNumber(pickField(layers, ["reserved"])) ?? unsaid
  }
}

/** Reads the service's health. Any response counts as healthy unless its status says otherwise. */
export const healthOf = (value: unknown): Health => {
  const layers = layersOf(value)
  const word = textOf(pickField(layers, ["status"])) ?? ""
  const part = (name: string) => fieldsOf(pickField(layers, [name])) ?? {}
  const [queue, disk] = [part("queue"), part("disk")]
  const events = textOf(part("events")["path"])
  const retention = finiteNumber(part("idempotency")["retention_seconds"])
  return {
    status: word === "draining" ? word : /degrad|down|unhealthy|fail|error/iu.test(word) ? "degraded" : "ok",
    version: textOf(pickField(layers, ["version"])) ?? "",
    providers: entriesIn(pickField(layers, ["providers"]), "providers", ["provider"]).map(
      ({ id, field }) => ({ provider: id, ready: field("ready") !== false, reason: textOf(field("reason")) })
    ),
    idempotency: retention === undefined ? undefined : { retention_seconds: Math.floor(retention) },
    events: events === undefined ? undefined : { path: events },
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
