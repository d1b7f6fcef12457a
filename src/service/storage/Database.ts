/** The service's own SQLite file: its tables, and how they grow. */
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

/** Makes the data folder where it is missing; readable by its owner alone, since it holds people's words. */
export const makeDataFolder = (folder: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.try({
    try: () => makeFolder(folder, 0o700),
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `cannot be made (${openFailureReason(cause)}); name another with --data`
      })
  })

/** Where the database of a data folder lies. */
export const fileIn = (folder: string): string => join(folder, "service.sqlite")

/**
 * The database in a data folder that exists. Several processes may have it open: the service, and the commands that
 * make keys. `durable` makes every commit reach the disk before it counts, so that a power cut loses nothing either;
 * without it a commit survives the death of the process only.
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
      Layer.fail(new DataFolderUnusable({ folder, detail: `service.sqlite in it ${troubleOf(cause)}` }))
    )
  )
}

/**
 * Has the file keep a write-ahead log, for good. Where another process is about to do the same, or makes the first
 * tables, SQLite says that the file is locked without waiting for it, whatever it was told: it is asked again for ten
 * seconds.
 */
const writeAhead = Effect.flatMap(SqlClient, (sql) => sql.unsafe("PRAGMA journal_mode = WAL")).pipe(
  Effect.retry({
    while: ({ cause }) => cause instanceof Sqlite.SqliteError && cause.code === "SQLITE_BUSY",
    schedule: Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(200))
  })
)

/** The system's own words for a failure, without its stack. */
export const openFailureReason = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

const troubleOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  if (error instanceof WrittenByNewer)
    return "was written by a newer dubwright; use that one, or name another folder"
  const deeper = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `cannot be opened (${openFailureReason(deeper)})`
}
