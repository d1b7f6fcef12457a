/** What is wrong with a value that a schema does not take: where, and what was expected, without repeating the value. */
import { Option, ParseResult, SchemaAST } from "effect"

/** A path into a value; empty for the value itself. */
export type Path = ReadonlyArray<PropertyKey>

/** Where the first problem lies, and what it is. Values are left out: they may be huge, nested without end, or private. */
export const firstProblem = (
  issue: ParseResult.ParseIssue,
  path: Path = []
): { readonly path: Path; readonly message: string } => {
  switch (issue._tag) {
    case "Pointer":
      return firstProblem(issue.issue, joined(path, issue.path))
    case "Composite": {
      const [first = issue] = listOf(issue.issues)
      return first === issue || SchemaAST.isUnion(issue.ast)
        ? { path, message: `expected ${expectedBy(issue.ast)}` }
        : firstProblem(first, path)
    }
    case "Refinement":
    case "Transformation":
      return issue.kind === "From"
        ? firstProblem(issue.issue, path)
        : { path, message: `expected ${expectedBy(issue.ast)}` }
    case "Missing":
      return { path, message: "is missing" }
    case "Unexpected":
      return { path, message: "is not known here" }
    case "Type":
    case "Forbidden":
      return { path, message: `expected ${expectedBy(issue.ast)}` }
  }
}

/** What a schema takes, in words. */
export const expectedBy = (ast: SchemaAST.AST): string => {
  const told = ownWords(ast)
  if (told !== undefined) return told
  switch (ast._tag) {
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types
        .filter((type) => !SchemaAST.isUndefinedKeyword(type))
        .map(expectedBy)
        .join(" or ")
    case "StringKeyword":
      return "a text"
    case "BooleanKeyword":
      return "true or false"
    case "NumberKeyword":
      return "a number"
    case "TupleType":
      return "a list"
    case "TypeLiteral":
      return ast.propertySignatures.length === 0
        ? "an object"
        : `an object with ${ast.propertySignatures.map((property) => String(property.name)).join(", ")}`
    case "Refinement":
      return expectedNumber(ast) ?? expectedText(ast) ?? expectedBy(ast.from)
    case "Transformation":
      return expectedBy(ast.from)
    default:
      return String(ast)
  }
}

/** The parts of a path behind another. */
export const joined = (path: Path, more: ParseResult.Path): Path => [
  ...path,
  ...(isPath(more) ? more : [more])
]

/** Issues that stand alone or in a list, as a list. */
export const listOf = (
  issues: ParseResult.SingleOrNonEmpty<ParseResult.ParseIssue>
): ReadonlyArray<ParseResult.ParseIssue> => ("_tag" in issues ? [issues] : issues)

/** The words that a schema gives itself; those of this program begin with "expected". */
const ownWords = (ast: SchemaAST.AST): string | undefined => {
  const message = Option.getOrUndefined(SchemaAST.getMessageAnnotation(ast))
  const words = message?.(new ParseResult.Type(ast, undefined))
  return typeof words === "string" ? words.replace(/^expected /u, "") : undefined
}

const expectedNumber = (ast: SchemaAST.AST): string | undefined => {
  const range = rangeOf(ast)
  if (range === undefined) return undefined
  const { type, minimum, maximum } = { minimum: undefined, maximum: undefined, ...range }
  const bounds =
    minimum === undefined
      ? ""
      : maximum === undefined
        ? `, at least ${minimum}`
        : ` from ${minimum} to ${maximum}`
  return `${type === "integer" ? "a whole number" : "a number"}${bounds}`
}

/** The range of a number, gathered from all the bounds on it. */
const rangeOf = (ast: SchemaAST.AST): { readonly type: string } | undefined => {
  if (SchemaAST.isNumberKeyword(ast)) return { type: "number" }
  if (!SchemaAST.isRefinement(ast)) return undefined
  const inner = rangeOf(ast.from)
  return inner === undefined
    ? undefined
    : { ...inner, ...Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast), () => ({})) }
}

const expectedText = (ast: SchemaAST.Refinement): string | undefined => {
  const { format, maxLength } = {
    format: undefined,
    maxLength: undefined,
    ...Option.getOrElse(SchemaAST.getJSONSchemaAnnotation(ast), () => ({}))
  }
  if (format !== undefined) return `a text of the form ${String(format)}`
  return maxLength === undefined ? undefined : `a text of at most ${String(maxLength)} characters`
}

const isPath = (path: ParseResult.Path): path is Exclude<ParseResult.Path, PropertyKey> => Array.isArray(path)
