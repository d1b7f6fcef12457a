/** What a schema takes, in words: for messages on what it does not take. */
import { Option, ParseResult, SchemaAST } from "effect"

/** What a schema takes, in words. */
export const describeSchema = (ast: SchemaAST.AST): string => {
  const told = ownWords(ast)
  if (told !== undefined) return told
  switch (ast._tag) {
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types
        .filter((type) => !SchemaAST.isUndefinedKeyword(type))
        .map(describeSchema)
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
      return expectedNumber(ast) ?? expectedText(ast) ?? describeSchema(ast.from)
    case "Transformation":
      return describeSchema(ast.from)
    default:
      return String(ast)
  }
}

/** A schema's own words for what it expects, with what is found where something is. */
export const expecting = (words: string) => ({
  message: ({ actual }: ParseResult.ParseIssue) =>
    `expected ${words}${actual === undefined ? "" : `, found ${JSON.stringify(actual)}`}`
})

/** The words that a schema gives itself; those of this program begin with "expected". */
const ownWords = (ast: SchemaAST.AST): string | undefined => {
  const message = Option.getOrUndefined(SchemaAST.getMessageAnnotation(ast))
  const words = message?.(new ParseResult.Type(ast, undefined))
  return typeof words === "string" ? words.replace(/^expected /u, "") : undefined
}

const expectedNumber = (ast: SchemaAST.AST): string | undefined => {
  const range = rangeOf(ast)
  if (range === undefined) return undefined
  const { type, minimum, maximum, exclusiveMinimum } = {
    minimum: undefined,
    maximum: undefined,
    exclusiveMinimum: undefined,
    ...range
  }
  const bounds =
    exclusiveMinimum !== undefined
      ? ` above ${exclusiveMinimum}`
      : minimum === undefined
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
