/** SQL statements and transactions whose errors are mapped to problems of the state folder. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { failOrDie, type StateUnusable } from "./StateErrors.ts"

/** Maps a failed statement to a problem of the state folder. */
export const guardStatements =
  (folder: string) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StateUnusable, R> =>
    Effect.catchTag(statement, "SqlError", (error) => failOrDie(folder, error))

/**
 * Runs statements in a transaction: all of them are committed, or none.
 *
 * On a full disk, SQLite rolls the transaction back by itself. The client then dies on its own rollback, or on a commit
 * without space. Here both fail with the state folder's problem.
 */
export const inTransaction = <A, R>(
  sql: SqlClient,
  folder: string,
  statements: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, StateUnusable, R> =>
  Effect.suspend(() => {
    let first: SqlError | undefined
    const remembered = Effect.tapError(statements, (error) =>
      Effect.sync(() => {
        first = error
      })
    )
    return sql.withTransaction(remembered).pipe(
      guardStatements(folder),
      Effect.catchAllDefect((defect) => failOrDie(folder, first ?? defect))
    )
  })
