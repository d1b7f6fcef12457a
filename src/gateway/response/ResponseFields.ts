/** Fields of a service's answer, wherever they stand in it: at the top, or one level down in an envelope. */
import { Predicate } from "effect"

/** Any JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Money that a service does not speak of. */
export const unsaid = -1

/** A JSON object, or undefined. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  Predicate.isRecord(value) ? value : undefined

const envelopes = ["data", "task", "result", "metadata"] as const

/** The objects in which a named field may stand: the answer itself and one level down. */
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

/** The first value under any of these names that is there and not empty. */
export const pickField = (layers: ReadonlyArray<Fields>, ...names: ReadonlyArray<string>): unknown => {
  for (const name of names)
    for (const layer of layers) {
      const value = layer[name]
      if (value !== undefined && value !== null && value !== "") return value
    }
  return undefined
}

/** Text, or a number as text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

/** A finite number, also where it comes as text. */
export const finiteNumber = (value: unknown): number | undefined => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof read === "number" && Number.isFinite(read) ? read : undefined
}

/** A whole number from 0 up; 0 where there is none. */
export const countIn = (value: unknown): number => Math.max(0, Math.round(finiteNumber(value) ?? 0))

/** A field, where its value is known. */
export const knownField = <A>(name: string, value: A | undefined): Fields =>
  value === undefined ? {} : { [name]: value }
