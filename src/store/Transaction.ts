/** Several statements as one: all of them are kept, or none. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { failOrDie, type StateUnusable } from "./StateFault.ts"

/**
 * Runs statements in a transaction. On a full disk SQLite takes the transaction back by itself, and the client dies of having
 * nothing left to take back, or of a commit that found no room: here both tell what was wrong with the folder.
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
      Effect.catchTag("SqlError", (error) => failOrDie(folder, error)),
      Effect.catchAllDefect((defect) => failOrDie(folder, first ?? defect))
    )
  })
