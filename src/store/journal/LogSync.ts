/** Syncs a database's write-ahead log to disk. */
import { closeSync, openSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { syncToDisk } from "../../system/AtomicFile.ts"

/**
 * Makes a function that syncs a log off this thread. It opens the log at the first call and closes it with the scope:
 * the log stays the same file as long as the database is open. Rejects with file system errors.
 */
export const makeLogSync = (log: string): Effect.Effect<() => Promise<void>, never, Scope.Scope> => {
  let file: number | undefined
  const sync = async () => {
    file ??= openSync(log, "r+")
    await syncToDisk(file)
  }
  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (file !== undefined) closeSync(file)
      })
    ),
    sync
  )
}
