/**
 * Normalizes a service's responses to the contract's shape. The interface does not define envelopes and most field
 * names. Fields may be at the top level or one level down, and lists may be bare or named. Missing values become "" for
 * text, 0 for counts and -1 for credits.
 */
import type { Task, TaskReference, TaskStatus } from "../../contract/Task.ts"
import {
  type Fields,
  unsaid,
  fieldsOf,
  layersOf,
  pickField,
  textOf,
  finiteNumber,
  knownField,
  countIn
} from "./ResponseFields.ts"

const failedWords = /fail|error|cancel|expire|abort|reject|timed?.?out/iu
const waitingWords = /^(queued|pending|waiting|created|submitted|scheduled)$/iu

/** Returns done if there is an audio URL. A word of failure means failed; any other word means waiting. */
const statusOf = (word: string, audio: string | undefined): TaskStatus => {
  if (failedWords.test(word)) return "failed"
  if (audio !== undefined) return "done"
  return waitingWords.test(word) ? "queued" : "processing"
}

/** A normalized response whose id may be missing or invalid. */
type Unnamed<Named extends { readonly task_id: string }> = Omit<Named, "task_id"> & {
  readonly task_id: string | undefined
}

/** Normalizes a task. `id` is the requested id, for responses that do not repeat it. */
export const taskOf = (value: unknown, id?: string): Unnamed<Task> => {
  const layers = layersOf(value)
  // `id` at the top of an envelope may be the request's; the task's own is deeper.
  const named = idOf(pickField(layers, "task_id")) ?? idOf(pickField([...layers].reverse(), "id")) ?? id
  const audio = textOf(pickField(layers, "audio_url"))
  // The same applies to the status: "success" may be that of the request, not of the task.
  const standing = inwards(value).find((layer) => wordOf(layer) !== undefined)
  const status = statusOf(wordOf(standing ?? {}) ?? "", audio)
  return {
    task_id: named,
    status,
    provider: textOf(pickField(layers, "provider")) ?? "",
    model_id: textOf(pickField(layers, "model_id", "model")) ?? "",
    voice_id: textOf(pickField(layers, "voice_id", "voice")) ?? "",
    voice_name: textOf(pickField(layers, "voice_name")),
    characters: countIn(pickField(layers, "characters", "character_count")),
    credits: finiteNumber(pickField(layers, "credits", "credit_cost", "cost")) ?? unsaid,
    created_at: textOf(pickField(layers, "created_at")) ?? "",
    completed_at: textOf(pickField(layers, "completed_at", "finished_at")),
    duration: finiteNumber(pickField(layers, "duration")),
    audio_url: audio,
    srt_url: textOf(pickField(layers, "srt_url")),
    json_url: textOf(pickField(layers, "json_url")),
    engine: textOf(pickField(layers, "engine"))?.slice(0, 80),
    error:
      status === "failed"
        ? {
            code: textOf(codeIn(layers)) ?? "failed",
            message: wordsIn(standing) ?? wordsIn(value) ?? "no reason given"
          }
        : undefined
  }
}

/** Returns a task's id: a UUID by the interface, but any text or number is accepted. */
const idOf = (value: unknown): string | undefined => {
  const id = textOf(value)?.trim()
  return id === "" ? undefined : id
}

/** Returns the objects of a response, the contents of envelopes first. */
const inwards = (value: unknown): ReadonlyArray<Fields> => {
  const top = fieldsOf(value) ?? {}
  const layers = [top["data"], top["task"], top["result"], top, top["metadata"]]
  return layers.map(fieldsOf).filter((layer) => layer !== undefined)
}

const wordOf = (layer: Fields): string | undefined => textOf(pickField([layer], "status", "state"))

const codeIn = (layers: ReadonlyArray<Fields>): unknown => fieldsOf(pickField(layers, "error"))?.["code"]

/**
 * Normalizes the response to a create. A missing task id stays missing, so that the response is not mistaken for a
 * task.
 */
export const referenceOf = (value: unknown): Unnamed<TaskReference> => {
  const { task_id, status, characters, credits } = taskOf(value)
  return { task_id, status, characters, credits }
}

