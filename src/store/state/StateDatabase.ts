/** Opens a state folder's database: for writing, for reading, or in memory. Loads SQLite. */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { layer as reactivity } from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { findAll } from "@effect/sql/SqlSchema"
import { SqliteClient } from "@effect/sql-sqlite-node"
import type { Database } from "better-sqlite3"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { makeFolder } from "../../system/Folder.ts"
import { rowFault } from "./GuardedStatements.ts"
import { migrateState, migrationNames, migrationsTable, schemaVersion } from "./StateMigrations.ts"
import Sqlite from "./Sqlite.ts"
import { failOrDie, type StateBusy, StateUnusable, unreadFault, mapStateError } from "./StateErrors.ts"
import { type SharedClips, StateFolder } from "./StateFolder.ts"
import { lockFolder } from "./WriterLock.ts"

/**
 * Opens a state folder for writing: creates it if missing, and locks it until the layer is released.
 *
 * Commits reach the operating system (WAL, synchronous=NORMAL), so a crash of the process loses none. Announcements
 * must also survive a power cut: `WriteBatcher` syncs them to disk, without an fsync on this thread per commit. The
 * clips are in the folder, or in one shared by several machines.
 */
export const writableState = (
  folder: string,
  sharedClips?: SharedClips
): Layer.Layer<StateFolder | SqlClient, StateBusy | StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const clips = sharedClips?.folder ?? join(folder, "clips")
      yield* mapStateError(folder, () => makeFolder(folder))
      yield* mapStateError(clips, () => makeFolder(clips))
      yield* lockFolder(folder)
      const file = join(folder, "state.sqlite")
      // Clips in a shared folder may belong to other machines.
      if (sharedClips === undefined && (yield* mapStateError(folder, () => isLost(file, clips))))
        return yield* new StateUnusable({ folder, reason: "lost", detail: "" })
      // WAL changes the file, which may be another program's.
      const sql = yield* openDatabase(folder, { filename: file, disableWAL: true })
      yield* Effect.gen(function* () {
        yield* refuseNewer(folder, sql)
        yield* sql.unsafe("PRAGMA journal_mode = WAL")
        yield* sql.unsafe("PRAGMA synchronous = NORMAL")
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
          shared: sharedClips,
          log: `${file}-wal`,
          changes
        })
      )
    })
  )

/** Opens a state folder for reading, also while a run writes to it. */
export const readableState = (
  folder: string,
  sharedClips?: SharedClips
): Layer.Layer<StateFolder | SqlClient, StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const file = join(folder, "state.sqlite")
      const sql = yield* openDatabase(folder, { filename: file, readonly: true, disableWAL: true }).pipe(
        Effect.tap((opened) => refuseOther(folder, opened)),
        Effect.mapError((fault) => unreadFault(fault, mayWrite(folder)))
      )
      return Context.make(SqlClient, sql).pipe(
        Context.add(StateFolder, {
          folder,
          clips: sharedClips?.folder ?? join(folder, "clips"),
          shared: sharedClips,
          log: undefined,
          changes: undefined
        })
      )
    })
  )

/**
 * State that ends with the process, over a clip folder that several machines share: another process stores what must be
 * kept.
 */
export const passingState = (shared: SharedClips): Layer.Layer<StateFolder | SqlClient, StateUnusable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const clips = shared.folder
      yield* mapStateError(clips, () => makeFolder(clips))
      const sql = yield* openDatabase(clips, { filename: ":memory:", disableWAL: true })
      yield* Effect.orDie(Effect.provideService(migrateState, SqlClient, sql))
      return Context.make(SqlClient, sql).pipe(
        Context.add(StateFolder, { folder: clips, clips, shared, log: undefined, changes: undefined })
      )
    })
  )

/** Returns whether this process may write to an existing folder; true if the folder does not exist. */
const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return !existsSync(folder)
  }
}

/** Returns whether there are clips, but no database that describes them. */
const isLost = (file: string, clips: string): boolean =>
  [file, `${file}-wal`].every((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) &&
  readdirSync(clips).some((name) => name.endsWith(".wav"))

/** 2 MB per connection, SQLite's default; that of better-sqlite3 is 16 MB, which a batch of 20,000 lines fills. */
const smallCache = "cache_size = -2000"

const openDatabase = (
  folder: string,
  config: SqliteClient.SqliteClientConfig
): Effect.Effect<SqlClient, StateUnusable, Scope.Scope> =>
  SqliteClient.make(config).pipe(
    Effect.tap((sql) => sql.unsafe(`PRAGMA ${smallCache}`)),
    Effect.provide(reactivity),
    Effect.catchTag("SqlError", (error) => failOrDie(folder, error)),
    // The client opens its file during creation, and throws on failure.
    Effect.catchAllDefect((defect) => failOrDie(folder, defect))
  )

/** Opens another connection to a database that is already open. */
const anotherConnection = (
  folder: string,
  file: string
): Effect.Effect<Database, StateUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    mapStateError(folder, () => {
      const database = new Sqlite(file)
      database.pragma("synchronous = NORMAL")
      database.pragma(smallCache)
      return database
    }),
    (database) => Effect.sync(() => database.close())
  )

/** A table, an index, or something that a state has none of: a trigger or a view. */
const SchemaRow = Schema.Struct({ type: Schema.String, name: Schema.String })
const MigrationRow = Schema.Struct({ id: Schema.Int, name: Schema.String })

/** Returns the version of a state's schema; 0 if the file is new. Fails if its tables are not those of a state. */
const versionOf = (folder: string, sql: SqlClient): Effect.Effect<number, StateUnusable> =>
  Effect.gen(function* () {
    const parts = yield* findAll({
      Request: Schema.Void,
      Result: SchemaRow,
      execute: () => sql`SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'`
    })()
    const odd = parts.find(({ type }) => type !== "table" && type !== "index")
    if (odd !== undefined) return yield* foreign(folder, `it has a ${odd.type}, ${odd.name}`)
    if (parts.length === 0) return 0
    const applied = yield* findAll({
      Request: Schema.Void,
      Result: MigrationRow,
      execute: () => sql`SELECT migration_id AS id, name FROM ${sql(migrationsTable)}`
    })()
    const wrong = applied.find(({ id, name }) => id <= schemaVersion && migrationNames[id - 1] !== name)
    if (wrong !== undefined) return yield* foreign(folder, `it has a migration ${wrong.name}`)
    // Tables and their migration are created in one transaction.
    const other = parts.find(({ name }) => name !== migrationsTable)
    if (applied.length === 0 && other !== undefined)
      return yield* foreign(folder, `it has a table ${other.name}`)
    return Math.max(0, ...applied.map(({ id }) => id))
  }).pipe(
    Effect.catchTags({
      ParseError: (error) => rowFault(folder, migrationsTable, error),
      SqlError: (error) => failOrDie(folder, error)
    })
  )

const foreign = (folder: string, detail: string) => new StateUnusable({ folder, reason: "foreign", detail })

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
