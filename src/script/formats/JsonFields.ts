/** Finds texts and times in the JSON of any program, by the names of fields. */

import { clockTime } from "./timed/FrameClock.ts"

/** Field names for a text, its start, end and length; in lower case, without `_` and `-`. */
const textNames =
  "text word punctuatedword value char character token part transcript content display utf8".split(" ")
const startNames =
  "start starttime begin begintime timebegin from t0 ts offset time timestamp audiooffset".split(" ")
const endNames = "end endtime timeend endts to t1".split(" ")
const lengthNames = "duration length dur".split(" ")
/** Field names for a start and end together, as two numbers or as an object. */
const spanNames = "time times timestamp timestamps offsets span interval".split(" ")
/** Field names for nested words: a list of alternatives, likeliest first, or the word itself. */
const withinNames = "alternatives text data".split(" ")

/** An object's fields by normalized name (lower case, without `_` and `-`); the first of equal names wins. */
type Fields = ReadonlyMap<string, { readonly key: string; readonly value: unknown }>

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOf = (value: Record<string, unknown>): Fields => {
  const fields = new Map<string, { key: string; value: unknown }>()
  for (const [key, held] of Object.entries(value)) {
    const name = key.replace(/[_-]/gu, "").toLowerCase()
    if (!fields.has(name)) fields.set(name, { key, value: held })
  }
  return fields
}

export const textIn = (fields: Fields, depth: number): string | undefined => {
  for (const name of textNames) {
    const found = fields.get(name)?.value
    if (typeof found === "string") return found
  }
  for (const name of depth < 2 ? withinNames : []) {
    const held = fields.get(name)?.value
    const first: unknown = Array.isArray(held) ? held[0] : held
    const found = isRecord(first) ? textIn(fieldsOf(first), depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Times in their original unit. */
interface Span {
  readonly start: number
  readonly end: number
  /** Milliseconds per unit; undefined if the JSON does not give it. */
  readonly unit: number | undefined
}

/** Reads a time span. In speech marks (typed), `time` is milliseconds, and `start` and `end` are text positions. */
export const spanIn = (fields: Fields, typed: boolean, depth: number): Span | undefined => {
  const marked = fields.get("time")?.value
  if (typed && typeof marked === "number") return { start: marked, end: marked, unit: 1 }
  const start = firstTime(fields, startNames)
  if (start !== undefined) {
    const end = firstTime(fields, endNames)
    const length = firstTime(fields, lengthNames)
    return { start: start.time, end: end?.time ?? start.time + (length?.time ?? 0), unit: start.unit }
  }
  for (const name of depth < 2 ? [...spanNames, "data"] : []) {
    const held = fields.get(name)?.value
    const found = Array.isArray(held)
      ? pairOf(held)
      : isRecord(held)
        ? spanIn(fieldsOf(held), false, depth + 1)
        : undefined
    // whisper.cpp counts offsets in milliseconds.
    if (found !== undefined) return name === "offsets" ? { ...found, unit: found.unit ?? 1 } : found
  }
  return undefined
}

/** Reads a start and an optional end. */
const pairOf = ([from, to, ...more]: ReadonlyArray<unknown>): Span | undefined => {
  const start = timeOf(from)
  return start === undefined || more.length > 0
    ? undefined
    : { start: start.time, end: timeOf(to)?.time ?? start.time, unit: start.unit }
}

/** Returns the first time under one of these names, with or without a unit suffix: `start_ms`, `startMs`. */
const firstTime = (
  fields: Fields,
  names: ReadonlyArray<string>
): { readonly time: number; readonly unit: number | undefined } | undefined => {
  for (const name of names)
    for (const unit of ["", "ms", "seconds", "sec", "s"]) {
      const field = fields.get(name + unit)
      const time = field === undefined ? undefined : timeOf(field.value)
      if (field !== undefined && time !== undefined)
        return { time: time.time, unit: time.unit ?? unitOfName(field.key) }
    }
  return undefined
}

/** Returns the milliseconds per unit given by a field's name. `Offset` with a capital is in 100 ns (Azure). */
export const unitOfName = (name: string): number | undefined =>
  /_ms|Ms|millis|Millis/u.test(name)
    ? 1
    : /(?:_s|_sec|_seconds|Seconds)(?:$|_)/u.test(name)
      ? 1000
      : /^(?:Offset|AudioOffset)$/u.test(name)
        ? 1e-4
        : undefined

/** Parses a time: a number, or a string such as "1.5s" or "00:00:01.500". */
const timeOf = (value: unknown): { readonly time: number; readonly unit: number | undefined } | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? { time: value, unit: undefined } : undefined
  if (typeof value !== "string") return undefined
  const clock = clockTime(value)
  if (clock !== undefined) return { time: clock / 1000, unit: 1000 }
  const plain = /^(\d+(?:[.,]\d+)?)\s*(ms|s|sec(?:onds)?)?$/u.exec(value.trim())
  return plain === null
    ? undefined
    : {
        time: Number(plain[1]?.replace(",", ".")),
        unit: plain[2] === undefined ? undefined : plain[2] === "ms" ? 1 : 1000
      }
}
