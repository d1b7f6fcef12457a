/** Reads fields of a service's response, at the top level or one level down in an envelope. */
import { Predicate } from "effect"

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Placeholder for credits that the service does not report. */
export const unsaid = -1

/** Returns a JSON object, or undefined. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  Predicate.isRecord(value) ? value : undefined

const envelopes = ["data", "task", "result", "metadata"] as const

/** Returns the objects that may hold a field: the response itself and its envelopes, one level down. */
export const layersOf = (value: unknown): ReadonlyArray<Fields> => {
  const top = fieldsOf(value)
  if (top === undefined) return []
  const layers = [top]
  for (const name of envelopes) {
    const inner = fieldsOf(top[name])
    if (inner !== undefined) layers.push(inner)
  }
  return layers
}

/** Returns the first non-empty value under any of these names. */
export const pickField = (layers: ReadonlyArray<Fields>, ...names: ReadonlyArray<string>): unknown => {
  for (const name of names)
    for (const layer of layers) {
      const value = layer[name]
      if (value !== undefined && value !== null && value !== "") return value
    }
  return undefined
}

/** Returns text, or a number as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** Returns a finite number, also from text. */
export const finiteNumber = (value: unknown): number | undefined => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof read === "number" && Number.isFinite(read) ? read : undefined
}

/** Returns a non-negative integer; 0 if there is none. */
export const countIn = (value: unknown): number => Math.max(0, Math.round(finiteNumber(value) ?? 0))

/** Returns a field if its value is known. */
export const knownField = <A>(name: string, value: A | undefined): Fields =>
  value === undefined ? {} : { [name]: value }
