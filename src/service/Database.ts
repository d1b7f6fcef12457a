/** The service's own SQLite file: its tables, and how they grow. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { make as makeMigrator, fromRecord } from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, Layer, Schema } from "effect"

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
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    },
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `cannot be made (${reasonOf(cause)}); name another with --data`
      })
  })

/**
 * The database in a data folder that exists. Several processes may have it open: the service, and the commands that make
 * keys. `durable` makes every commit reach the disk before it counts, so that a power cut loses nothing either; without
 * it a commit survives the death of the process only.
 */
export const layer = (
  folder: string,
  options: { readonly durable: boolean }
): Layer.Layer<SqlClient, DataFolderUnusable> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql.unsafe("PRAGMA busy_timeout = 10000")
      yield* sql.unsafe(`PRAGMA synchronous = ${options.durable ? "FULL" : "NORMAL"}`)
      yield* sql.unsafe("PRAGMA foreign_keys = ON")
      yield* migrate
    })
  ).pipe(
    Layer.provideMerge(SqliteClient.layer({ filename: join(folder, "service.sqlite") })),
    Layer.catchAllCause((cause) =>
      Layer.fail(
        new DataFolderUnusable({
          folder,
          detail: `service.sqlite in it cannot be opened (${cause.toString().split("\n")[0] ?? ""})`
        })
      )
    )
  )

/** The system's own words for a failure, without its stack. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const statements =
  (...all: ReadonlyArray<string>) =>
  (sql: SqlClient) =>
    Effect.forEach(all, (statement) => sql.unsafe(statement), { discard: true })

const migrate = makeMigrator({})({
  table: "migrations",
  loader: fromRecord({
    "0001_accounts_keys_tasks": Effect.flatMap(
      SqlClient,
      statements(
        // Credits are whole numbers. `granted` is NULL where the account has no limit; what can be spent is
        // granted - used - reserved. `tasks` counts the account's tasks, so that a page of them needs no count.
        `CREATE TABLE accounts (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL,
          visible INTEGER NOT NULL DEFAULT 1,
          granted INTEGER,
          used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
          reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
          tasks INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0),
          created_at INTEGER NOT NULL
        ) STRICT`,
        // A key is found by its digest's first bytes and then compared whole.
        `CREATE TABLE keys (
          id INTEGER PRIMARY KEY,
          account_id INTEGER NOT NULL REFERENCES accounts (id),
          name TEXT NOT NULL,
          hint TEXT NOT NULL,
          selector INTEGER NOT NULL,
          digest BLOB NOT NULL UNIQUE,
          imported INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          revoked_at INTEGER
        ) STRICT`,
        `CREATE INDEX keys_by_selector ON keys (selector)`,
        // `text` is emptied when the task has ended: it is needed no longer.
        `CREATE TABLE tasks (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          task_id TEXT NOT NULL UNIQUE,
          account_id INTEGER NOT NULL REFERENCES accounts (id),
          status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'done', 'failed')),
          provider TEXT NOT NULL,
          model_id TEXT NOT NULL,
          voice_id TEXT NOT NULL,
          voice_name TEXT,
          text TEXT,
          input TEXT NOT NULL CHECK (input IN ('text', 'srt')),
          want_srt INTEGER NOT NULL,
          want_json INTEGER NOT NULL,
          speed REAL NOT NULL,
          vol REAL NOT NULL,
          pitch REAL NOT NULL,
          characters INTEGER NOT NULL,
          credits INTEGER NOT NULL CHECK (credits >= 0),
          attempts INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          completed_at INTEGER,
          duration_ms INTEGER,
          format TEXT,
          has_srt INTEGER NOT NULL DEFAULT 0,
          has_json INTEGER NOT NULL DEFAULT 0,
          error_code TEXT,
          error_message TEXT
        ) STRICT`,
        `CREATE INDEX tasks_by_account ON tasks (account_id, id)`,
        `CREATE INDEX tasks_waiting ON tasks (provider, id) WHERE status = 'queued'`,
        `CREATE INDEX tasks_under_way ON tasks (status) WHERE status IN ('queued', 'processing')`,
        `CREATE INDEX tasks_ended ON tasks (completed_at) WHERE completed_at IS NOT NULL`,
        // What an account has deleted, for a while: deleting it again is no error, while a stranger's id stays unknown.
        `CREATE TABLE deleted (
          task_id TEXT PRIMARY KEY,
          account_id INTEGER NOT NULL,
          deleted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`
      )
    )
  })
})
