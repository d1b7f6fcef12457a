/** Parses a manifest and checks it against its schema; reports each fault with its line. */
import { Array, Either, Schema } from "effect"
import { type Document, isCollection, isNode, isScalar, type LineCounter } from "yaml"
import { Manifest } from "../../domain/manifest/Manifest.ts"
import { readYaml } from "../../settings/Yaml.ts"
import { InputFault, InputRejected } from "./InputRejected.ts"
import { schemaFaults } from "../../settings/SchemaFaults.ts"
import type { SchemaPlace } from "../../settings/SchemaShape.ts"

/** Parses a manifest in YAML or JSON (a subset of YAML). `file` is its name in messages. */
export const readManifest = (text: string, file: string): Either.Either<Manifest, InputRejected> =>
  readChecked(
    Manifest,
    text,
    file,
    "expected a manifest: a mapping with a list named jobs (dubwright init writes an example)"
  )

/** Checks a manifest that is given as a value; `name` is its name in messages. */
export const checkManifest = (value: unknown, name: string): Either.Either<Manifest, InputRejected> =>
  checkedValue(
    Manifest,
    value,
    name,
    () => undefined,
    () => ({})
  )

/** Parses YAML or JSON against a schema. `shape` is the message for a document that is not a mapping. */
export const readChecked = <A, I>(
  schema: Schema.Schema<A, I>,
  text: string,
  file: string,
  shape: string
): Either.Either<A, InputRejected> => {
  const read = readYaml(text)
  if (Either.isLeft(read))
    return Either.left(
      InputRejected.make({ faults: Array.map(read.left, (fault) => InputFault.make({ file, ...fault })) })
    )
  const { value, document, lines } = read.right
  if (value === null || typeof value !== "object" || globalThis.Array.isArray(value)) {
    return Either.left(
      InputRejected.make({
        faults: [InputFault.make({ file, line: 1, message: shape })]
      })
    )
  }
  return checkedValue(
    schema,
    value,
    file,
    (place) => sourceOf(document, place),
    (place) => ({ line: lineOf(document, lines, place) })
  )
}

/** Checks a value against a schema. `sourceAt` and `lineAt` look up a place in the value's file, if it has one. */
const checkedValue = <A, I>(
  schema: Schema.Schema<A, I>,
  value: unknown,
  file: string,
  sourceAt: (place: SchemaPlace) => string | undefined,
  lineAt: (place: SchemaPlace) => { readonly line?: number }
): Either.Either<A, InputRejected> =>
  Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value).pipe(
    Either.mapLeft((error) => {
      const faults = schemaFaults(error, schema.ast, { value, sourceAt })
        .map(({ place, message }) =>
          InputFault.make({ file, message: `${pathName(place)}${message}`, ...lineAt(place) })
        )
        .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
      return InputRejected.make({
        faults: Array.isNonEmptyArray(faults)
          ? faults
          : [InputFault.make({ file, message: error.message, ...lineAt([]) })]
      })
    })
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
