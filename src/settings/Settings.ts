/** Reads settings against a schema: YAML or JSON (a subset of YAML), or a value. Reports every fault in words. */
import { Array, Either, Schema } from "effect"
import { type Document, isCollection, isNode, isScalar, type LineCounter } from "yaml"
import { schemaFaults } from "./SchemaFaults.ts"
import type { SchemaPlace } from "./SchemaShape.ts"
import { readYaml } from "./Yaml.ts"

/** A fault of settings. `line` counts from 1; absent for settings that are given as a value. */
export interface SettingsFault {
  readonly line?: number
  readonly message: string
}

/** Settings, or every fault in them. */
type Checked<A> = Either.Either<A, Array.NonEmptyReadonlyArray<SettingsFault>>

/**
 * Parses a text against a schema. `shape` is the message for a document that is not a mapping; `empty` stands for a
 * document without content, if that is allowed.
 */
export const readSettings = <A, I>(
  schema: Schema.Schema<A, I>,
  text: string,
  shape: string,
  empty?: I
): Checked<A> =>
  Either.flatMap(readYaml(text), ({ value: read, document, lines }) => {
    const value = read ?? empty
    return typeof value !== "object" || value === null || globalThis.Array.isArray(value)
      ? Either.left([{ line: 1, message: shape }])
      : checkSettings(
          schema,
          value,
          (place) => sourceOf(document, place),
          (place) => ({ line: lineOf(document, lines, place) })
        )
  })

/** Checks a value against a schema. `sourceAt` and `lineAt` look up a place in the value's text, if it has one. */
export const checkSettings = <A, I>(
  schema: Schema.Schema<A, I>,
  value: unknown,
  sourceAt: (place: SchemaPlace) => string | undefined = () => undefined,
  lineAt: (place: SchemaPlace) => { readonly line?: number } = () => ({})
): Checked<A> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value),
    (error) => {
      const faults: ReadonlyArray<SettingsFault> = schemaFaults(error, schema.ast, { value, sourceAt })
        .map(({ place, message }) => ({ message: `${pathName(place)}${message}`, ...lineAt(place) }))
        .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
      return Array.isNonEmptyReadonlyArray(faults) ? faults : [{ message: error.message, ...lineAt([]) }]
    }
  )

/** Returns a scalar as written in the source. */
const sourceOf = (document: Document, place: SchemaPlace): string | undefined => {
  const node = place.reduce<unknown>(childOf, document.contents)
  return isScalar(node) ? node.source : undefined
}

const lineOf = (document: Document, lines: LineCounter, place: SchemaPlace): number => {
  const found = place.reduce<ReadonlyArray<unknown>>(
    (nodes, step) => [childOf(nodes[0], step), ...nodes],
    [document.contents]
  )
  const node = found.slice(0, -1).find((each) => isNode(each) && each.range)
  return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1
}

/** Finds a child by key or index. YAML may have parsed a numeric key as a number. */
const childOf = (parent: unknown, step: PropertyKey): unknown => {
  if (!isCollection(parent)) return undefined
  const key = parent.has(step) ? step : Number(String(step))
  return parent.get(key, true)
}

const pathName = (place: SchemaPlace): string =>
  place.length === 0
    ? ""
    : `${place
        .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${String(step)}`))
        .join("")}: `
