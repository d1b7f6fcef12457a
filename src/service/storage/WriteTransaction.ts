/** Transactions that write, on both databases. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Runs statements in a transaction. If two transactions wait for each other, PostgreSQL ends one of them: that one runs
 * again. The first statement should write: SQLite then waits for another process's lock instead of failing halfway.
 */
export const inWriteTransaction =
  (sql: SqlClient) =>
  <A, E, R>(statements: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.retry(sql.withTransaction(statements), { while: isDeadlock, times: 9 })

/** PostgreSQL's codes of deadlocks and serialization failures. */
const deadlocks: ReadonlyArray<unknown> = ["40P01", "40001"]

const isDeadlock = (error: unknown): boolean =>
  error instanceof SqlError &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  deadlocks.includes(error.cause.code)
