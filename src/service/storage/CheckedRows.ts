/** Checks the shape of the rows that the service's statements return. */
import type { SqlError } from "@effect/sql/SqlError"
import { findAll } from "@effect/sql/SqlSchema"
import { Data, Effect, Schema } from "effect"
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
  const find = findAll({
    Request: Schema.Any,
    Result: fastRows(row),
    execute: (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => statement
  })
  return (
    statement: Effect.Effect<ReadonlyArray<unknown>, SqlError>
  ): Effect.Effect<ReadonlyArray<A>, SqlError> =>
    Effect.catchTag(find(statement), "ParseError", (error) =>
      Effect.die(new RowMismatch({ problem: rowProblem(table, error) }))
    )
}
