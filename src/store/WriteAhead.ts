/** SQLite files that several processes may open at once, also while they are new. */
import Sqlite from "better-sqlite3"
import { Effect, Schedule } from "effect"

/**
 * Has a file keep a write-ahead log, for good, before anybody works with it. Where another process is about to do the same, or makes the
 * first tables, SQLite says that the file is locked without waiting for it, whatever it was told: it is asked again for ten seconds.
 * Fails with SQLite's error as the cause.
 */
export const writeAhead = (file: string) =>
  Effect.try(() => {
    const database = new Sqlite(file)
    try {
      database.pragma("journal_mode = WAL")
    } finally {
      database.close()
    }
  }).pipe(
    Effect.retry({
      while: ({ error }) => error instanceof Sqlite.SqliteError && error.code === "SQLITE_BUSY",
      schedule: Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(200))
    })
  )
