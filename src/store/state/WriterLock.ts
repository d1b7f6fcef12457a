/**
 * The single-writer lock of a state folder: an exclusive transaction on a small database of its own. The operating
 * system releases it when the process ends for any reason, so it is never stale. A file beside it names the holder, for
 * people.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { Clock, Effect, Option, Schema, type Scope } from "effect"
import { failOrDie, Holder, StateBusy, type StateUnusable, mapStateError } from "./StateErrors.ts"

/** Locks a folder until the scope closes. The folder must exist. */
export const lockFolder = (folder: string): Effect.Effect<Holder, StateBusy | StateUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const since = new Date(yield* Clock.currentTimeMillis).toISOString()
    const holder = Holder.make({ pid: process.pid, host: hostname(), since })
    yield* Effect.acquireRelease(takeLock(folder), (lock) => Effect.sync(() => lock.close()))
    yield* Effect.acquireRelease(
      mapStateError(folder, () => writeFileSync(nameFile(folder), `${JSON.stringify(holder)}\n`)),
      // The folder may be missing by now. Without the lock, the name is meaningless.
      () => Effect.try(() => rmSync(nameFile(folder), { force: true })).pipe(Effect.option)
    )
    return holder
  })

/** Returns the holder that the name file gives. It may no longer hold the folder. */
const namedHolder = (folder: string): Holder | undefined => {
  try {
    return Option.getOrUndefined(readHolder(readFileSync(nameFile(folder), "utf8")))
  } catch {
    return undefined
  }
}

const readHolder = Schema.decodeOption(Schema.parseJson(Holder))

const nameFile = (folder: string): string => join(folder, "holder.json")

const takeLock = (folder: string): Effect.Effect<Sqlite.Database, StateBusy | StateUnusable> =>
  Effect.suspend((): Effect.Effect<Sqlite.Database, StateBusy | StateUnusable> => {
    let lock: Sqlite.Database | undefined
    try {
      lock = new Sqlite(join(folder, "lock.sqlite"), { timeout: 0 })
      lock.exec("BEGIN EXCLUSIVE")
      return Effect.succeed(lock)
    } catch (cause) {
      lock?.close()
      const busy = cause instanceof Sqlite.SqliteError && cause.code.startsWith("SQLITE_BUSY")
      return busy
        ? Effect.fail(new StateBusy({ folder, ...spread(namedHolder(folder)) }))
        : failOrDie(folder, cause)
    }
  })

const spread = (holder: Holder | undefined) => (holder === undefined ? {} : { holder })
