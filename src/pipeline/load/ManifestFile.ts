/** A manifest's text, checked against its schema, with each fault at its line. */
import { Array, Either, Schema } from "effect"
import { type Document, isCollection, isNode, isScalar, type LineCounter } from "yaml"
import { Manifest } from "../../domain/manifest/Manifest.ts"
import { readYaml } from "../../settings/Yaml.ts"
import { InputFault, InputRejected } from "./InputRejected.ts"
import { schemaFaults } from "../../settings/SchemaFaults.ts"
import type { SchemaPlace } from "../../settings/SchemaShape.ts"

/** Reads a manifest in YAML or JSON (which YAML contains). `file` is its name in messages. */
export const readManifest = (text: string, file: string): Either.Either<Manifest, InputRejected> =>
  readChecked(
    Manifest,
    text,
    file,
    "expected a manifest, that is a mapping with a list named jobs (dubwright init writes one to start from)"
  )

/** Reads YAML or JSON of any shape that a schema describes; `shape` says in words what it is. */
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
  return Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value).pipe(
    Either.mapLeft((error) => {
      const sourceAt = (place: SchemaPlace): string | undefined => sourceOf(document, place)
      const faults = schemaFaults(error, schema.ast, { value, sourceAt })
        .map(({ place, message }) =>
          InputFault.make({
            file,
            line: lineOf(document, lines, place),
            message: `${pathName(place)}${message}`
          })
        )
        .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
      return InputRejected.make({
        faults: Array.isNonEmptyArray(faults)
          ? faults
          : [InputFault.make({ file, line: 1, message: error.message })]
      })
    })
  )
}

/** A number, a word or a text as it is written. */
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

/** A key that reads as a number may stand there as one. */
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
