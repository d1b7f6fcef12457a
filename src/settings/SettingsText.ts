/** Parses settings in YAML or JSON (a subset of YAML) against a schema. Reports every fault with its line. */
import { Either, type Schema } from "effect"
import { type Document, isCollection, isNode, isScalar, type LineCounter } from "yaml"
import type { SchemaPlace } from "./SchemaShape.ts"
import { type Checked, checkSettings } from "./Settings.ts"
import { readYaml } from "./Yaml.ts"

/**
 * Parses a text against a schema. `shape` is the message for a document that is not a mapping; `empty` is the value of
 * a document without content, if that is allowed.
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