/** Returns the entries of a list, bare or named, at the top level or one level down; empty if there is none. */
const listIn = (value: unknown, name: string): ReadonlyArray<unknown> => foundList(value, name) ?? []

const foundList = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(value)) return value
  const layers = layersOf(value)
  const under = [name, "data", "items", "results", "records", "list"]
  for (const key of under) for (const layer of layers) if (Array.isArray(layer[key])) return layer[key]
  for (const layer of layers) for (const entry of Object.values(layer)) if (Array.isArray(entry)) return entry
  // Some services omit an empty list.
  return finiteNumber(pickField(layers, "total")) === 0 || layers.some((layer) => layer[name] === null)
    ? []
    : undefined
}

/**
 * Normalizes paging. If the service does not report whether more pages follow, they do until a page is empty or
 * repeats.
 */
const pageOf = (value: unknown, entries: number): Fields => {
  const layers = layersOf(value)
  const more = pickField(layers, "has_more", "hasMore")
  return {
    page: countIn(pickField(layers, "page")),
    limit: countIn(pickField(layers, "limit", "page_size")),
    total:
      finiteNumber(pickField(layers, "total")) === undefined ? entries : countIn(pickField(layers, "total")),
    has_more: typeof more === "boolean" ? more : entries > 0
  }
}

/**
 * Normalizes a page of the history; entries without an id are dropped. A response without a list keeps none, so that it
 * does not look like an empty history, in which no task was made.
 */
