/** Checks the shape of the rows that the service's statements return. */
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect, Either, Schema } from "effect"
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
