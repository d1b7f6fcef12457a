/** A manifest's text, checked against its schema, with each fault at its line. */
import { Array, Either, ParseResult, Schema, type SchemaAST } from "effect"
import { type Document, isCollection, isNode, type LineCounter } from "yaml"
import { Manifest } from "../domain/Manifest.ts"
import { nearest } from "../domain/Nearest.ts"
import { readYaml } from "../script/Yaml.ts"
import { InputFault, InputRejected } from "./InputRejected.ts"

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
      const faults = faultsOf(error, schema.ast).map(({ path, message }) =>
        InputFault.make({ file, line: lineOf(document, lines, path), message: `${pathName(path)}${message}` })
      )
      return InputRejected.make({
        faults: Array.isNonEmptyArray(faults)
          ? faults
          : [InputFault.make({ file, line: 1, message: error.message })]
      })
    })
  )
}

interface Fault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** One fault a place: what a union says of each of its members is drawn together. */
const faultsOf = (error: ParseResult.ParseError, ast: SchemaAST.AST): ReadonlyArray<Fault> => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error).filter(
    (issue) => !/^Expected (?:undefined|null), actual/u.test(issue.message)
  )
  const places = Array.groupBy(issues, (issue) => JSON.stringify(issue.path.map(String)))
  return Object.values(places).map(([issue, ...more]) => {
    const key = issue.path.at(-1)
    switch (issue._tag) {
      case "Unexpected":
        return {
          path: issue.path,
          message: `unknown key${meant(String(key), keysAt(ast, issue.path.slice(0, -1)))}`
        }
      case "Missing":
        return {
          path: issue.path.slice(0, -1),
          message: typeof key === "number" ? "expected at least one" : `the key "${String(key)}" is missing`
        }
      default:
        return { path: issue.path, message: plainer([issue, ...more].map(({ message }) => message)) }
    }
  })
}

const literal = /^Expected "(.*)", actual (.*)$/u

/** The schema library's words for one place, shorter; a choice of words is listed once, with the nearest. */
const plainer = (messages: ReadonlyArray<string>): string => {
  const choices = messages.flatMap((message) => literal.exec(firstLine(message))?.[1] ?? [])
  const found = literal.exec(firstLine(messages[0] ?? ""))?.[2]
  if (found !== undefined && choices.length === messages.length) {
    const near = found.startsWith('"') ? meant(found.slice(1, -1), choices) : ""
    return `expected ${choices.length === 1 ? "" : "one of "}${choices.join(", ")}, found ${found}${near}`
  }
  return firstLine(messages[0] ?? "")
    .replace(
      /^Expected (?:readonly \[|ReadonlyArray<).*, actual (".*")$/u,
      "expected a list such as [$1], found $1"
    )
    .replace(/^Expected (?:readonly \[|ReadonlyArray<).*, actual/u, "expected a list, found")
    .replace(/^Expected \{.*\}, actual/u, "expected keys with their values, found")
    .replace(/^Expected Trimmed( & nonEmptyString)?/u, "expected text without spaces around it")
    .replace(/^Expected nonEmptyString/u, "expected text")
    .replace(/^Expected string/u, "expected text")
    .replace(/^Expected boolean/u, "expected true or false")
    .replace(/^Expected int/u, "expected a whole number")
    .replace(/^Expected/u, "expected")
    .replace(/ actual /u, " found ")
}

const meant = (typed: string, known: ReadonlyArray<string>): string => {
  const near = nearest(typed, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}

/** The keys that the schema knows at a path. */
const keysAt = (ast: SchemaAST.AST, path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const [head, ...rest] = path
  const shapes = shapesOf(ast)
  if (head === undefined) {
    return shapes.flatMap((shape) => shape.propertySignatures.map((property) => String(property.name)))
  }
  if (typeof head === "number") {
    return elementsOf(ast).flatMap((element) => keysAt(element, rest))
  }
  return shapes.flatMap((shape) => [
    ...shape.propertySignatures
      .filter((property) => property.name === head)
      .flatMap((property) => keysAt(property.type, rest)),
    ...shape.indexSignatures.flatMap((index) => keysAt(index.type, rest))
  ])
}

const shapesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.TypeLiteral> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [ast]
    case "Union":
      return ast.types.flatMap(shapesOf)
    case "Refinement":
    case "Transformation":
      return shapesOf(ast.from)
    default:
      return []
  }
}

const elementsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "TupleType":
      return [...ast.elements.map((element) => element.type), ...ast.rest.map((element) => element.type)]
    case "Union":
      return ast.types.flatMap(elementsOf)
    case "Refinement":
    case "Transformation":
      return elementsOf(ast.from)
    default:
      return []
  }
}

const lineOf = (document: Document, lines: LineCounter, path: ReadonlyArray<PropertyKey>): number => {
  const found = path.reduce<ReadonlyArray<unknown>>(
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

const pathName = (path: ReadonlyArray<PropertyKey>): string =>
  path.length === 0
    ? ""
    : `${path
        .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${String(step)}`))
        .join("")}: `

const firstLine = (message: string): string => message.split("\n")[0] ?? message
