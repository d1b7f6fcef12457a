/** Statements whose failures tell what is wrong with the state folder, singly and several as one. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { failOrDie, type StateUnusable } from "./StateErrors.ts"

/** What makes a failed statement tell what is wrong with the folder. */
export const guardStatements =
  (folder: string) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StateUnusable, R> =>
    Effect.catchTag(statement, "SqlError", (error) => failOrDie(folder, error))

/**
 * Runs statements in a transaction: all of them are kept, or none. On a full disk SQLite takes the transaction back by
 * itself, and the client dies of having nothing left to take back, or of a commit that found no room: here both tell
 * what was wrong with the folder.
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
