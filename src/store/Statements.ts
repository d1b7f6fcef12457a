/** Statements whose failures tell what is wrong with the state folder, singly and several as one. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Predicate } from "effect"
import { failOrDie, type StateUnusable } from "./StateFault.ts"

/** What makes a failed statement tell what is wrong with the folder. */
export const guardedIn =
  (folder: string) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StateUnusable, R> =>
    Effect.catchTag(statement, "SqlError", (error) => failOrDie(folder, error))

/**
 * Runs statements in a transaction: all of them are kept, or none. On a full disk SQLite takes the transaction back by itself, and the client dies of having
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
      guardedIn(folder),
      Effect.catchAllDefect((defect) => failOrDie(folder, first ?? defect))
    )
  })

/** A statement with the values of its places. */
export interface Bound {
  readonly text: string
  readonly values: ReadonlyArray<string | number | null>
}

/** Runs one statement; returns the keys that it gives, where it gives any. */
export type Run = (statement: Bound) => Effect.Effect<ReadonlyArray<string>, SqlError>

/**
 * The same for small statements by the ten thousand, each prepared once: the client's own way to a statement and to a transaction
 * leads past a trace for each, which takes longer than the statements themselves.
 */
export const committed = <A>(
  sql: SqlClient,
  folder: string,
  work: (run: Run) => Effect.Effect<A, SqlError>
): Effect.Effect<A, StateUnusable> =>
  Effect.uninterruptible(
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) => {
        const run = running(connection)
        return run(begin).pipe(
          Effect.zipRight(work(run)),
          Effect.zipLeft(run(commit)),
          // Where the disk is full SQLite has taken it back by itself already.
          Effect.tapError(() => Effect.option(run(rollback)))
        )
      })
    )
  ).pipe(guardedIn(folder))

const running =
  (connection: Connection): Run =>
  ({ text, values }) =>
    Effect.map(connection.executeRaw(text, values), (rows) =>
      Array.isArray(rows) ? rows.flatMap(keyOf) : []
    )

const keyOf = (row: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(row, "key") && typeof row.key === "string" ? [row.key] : []

const begin: Bound = { text: "BEGIN", values: [] }
const commit: Bound = { text: "COMMIT", values: [] }
const rollback: Bound = { text: "ROLLBACK", values: [] }