export const taskPageOf = (value: unknown): Fields => {
  const tasks = foundList(value, "tasks")?.map((entry) => taskOf(entry))
  if (tasks === undefined) return {}
  return { tasks: tasks.filter((task) => task.task_id !== undefined), ...pageOf(value, tasks.length) }
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.flatMap((entry) => textOf(entry) ?? []) : [textOf(value) ?? []].flat()

/** Normalizes a page of voices. */
export const voicePageOf = (value: unknown): Fields => {
  const voices = listIn(value, "voices").flatMap((entry): ReadonlyArray<Fields> => {
    const layers = layersOf(entry)
    const id = textOf(pickField(layers, "voice_id", "id"))
    const gender = textOf(pickField(layers, "gender"))?.toLowerCase()
    if (id === undefined) return []
    return [
      {
        voice_id: id,
        name: textOf(pickField(layers, "name", "voice_name", "display_name")) ?? id,
        provider: textOf(pickField(layers, "provider")) ?? "",
        languages: strings(pickField(layers, "languages", "language")),
        ...(gender === "female" || gender === "male" || gender === "neutral" ? { gender } : {}),
        description: textOf(pickField(layers, "description")) ?? ""
      }
    ]
  })
  return { voices, ...pageOf(value, voices.length) }
}

/** Normalizes the list of models. */
export const modelListOf = (value: unknown): Fields => ({
  models: listIn(value, "models").flatMap((entry): ReadonlyArray<Fields> => {
    const layers = layersOf(entry)
    const id = textOf(entry) ?? textOf(pickField(layers, "model_id", "id"))
    if (id === undefined) return []
    return [
      {
        model_id: id,
        name: textOf(pickField(layers, "name", "display_name")) ?? id,
        provider: textOf(pickField(layers, "provider")) ?? "",
        description: textOf(pickField(layers, "description")) ?? "",
        languages: strings(pickField(layers, "languages", "language")),
        credits_per_character: finiteNumber(pickField(layers, "credits_per_character")) ?? unsaid
      }
    ]
  })
})

/** Normalizes the list of providers. */
export const providerListOf = (value: unknown): Fields => ({
  providers: listIn(value, "providers").flatMap((entry): ReadonlyArray<Fields> => {
    const layers = layersOf(entry)
    const id = textOf(entry) ?? textOf(pickField(layers, "provider", "provider_id", "id", "name"))
    if (id === undefined) return []
    const features = fieldsOf(pickField(layers, "features")) ?? {}
    const transcript = features["transcript"]
    return [
      {
        provider: id,
        name: textOf(pickField(layers, "name", "display_name")) ?? id,
        description: textOf(pickField(layers, "description")) ?? "",
        available: pickField(layers, "available", "enabled") !== false,
        default_model_id: textOf(pickField(layers, "default_model_id", "default_model")) ?? "",
        features: {
          transcript: transcript === "with_transcript" || transcript === "export_srt" ? transcript : "none",
          srt_input: features["srt_input"] === true,
          min_characters: countIn(features["min_characters"]),
          max_characters: countIn(features["max_characters"]),
          controls: controlsOf(features["controls"])
        }
      }
    ]
  })
})

const controlsOf = (value: unknown): Fields => {
  const controls = fieldsOf(value) ?? {}
  return Object.fromEntries(
    ["speed", "vol", "pitch"].flatMap((name) => {
      const range = fieldsOf(controls[name])
      const min = finiteNumber(range?.["min"])
      const max = finiteNumber(range?.["max"])
      if (min === undefined || max === undefined) return []
      return [[name, { min, max, default: finiteNumber(range?.["default"]) ?? (name === "pitch" ? 0 : 1) }]]
    })
  )
}

/** Normalizes the account's credits. */
export const creditsOf = (value: unknown): Fields => {
  const layers = layersOf(value)
  const left =
    finiteNumber(value) ??
    finiteNumber(pickField(layers, "credits", "balance", "remaining", "remaining_credits", "credit"))
  return {
    ...knownField("credits", left),
    unlimited: pickField(layers, "unlimited") === true,
    used: finiteNumber(pickField(layers, "used", "used_credits")) ?? unsaid,
    reserved: finiteNumber(pickField(layers, "reserved")) ?? unsaid
  }
}

/** Normalizes the service's health. Any response counts as healthy unless its status says otherwise. */
export const healthOf = (value: unknown): Fields => {
  const layers = layersOf(value)
  const word = textOf(pickField(layers, "status")) ?? ""
  const queue = fieldsOf(pickField(layers, "queue")) ?? {}
  const disk = fieldsOf(pickField(layers, "disk")) ?? {}
  const events = textOf(fieldsOf(pickField(layers, "events"))?.["path"])
  const retention = finiteNumber(fieldsOf(pickField(layers, "idempotency"))?.["retention_seconds"])
  return {
    status: word === "draining" ? word : /degrad|down|unhealthy|fail|error/iu.test(word) ? "degraded" : "ok",
    version: textOf(pickField(layers, "version")) ?? "",
    providers: listIn(pickField(layers, "providers"), "providers").flatMap((entry): ReadonlyArray<Fields> => {
      const provider = fieldsOf(entry)
      const id = textOf(provider?.["provider"])
      return id === undefined || provider === undefined
        ? []
        : [
            {
              provider: id,
              ready: provider["ready"] !== false,
              ...knownField("reason", textOf(provider["reason"]))
            }
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

/**
 * Returns whether a response is about a task: it has a task id, an audio URL, or an envelope with an id or a status.
 */
export const isOfTask = (value: unknown): boolean => {
  const top = fieldsOf(value)
  const held = inwards(value).filter((layer) => layer !== top && layer !== top?.["metadata"])
  return (
    pickField(layersOf(value), "task_id", "audio_url") !== undefined ||
    held.some((layer) => layer["id"] !== undefined || wordOf(layer) !== undefined)
  )
}

/** Returns whether a response has a status or a list. */
export const hasMoreDetail = (value: unknown): boolean =>
  layersOf(value).some((layer) => wordOf(layer) !== undefined || Object.values(layer).some(Array.isArray))

/** Returns a response's message, from any of the usual fields of a few levels; undefined if there is none. */
export const wordsIn = (value: unknown, levels = 8): string | undefined => {
  if (typeof value === "string") return value.trim() === "" ? undefined : value
  if (levels === 0) return undefined
  if (Array.isArray(value))
    return value.map((one) => wordsIn(one, levels - 1)).find((words) => words !== undefined)
  for (const layer of layersOf(value))
    for (const name of ["message", "error_message", "detail", "error", "errors", "reason", "msg", "title"]) {
      const words = wordsIn(layer[name], levels - 1)
      if (words !== undefined) return words
    }
  return undefined
}
