/** The folder in which a batch's state lives: its database, its clips, and the lock of its one writer. */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { layer as reactivity } from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqliteClient } from "@effect/sql-sqlite-node"
import type { Database } from "better-sqlite3"
import { Context, Effect, Layer, type Scope } from "effect"
import { makeFolder } from "./Folder.ts"
import { migrateState, migrationsTable, schemaVersion } from "./StateMigrations.ts"
import Sqlite from "./Sqlite.ts"
import {
  failOrDie,
  type StateBusy,
  stateFault,
  StateUnusable,
  unreadFault,
  mapStateError
} from "./StateErrors.ts"
import { lockFolder } from "./WriterLock.ts"

/** An open state folder. */
export class StateFolder extends Context.Tag("store/StateFolder")<
  StateFolder,
  {
    /** Absolute. */
    readonly folder: string
    /** Where the clips are; absolute. */
    readonly clips: string
    /** Whether other machines write clips there too. */
    readonly shared: boolean
    /**
     * The database's log, which is brought to the disk before a create is sent; absent where the folder is only read.
     */
    readonly log: string | undefined
    /**
     * A connection for changes of utterances alone; absent where the folder is only read, and where the database is in
     * memory.
     */
    readonly changes: Database | undefined
  }
>() {}

/**
 * A state folder to write to, made where it is missing and held until the layer is released. Commits reach the
 * operating system (WAL, synchronous=NORMAL), so the death of the process loses none; what must also survive a power
 * cut, an announcement, is brought to the disk by `Journal`, without an fsync on this thread for every commit. The
 * clips lie in the folder too, or in one that many machines share.
 */
export const writableState = (
  folder: string,
  sharedClips?: string
): Layer.Layer<StateFolder | SqlClient, StateBusy | StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const clips = sharedClips ?? join(folder, "clips")
      yield* mapStateError(folder, () => makeFolder(folder))
      yield* mapStateError(clips, () => makeFolder(clips))
      yield* lockFolder(folder)
      const file = join(folder, "state.sqlite")
      // Clips of a folder that many machines share are others', too.
      if (sharedClips === undefined && (yield* mapStateError(folder, () => isLost(file, clips))))
        return yield* new StateUnusable({ folder, reason: "lost", detail: "" })
      const sql = yield* openDatabase(folder, { filename: file })
      yield* Effect.gen(function* () {
        yield* sql.unsafe("PRAGMA synchronous = NORMAL")
        yield* refuseNewer(folder, sql)
        yield* migrateState
      }).pipe(
        Effect.provideService(SqlClient, sql),
        Effect.catchTags({
          SqlError: (error) => failOrDie(folder, error),
          MigrationError: (error) => Effect.die(error)
        }),
        Effect.catchAllDefect((defect) => failOrDie(folder, defect))
      )
      const changes = yield* anotherConnection(folder, file)
      return Context.make(SqlClient, sql).pipe(
        Context.add(StateFolder, {
          folder,
          clips,
          shared: sharedClips !== undefined,
          log: `${file}-wal`,
          changes
        })
      )
    })
  )

/** A state folder to read from, safe while a run writes to it. */
export const readableState = (
  folder: string,
  sharedClips?: string
): Layer.Layer<StateFolder | SqlClient, StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const file = join(folder, "state.sqlite")
      if (!existsSync(file)) return yield* new StateUnusable({ folder, reason: "missing", detail: "" })
      const sql = yield* openDatabase(folder, { filename: file, readonly: true, disableWAL: true }).pipe(
        Effect.tap((opened) => refuseOther(folder, opened)),
        Effect.mapError((fault) => unreadFault(fault, mayWrite(folder)))
      )
      return Context.make(SqlClient, sql).pipe(
        Context.add(StateFolder, {
          folder,
          clips: sharedClips ?? join(folder, "clips"),
          shared: sharedClips !== undefined,
          log: undefined,
          changes: undefined
        })
      )
    })
  )

/**
 * State that is gone with its process, over a folder of clips that many machines share: somebody else keeps what
 * matters.
 */
export const passingState = (clips: string): Layer.Layer<StateFolder | SqlClient, StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      yield* mapStateError(clips, () => makeFolder(clips))
      const sql = yield* openDatabase(clips, { filename: ":memory:", disableWAL: true })
      yield* Effect.orDie(Effect.provideService(migrateState, SqlClient, sql))
      return Context.make(SqlClient, sql).pipe(
        Context.add(StateFolder, { folder: clips, clips, shared: true, log: undefined, changes: undefined })
      )
    })
  )

/** Whether this process may write to a folder that is there; true of one that is not. */
const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return !existsSync(folder)
  }
}

/** Whether there are clips, and nothing that says what they are. */
const isLost = (file: string, clips: string): boolean =>
  [file, `${file}-wal`].every((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) &&
  readdirSync(clips).some((name) => name.endsWith(".wav"))

const openDatabase = (
  folder: string,
  config: SqliteClient.SqliteClientConfig
): Effect.Effect<SqlClient, StateUnusable, Scope.Scope> =>
  SqliteClient.make(config).pipe(
    Effect.provide(reactivity),
    // The client opens its file while it is made, and throws.
    Effect.catchAllDefect((defect) => failOrDie(folder, defect))
  )

/** Another connection to a database that is open already. */
const anotherConnection = (
  folder: string,
  file: string
): Effect.Effect<Database, StateUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    mapStateError(folder, () => {
      const database = new Sqlite(file)
      database.pragma("synchronous = NORMAL")
      return database
    }),
    (database) => Effect.sync(() => database.close())
  )

const versionOf = (folder: string, sql: SqlClient): Effect.Effect<number, StateUnusable> =>
  sql<{ version: number | null }>`SELECT max(migration_id) AS version FROM ${sql(migrationsTable)}`.pipe(
    Effect.map((rows) => rows[0]?.version ?? 0),
    // A file without the table is new, or was left by a run that died while making it.
    Effect.catchTag("SqlError", (error) =>
      stateFault(folder, error) === undefined ? Effect.succeed(0) : failOrDie(folder, error)
    )
  )

const refuseNewer = (folder: string, sql: SqlClient) =>
  Effect.flatMap(versionOf(folder, sql), (version) =>
    version > schemaVersion
      ? new StateUnusable({ folder, reason: "newer", detail: `schema ${version}, known ${schemaVersion}` })
      : Effect.void
  )

const refuseOther = (folder: string, sql: SqlClient) =>
  Effect.flatMap(versionOf(folder, sql), (version) =>
    version === schemaVersion
      ? Effect.void
      : new StateUnusable({
          folder,
          reason: version > schemaVersion ? "newer" : version === 0 ? "missing" : "older",
          detail: version === 0 ? "" : `schema ${version}, known ${schemaVersion}`
        })
  )
