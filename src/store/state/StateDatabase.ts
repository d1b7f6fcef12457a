/** Opens a state folder's database: for writing, for reading, or in memory. Loads SQLite. */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { layer as reactivity } from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { findAll } from "@effect/sql/SqlSchema"
import { SqliteClient } from "@effect/sql-sqlite-node"
import type { Database } from "better-sqlite3"
import { Context, Effect, Layer, Schema, Logger, LogLevel, type Scope } from "effect"
import { fromRecord, make } from "@effect/sql/Migrator"
import { makeFolder } from "../../system/Folder.ts"
import { rowFault } from "./GuardedStatements.ts"
import Sqlite from "./Sqlite.ts"
import { failOrDie, StateUnusable, unreadFault, mapStateError, type StateBusy } from "./StateErrors.ts"
import { StateFolder, type SharedClips } from "./StateFolder.ts"
import { lockFolder } from "./WriterLock.ts"

/** The table of applied migrations. */
const migrationsTable = "migrations"

const statements = (...all: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(all, (statement) => sql.unsafe(statement), { discard: true })
  )

const steps = {
  "0001_utterances_clips_tasks": statements(
    // Times are milliseconds since 1970. `take` is the number of the current or next create, and `task` the current
    // take's task. `rerolls` and `losses` count takes abandoned for bad audio and for service failures.
    `CREATE TABLE utterance (
      id INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      state TEXT NOT NULL,
      casting TEXT NOT NULL,
      provider TEXT NOT NULL,
      input TEXT NOT NULL,
      text TEXT NOT NULL,
      said TEXT NOT NULL,
      characters INTEGER NOT NULL,
      label TEXT NOT NULL,
      take INTEGER NOT NULL DEFAULT 1,
      task TEXT,
      announced_at INTEGER,
      rerolls INTEGER NOT NULL DEFAULT 0,
      losses INTEGER NOT NULL DEFAULT 0,
      setback TEXT,
      changed_at INTEGER NOT NULL
    )`,
    `CREATE TABLE clip (
      key TEXT PRIMARY KEY,
      rate INTEGER NOT NULL,
      frames INTEGER NOT NULL,
      checksum TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      cut TEXT NOT NULL,
      segments TEXT NOT NULL,
      suspect TEXT
    ) WITHOUT ROWID`,
    // Every paid task, whether it succeeded or not. `credits` is NULL if the service does not report them.
    `CREATE TABLE task (
      task TEXT PRIMARY KEY,
      key TEXT NOT NULL,
      take INTEGER NOT NULL,
      provider TEXT NOT NULL,
      characters INTEGER NOT NULL,
      credits REAL,
      adopted INTEGER NOT NULL,
      made_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX task_by_time ON task (made_at)`,
    // The utterances that a job of a batch uses. `digest` identifies an unchanged list without reading it.
    `CREATE TABLE job (
      batch TEXT NOT NULL,
      job TEXT NOT NULL,
      position INTEGER NOT NULL,
      digest TEXT NOT NULL,
      PRIMARY KEY (batch, job)
    ) WITHOUT ROWID`,
    `CREATE TABLE job_use (
      batch TEXT NOT NULL,
      job TEXT NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (batch, job, key)
    ) WITHOUT ROWID`,
    `CREATE TABLE learned (
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (kind, subject)
    ) WITHOUT ROWID`
  ),
  "0002_deliveries": statements(
    // The last delivery of a job. `digest` shows whether it would deliver the same again; `files` is a JSON list of
    // path and bytes.
    `CREATE TABLE delivery (
      folder TEXT NOT NULL,
      job TEXT NOT NULL,
      digest TEXT NOT NULL,
      files TEXT NOT NULL,
      PRIMARY KEY (folder, job)
    ) WITHOUT ROWID`
  ),
  "0003_batches": statements(
    // Batches that were begun and have not ended. Their spending is counted from `begun_at`.
    `CREATE TABLE batch (
      batch TEXT PRIMARY KEY,
      begun_at INTEGER NOT NULL
    ) WITHOUT ROWID`
  ),
  "0004_finished": statements(
    // Batches whose last run left nothing to do: the run's inputs and outputs, as JSON.
    `CREATE TABLE finished (
      batch TEXT PRIMARY KEY,
      record TEXT NOT NULL
    ) WITHOUT ROWID`
  ),
  "0005_transcripts": statements(
    // Recognisers' transcripts of a clip, as a JSON list, by the checksum of its file.
    `CREATE TABLE transcript (
      checksum TEXT NOT NULL,
      recogniser TEXT NOT NULL,
      texts TEXT NOT NULL,
      PRIMARY KEY (checksum, recogniser)
    ) WITHOUT ROWID`
  ),
  "0006_pool_voices": statements(
    // The voice that a speaker got from the pool of a cast. `file` is the manifest or cast file.
    `CREATE TABLE pool_voice (
      file TEXT NOT NULL,
      language TEXT NOT NULL,
      speaker TEXT NOT NULL,
      voice TEXT NOT NULL,
      PRIMARY KEY (file, language, speaker)
    ) WITHOUT ROWID`
  ),
  "0007_clip_engines": statements(
    // The engine that spoke a clip, if the service says so.
    `ALTER TABLE clip ADD COLUMN engine TEXT`
  ),
  "0008_rewritings": statements(
    // A rewriter's replies for a line that did not fit. `file` is the manifest, `line` the line's name in the overrides
    // file, and `record` JSON of the line's words and the replies.
    `CREATE TABLE rewriting (
      file TEXT NOT NULL,
      job TEXT NOT NULL,
      line TEXT NOT NULL,
      rewriter TEXT NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (file, job, line)
    ) WITHOUT ROWID`
  ),
  "0009_create_keys": statements(
    // The idempotency key of an utterance's last create, announced at `announced_at`.
    `ALTER TABLE utterance ADD COLUMN create_key TEXT`
  ),
  "0010_tasks_of_restored_clips": statements(
    // Earlier versions put clips back without their tasks, and could not continue an utterance whose clip was missing
    // later. The last paid task spoke the same text.
    `UPDATE utterance SET task = (SELECT task FROM task WHERE task.key = utterance.key ORDER BY take DESC LIMIT 1)
     WHERE task IS NULL AND state IN ('submitted', 'settled', 'fetched', 'placed')`,
    `UPDATE utterance SET state = 'planned' WHERE task IS NULL AND state IN ('submitted', 'settled')`
  )
}

/** The schema version that this program writes. */
const schemaVersion = Object.keys(steps).length

/** The names of all migrations, as the database records them. The first has number 1. */
const migrationNames: ReadonlyArray<string> = Object.keys(steps).map((step) => step.slice(5))

/** Applies the migrations that a file lacks. */
const migrateState = make({})({ table: migrationsTable, loader: fromRecord(steps) }).pipe(
  // The migrator logs every step, which is noise even in a verbose run.
  Logger.withMinimumLogLevel(LogLevel.Warning)
)

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
