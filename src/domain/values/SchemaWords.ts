/** Descriptions of the values that a schema accepts, for error messages. */
import { Option, ParseResult, SchemaAST } from "effect"

/** Describes the values that a schema accepts. */
export const describeSchema = (ast: SchemaAST.AST): string => {
  const words = ownWords(ast)
  if (words !== undefined) return words
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

/** Returns a message annotation: "expected …", with the found value if there is one. */
export const expecting = (words: string) => ({
  message: ({ actual }: ParseResult.ParseIssue) =>
    `expected ${words}${actual === undefined ? "" : `, found ${JSON.stringify(actual)}`}`
})

/** Returns the schema's own message annotation, without the leading "expected". */
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

/** The bounds of a number, collected from all refinements. */
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
