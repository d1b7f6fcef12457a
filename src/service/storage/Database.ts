/** Opens the service's SQLite database in its data folder. */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Cause, Effect, Layer, Option } from "effect"
import { makeLogSync } from "../../store/journal/LogSync.ts"
import { createPrivate, DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"
import { Replica } from "./Replica.ts"
import { migrateService, WrittenByNewer } from "./ServiceMigrations.ts"
import { waitForTurn } from "./WriteTransaction.ts"

/** Returns the database's path in a data folder. */
export const fileIn = (folder: string): string => join(folder, "service.sqlite")

/**
 * Opens the database in the data folder. Several processes may have it open: the service and the `keys` commands. With
 * `durable`, every transaction is synced to disk.
 */
export const serviceDatabase: Layer.Layer<SqlClient | Replica, DataFolderUnusable, DataFolder> =
  Layer.unwrapEffect(
    Effect.map(DataFolder, ({ path: folder, durable }) =>
      Layer.scoped(
        SqlClient,
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql.unsafe("PRAGMA busy_timeout = 10000")
          yield* writeAhead
          // A new file, and its log, are there after a power failure.
          yield* sql.unsafe(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`)
          yield* sql.unsafe("PRAGMA foreign_keys = ON")
          yield* migrateService
          // SQLite would wait on the thread that answers. Checkpoints sync there: fewer write each page less often.
          yield* sql.unsafe("PRAGMA busy_timeout = 0")
          yield* sql.unsafe("PRAGMA wal_autocheckpoint = 8000")
          yield* waitElsewhere
          if (!durable) return sql
          yield* sql.unsafe("PRAGMA synchronous = NORMAL")
          return withSyncedTransactions(sql, yield* makeLogSync(`${fileIn(folder)}-wal`))
        })
      ).pipe(
        Layer.provide(
          Layer.unwrapEffect(
            Effect.sync(() => {
              createPrivate(fileIn(folder))
              return SqliteClient.layer({ filename: fileIn(folder), disableWAL: true })
            })
          )
        ),
        Layer.merge(Layer.sync(Replica, () => ({ id: randomUUID(), sharing: undefined }))),
        Layer.catchAllCause((cause) =>
          Layer.fail(new DataFolderUnusable({ folder, detail: `service.sqlite ${troubleOf(cause)}` }))
        )
      )
    )
  )

/** Makes statements outside transactions wait for another process's lock while other requests are answered. */
const waitElsewhere = Effect.gen(function* () {
  const connection = yield* Effect.scoped(Effect.flatMap(SqlClient, ({ reserve }) => reserve))
  const { execute, executeRaw, executeValues } = connection
  const patient = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.flatMap(Effect.serviceOption(TransactionConnection), (transaction) =>
      Option.isSome(transaction) ? statement : waitForTurn(statement)
    )
  Object.assign(connection, {
    execute: (...statement: Parameters<typeof execute>) => patient(execute(...statement)),
    executeRaw: (...statement: Parameters<typeof executeRaw>) => patient(executeRaw(...statement)),
    executeValues: (...statement: Parameters<typeof executeValues>) => patient(executeValues(...statement))
  })
})

/**
 * Switches the database to WAL mode, permanently. If another process is doing the same or creating the first tables,
 * SQLite returns SQLITE_BUSY at once, despite `busy_timeout`.
 */
const writeAhead = waitForTurn(Effect.flatMap(SqlClient, (sql) => sql.unsafe("PRAGMA journal_mode = WAL")))

const troubleOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (error instanceof WrittenByNewer)
    return "comes from a newer version of dubwright; use that version, or choose another folder"
  const deeper = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `cannot be opened (${openFailureReason(deeper)})`
}

/**
 * Transactions that are on disk when they succeed, without an fsync on the thread that answers: SQLite's own
 * (`synchronous=FULL`) stops it for milliseconds per commit, and much longer beside busy programs.
 */

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
