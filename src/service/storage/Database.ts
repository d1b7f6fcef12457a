/** Opens the service's SQLite database in its data folder. */
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqliteClient } from "@effect/sql-sqlite-node"
import Sqlite from "better-sqlite3"
import { Cause, Effect, Layer, Option, Schedule, Schema } from "effect"
import { makeFolder } from "../../store/state/Folder.ts"
import { migrateService, WrittenByNewer } from "./ServiceMigrations.ts"

/** The data folder, or a file in it, cannot be used. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()("DataFolderUnusable", {
  folder: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.folder}: ${this.detail}`
  }
}

/** Creates the data folder if missing, readable only by its owner since it holds users' texts. */
export const makeDataFolder = (folder: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.try({
    try: () => makeFolder(folder, 0o700),
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `cannot create the folder (${openFailureReason(cause)}); choose another with --data`
      })
  })

/** Returns the database's path in a data folder. */
export const fileIn = (folder: string): string => join(folder, "service.sqlite")

/**
 * Opens the database in an existing data folder. Several processes may have it open: the service and the `keys`
 * commands. With `durable`, every commit is synced to disk and survives a power failure. Without it, a commit survives
 * a crash of the process only.
 */
export const serviceDatabase = (
  folder: string,
  options: { readonly durable: boolean }
): Layer.Layer<SqlClient, DataFolderUnusable> => {
  const file = fileIn(folder)
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql.unsafe("PRAGMA busy_timeout = 10000")
      yield* writeAhead
      yield* sql.unsafe(`PRAGMA synchronous = ${options.durable ? "FULL" : "NORMAL"}`)
      yield* sql.unsafe("PRAGMA foreign_keys = ON")
      yield* migrateService
    })
  ).pipe(
    Layer.provideMerge(SqliteClient.layer({ filename: file, disableWAL: true })),
    Layer.catchAllCause((cause) =>
      Layer.fail(new DataFolderUnusable({ folder, detail: `service.sqlite ${troubleOf(cause)}` }))
    )
  )
}

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

/** Returns a failure's message, without its stack. */
export const openFailureReason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

const troubleOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (error instanceof WrittenByNewer)
    return "was written by a newer version of dubwright; use that version, or choose another folder"
  const deeper = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `cannot be opened (${openFailureReason(deeper)})`
}
