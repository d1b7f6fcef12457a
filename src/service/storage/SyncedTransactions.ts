/**
 * Transactions that are on disk when they succeed, without an fsync on the thread that answers: SQLite's own
 * (`synchronous=FULL`) stops it for milliseconds per commit, and much longer beside busy programs.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"

/**
 * Makes a client's transactions wait for `sync` after their commit, and returns the client. Others may read the changes
 * before that. Statements outside transactions do not wait: the next transaction's sync includes them. If the sync
 * fails, so does the transaction, but its changes stay.
 */
export const withSyncedTransactions = (sql: SqlClient, sync: () => Promise<void>): SqlClient => {
  const synced = Effect.tryPromise({
    try: inTurns(sync),
    catch: (cause) => new SqlError({ cause, message: "cannot sync the database to disk" })
  })
  const committing = sql.withTransaction
  const withTransaction: SqlClient["withTransaction"] = (statements) =>
    Effect.flatMap(Effect.serviceOption(TransactionConnection), (outer) =>
      Option.isSome(outer) ? committing(statements) : Effect.zipLeft(committing(statements), synced)
    )
  return Object.assign(sql, { withTransaction })
}

/** Runs an action one at a time. Callers during a run share the next one, since theirs may have come too late. */
const inTurns = (act: () => Promise<void>): (() => Promise<void>) => {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    if (next !== undefined) return next
    const turn = last.then(() => {
      next = undefined
      return act()
    })
    next = turn
    last = turn.catch(() => undefined)
    return turn
  }
}
