/**
 * Decodes rows by checks that are compiled once per query. Most columns hold text, numbers or null, and need no
 * decoding. Effect's decoder makes a result per column, which takes several times as long; queries have tens of
 * thousands of rows.
 */
import { Option, ParseResult, Predicate, Schema, SchemaAST } from "effect"

type Check = (value: unknown) => boolean

/** A column that only needs a check, or whose text is decoded. */
interface Column {
  readonly name: string
  readonly check?: Check
  readonly decode?: (value: unknown) => Option.Option<unknown>
}

/** Returns a schema that decodes as `row` does. Rows of another shape are passed to `row`, which reports the fault. */
export const fastRows = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = ParseResult.decodeUnknown(row)
  const columns = columnsOf(row.ast)
  const isDecoded = (value: object | undefined): value is A & object => value !== undefined
  return Schema.declare([], {
    decode: () => (value, options) => {
      const read = columns === undefined ? undefined : readRow(columns, value)
      return isDecoded(read) ? ParseResult.succeed(read) : decode(value, options)
    },
    encode: () => ParseResult.encodeUnknown(row)
  })
}

/** Reads a row's columns. Returns undefined if one of them does not fit. */
const readRow = (columns: ReadonlyArray<Column>, row: unknown): object | undefined => {
  // Other columns are left out by the schema itself.
  if (!Predicate.isRecord(row) || Object.keys(row).length !== columns.length) return undefined
  let read = row
  for (const { name, check, decode } of columns) {
    const value = row[name]
    if (check?.(value) === true) continue
    const decoded = decode?.(value)
    if (decoded === undefined || Option.isNone(decoded)) return undefined
    if (read === row) read = { ...row }
    read[name] = decoded.value
  }
  return read
}

/** Compiles the columns of a row's schema; undefined if it is not a plain struct. */
const columnsOf = (ast: SchemaAST.AST): ReadonlyArray<Column> | undefined => {
  if (ast._tag !== "TypeLiteral" || ast.indexSignatures.length > 0) return undefined
  const columns = ast.propertySignatures.map(({ name, type, isOptional }): Column | undefined => {
    if (typeof name !== "string" || isOptional) return undefined
    const check = checkOf(type)
    if (check !== undefined) return { name, check }
    const decode = remembering(ParseResult.decodeUnknownOption(Schema.make<unknown, unknown>(type)))
    const hasNull = type._tag === "Union" && type.types.some(isNull)
    return hasNull ? { name, check: (value) => value === null, decode } : { name, decode }
  })
  return columns.every((column) => column !== undefined) ? columns : undefined
}

/** Distinct texts of a column that are decoded only once. */
const maxRemembered = 64

/** Decodes the first texts of a column only once: thousands of rows have one of a few castings. */
const remembering = (decode: NonNullable<Column["decode"]>): NonNullable<Column["decode"]> => {
  const known = new Map<unknown, Option.Option<unknown>>()
  return (value) => {
    const found = known.get(value) ?? decode(value)
    if (known.size < maxRemembered) known.set(value, found)
    return found
  }
}

/** Compiles the check of a value that needs no decoding; undefined if it may need it. */
const checkOf = (ast: SchemaAST.AST): Check | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
      return Predicate.isString
    case "NumberKeyword":
      return Predicate.isNumber
    case "Literal":
      return (value) => value === ast.literal
    case "Refinement": {
      const check = checkOf(ast.from)
      return check && ((value) => check(value) && Option.isNone(ast.filter(value, {}, ast)))
    }
    case "Union": {
      const literals = new Set<unknown>(ast.types.filter(SchemaAST.isLiteral).map(({ literal }) => literal))
      if (literals.size === ast.types.length) return (value) => literals.has(value)
      const checks = ast.types.map(checkOf)
      return checks.every((check) => check !== undefined)
        ? (value) => checks.some((check) => check(value))
        : undefined
    }
    default:
      return undefined
  }
}

const isNull = (ast: SchemaAST.AST): boolean => SchemaAST.isLiteral(ast) && ast.literal === null
