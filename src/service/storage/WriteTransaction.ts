/** Transactions that write, on both databases. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Schedule } from "effect"

/**
 * Runs statements in a transaction. The first statement should write: then SQLite's refusal, because another process
 * has the lock, comes before any change.
 */
export const inWriteTransaction =
  (sql: SqlClient) =>
  <A, E, R>(statements: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    waitForTurn(sql.withTransaction(statements))

/**
 * Runs a statement or a transaction again, for 10 s, while another process has the lock. If two transactions wait for
 * each other, PostgreSQL ends one of them: that one runs again, too.
 */
export const waitForTurn = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Most statements need no retry: they make no schedule.
  Effect.catchIf(work, isPassing, () => Effect.retry(Effect.delay(work, "20 millis"), turns))

const isPassing = (error: unknown): boolean =>
  isBusy(error) || (error instanceof SqlError && deadlocks.includes(codeOf(error)))

const turns = { while: isPassing, schedule: Schedule.upTo(Schedule.spaced("20 millis"), "10 seconds") }

/** PostgreSQL's codes of deadlocks and serialization failures. */
const deadlocks: ReadonlyArray<unknown> = ["40P01", "40001"]

/** Whether another process has SQLite's lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SqlError && String(codeOf(error)).startsWith("SQLITE_BUSY")

const codeOf = ({ cause }: SqlError): unknown =>
  cause instanceof Error && "code" in cause ? cause.code : undefined
