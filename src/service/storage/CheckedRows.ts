/** Checks the shape of the rows that the service's statements return. */
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect, Either, Schema, SchemaAST } from "effect"
import { rowProblem } from "../../store/state/GuardedStatements.ts"
import { fastRows } from "../../store/state/RowDecoding.ts"

/** A row has another shape than its schema. */
export class RowMismatch extends Data.TaggedError("RowMismatch")<{ readonly problem: string }> {
  override get message() {
    return `the database has a row that this version cannot read; restore a copy (${this.problem})`
  }
}

/** Makes a check for statements that return rows of a table. A row of another shape is a defect that names it. */
export const checkRows = <A, I>(table: string, row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(Schema.Array(fastRows(row)))
  return (
    statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>
  ): Effect.Effect<ReadonlyArray<A>, SqlError> =>
    Effect.map(statement, (rows) =>
      Either.getOrThrowWith(decode(rows), (error) => new RowMismatch({ problem: rowProblem(table, error) }))
    )
}

/** A field that is a column of another name. */
export const column = <K extends string, A, I>(name: K, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(name))

/** A column that may be NULL; undefined then. */
export const optionalColumn = <K extends string, A, I>(name: K, schema: Schema.Schema<A, I>) =>
  column(
    name,
    Schema.transform(Schema.NullOr(schema), Schema.UndefinedOr(Schema.typeSchema(schema)), {
      decode: (value) => value ?? undefined,
      encode: (value) => value ?? null
    })
  )

/** A column that is 1 if true, else 0. */
export const flagColumn = <K extends string>(name: K) =>
  column(
    name,
    Schema.transform(Schema.Int, Schema.Boolean, {
      decode: (value) => value === 1,
      encode: (value) => (value ? 1 : 0)
    })
  )

/** Returns the names of a row's columns, for a statement. */
export const columnsOf = <A, I>(row: Schema.Schema<A, I>): string =>
  SchemaAST.getPropertySignatures(Schema.encodedSchema(row).ast)
    .map(({ name }) => String(name))
    .join(", ")

/** A column with a time in milliseconds since 1970. */
export const Time = Schema.transform(Schema.Int, Schema.DateFromSelf, {
  decode: (at) => new Date(at),
  encode: (date) => date.getTime()
})
