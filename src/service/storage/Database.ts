/** Opens the service's SQLite database in its data folder. */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqliteClient } from "@effect/sql-sqlite-node"
import Sqlite from "better-sqlite3"
import { Cause, Effect, Layer, Option, Schedule } from "effect"
import { makeLogSync } from "../../store/journal/LogSync.ts"
import { DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"
import { Replica } from "./Replica.ts"
import { migrateService, WrittenByNewer } from "./ServiceMigrations.ts"
import { withSyncedTransactions } from "./SyncedTransactions.ts"

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
          if (!durable) return sql
          yield* sql.unsafe("PRAGMA synchronous = NORMAL")
          return withSyncedTransactions(sql, yield* makeLogSync(`${fileIn(folder)}-wal`))
        })
      ).pipe(
        Layer.provide(SqliteClient.layer({ filename: fileIn(folder), disableWAL: true })),
        Layer.merge(Layer.sync(Replica, () => ({ id: randomUUID(), sharing: undefined }))),
        Layer.catchAllCause((cause) =>
          Layer.fail(new DataFolderUnusable({ folder, detail: `service.sqlite ${troubleOf(cause)}` }))
        )
      )
    )
  )

/**
 * Switches the database to WAL mode, permanently. If another process is doing the same or creating the first tables,
 * SQLite returns SQLITE_BUSY at once, despite `busy_timeout`. Retries for 10 s.
 */
const writeAhead = Effect.flatMap(SqlClient, (sql) => sql.unsafe("PRAGMA journal_mode = WAL")).pipe(
  Effect.retry({
    while: ({ cause }) => cause instanceof Sqlite.SqliteError && cause.code === "SQLITE_BUSY",
    schedule: Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(200))
  })
)

const troubleOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (error instanceof WrittenByNewer)
    return "comes from a newer version of dubwright; use that version, or choose another folder"
  const deeper = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `cannot be opened (${openFailureReason(deeper)})`
}
