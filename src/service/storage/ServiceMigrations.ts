/** Schema and migrations of the service's SQLite database. */
import { make as makeMigrator, fromRecord } from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { Data, Effect, Record, Schedule } from "effect"

/** A newer version of the program has migrated the database. */
export class WrittenByNewer extends Data.TaggedError("WrittenByNewer")<{ readonly version: number }> {}

/** Statements, in order, by the names of the migrations. */
type Migrations = Readonly<Record<string, ReadonlyArray<string>>>

/**
 * Applies pending migrations. Several processes may do so at once: one migrates, the others retry for 10 s. Returns the
 * database's version, which a newer version of the program may have set.
 */
export const applyMigrations = (migrations: Migrations) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const run = (statements: ReadonlyArray<string>) => Effect.forEach(statements, (each) => sql.unsafe(each))
    yield* makeMigrator({})({ table: "migrations", loader: fromRecord(Record.map(migrations, run)) })
    const [found] = yield* sql<{
      version: number | null
    }>`SELECT MAX(migration_id) AS version FROM migrations`
    const version = found?.version ?? 0
    if (version < Object.keys(migrations).length) return yield* new Unfinished()
    return version
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(100))))

/** Migrates a SQLite database. */
export const migrateService = Effect.suspend(() =>
  Effect.filterOrFail(
    applyMigrations(sqliteMigrations),
    (version) => version <= Object.keys(sqliteMigrations).length,
    (version) => new WrittenByNewer({ version })
  )
)

class Unfinished extends Data.TaggedError("Unfinished") {}

/** Estimates the audio of earlier tasks, in bytes: their length at the default rates. */
export const keptBefore = `UPDATE tasks SET bytes = CAST(duration_ms * CASE format WHEN 'wav' THEN 48 ELSE 12 END AS BIGINT)
  WHERE status = 'done' AND duration_ms IS NOT NULL`

export const sqliteMigrations = {
  "0001_accounts_keys_tasks": [
    // Credits are whole numbers. `granted` is NULL if the account has no limit; the credits to spend are granted -
    // used - reserved. `tasks` counts the account's tasks, so that paging needs no COUNT.
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
    // `selector` holds the digest's first 48 bits: it finds a key, whose whole digest is then compared.
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
    // `text` is set to NULL when the task ends: it is no longer needed.
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
    // Recently deleted tasks: deleting one again succeeds, while another account's task stays unknown.
    `CREATE TABLE deleted (
          task_id TEXT PRIMARY KEY,
          account_id INTEGER NOT NULL,
          deleted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`
  ],
  "0002_turns": [
    // Accounts take turns: this index finds each one's oldest queued task without scanning the others'.
    `DROP INDEX tasks_waiting`,
    `CREATE INDEX tasks_waiting ON tasks (account_id, provider, id) WHERE status = 'queued'`
  ],
  "0003_task_keys": [
    // The key that created a task; NULL for tasks of older versions. Revoking a key fails its queued tasks.
    `ALTER TABLE tasks ADD COLUMN key_id INTEGER`
  ],
  "0004_idempotency": [
    // The idempotency keys of creates, with a digest of the body and the response.
    `CREATE TABLE idempotency (
          account_id INTEGER NOT NULL REFERENCES accounts (id),
          key TEXT NOT NULL,
          digest BLOB NOT NULL,
          task_id TEXT NOT NULL,
          characters INTEGER NOT NULL,
          credits INTEGER NOT NULL,
          used_at INTEGER NOT NULL,
          PRIMARY KEY (account_id, key)
        ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX idempotency_by_use ON idempotency (used_at)`
  ],
  "0005_task_engines": [
    // The engine that spoke a task, by its name in the provider's settings.
    `ALTER TABLE tasks ADD COLUMN engine TEXT`
  ],
  "0006_key_limits": [
    // The limits of a key: NULL means none. `scopes` are separated by commas.
    `ALTER TABLE keys ADD COLUMN scopes TEXT`,
    `ALTER TABLE keys ADD COLUMN expires_at INTEGER`,
    `ALTER TABLE keys ADD COLUMN requests_per_second REAL`,
    `ALTER TABLE keys ADD COLUMN credits_per_day INTEGER`,
    // The credits of the tasks that a key created in a day, in days since 1970 (UTC). Triggers keep it exact wherever
    // a task's credits are released.
    `CREATE TABLE key_days (
          key_id INTEGER NOT NULL,
          day INTEGER NOT NULL,
          credits INTEGER NOT NULL,
          PRIMARY KEY (key_id, day)
        ) STRICT, WITHOUT ROWID`,
    `CREATE TRIGGER key_days_reserved AFTER INSERT ON tasks WHEN NEW.key_id IS NOT NULL BEGIN
          INSERT INTO key_days (key_id, day, credits) VALUES (NEW.key_id, NEW.created_at / 86400000, NEW.credits)
          ON CONFLICT (key_id, day) DO UPDATE SET credits = credits + excluded.credits;
        END`,
    `CREATE TRIGGER key_days_failed AFTER UPDATE OF status ON tasks
        WHEN NEW.status = 'failed' AND OLD.status <> 'failed' BEGIN
          UPDATE key_days SET credits = credits - OLD.credits
          WHERE key_id = OLD.key_id AND day = OLD.created_at / 86400000;
        END`,
    `CREATE TRIGGER key_days_deleted AFTER DELETE ON tasks WHEN OLD.status = 'queued' BEGIN
          UPDATE key_days SET credits = credits - OLD.credits
          WHERE key_id = OLD.key_id AND day = OLD.created_at / 86400000;
        END`,
    // Changes of keys and accounts, and addresses that guessed keys.
    `CREATE TABLE audit (
          id INTEGER PRIMARY KEY,
          at INTEGER NOT NULL,
          event TEXT NOT NULL,
          account_id INTEGER,
          key_id INTEGER,
          actor TEXT NOT NULL,
          detail TEXT
        ) STRICT`
  ],
  "0007_webhooks": [
    // Webhooks to send. `due_at` is NULL until the task has ended; a trigger sets it in the same transaction.
    `CREATE TABLE webhooks (
          task_id TEXT PRIMARY KEY,
          account_id INTEGER NOT NULL,
          url TEXT NOT NULL,
          origin TEXT NOT NULL,
          attempts INTEGER NOT NULL DEFAULT 0,
          due_at INTEGER
        ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL`,
    `CREATE TRIGGER webhooks_ended AFTER UPDATE OF status ON tasks WHEN NEW.status IN ('done', 'failed') BEGIN
          UPDATE webhooks SET due_at = 0 WHERE task_id = NEW.task_id AND due_at IS NULL;
        END`,
    `CREATE TRIGGER webhooks_deleted AFTER DELETE ON tasks BEGIN
          DELETE FROM webhooks WHERE task_id = OLD.task_id;
        END`
  ],
  "0008_replicas": [
    // The process that speaks a task, and the processes that share the database: none in SQLite.
    `ALTER TABLE tasks ADD COLUMN holder TEXT`,
    `CREATE TABLE replicas (
          id TEXT PRIMARY KEY,
          providers TEXT NOT NULL,
          alive_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`
  ],
  "0009_key_uses": [
    // The networks from which imported keys were used: guesses from there do not lock these keys out.
    `CREATE TABLE key_uses (
          network TEXT NOT NULL,
          key_id INTEGER NOT NULL,
          at INTEGER NOT NULL,
          PRIMARY KEY (network, key_id)
        ) STRICT, WITHOUT ROWID`
  ],
  "0010_webhook_turns": [
    // Accounts take turns, and one host's webhooks can be delayed together.
    `ALTER TABLE webhooks ADD COLUMN host TEXT NOT NULL DEFAULT ''`,
    `CREATE INDEX webhooks_turns ON webhooks (account_id, due_at) WHERE due_at IS NOT NULL`
  ],
  "0011_kept_audio": [
    // Bytes of a task's audio, expected until it is done. Triggers keep the account's sum; failed tasks have none.
    `ALTER TABLE accounts ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE tasks ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0`,
    `CREATE TRIGGER tasks_kept_new AFTER INSERT ON tasks WHEN NEW.bytes <> 0 BEGIN
          UPDATE accounts SET bytes = bytes + NEW.bytes WHERE id = NEW.account_id;
        END`,
    `CREATE TRIGGER tasks_kept AFTER UPDATE OF bytes, status ON tasks
        WHEN NEW.bytes * (NEW.status <> 'failed') <> OLD.bytes * (OLD.status <> 'failed') BEGIN
          UPDATE accounts SET bytes = bytes + NEW.bytes * (NEW.status <> 'failed') - OLD.bytes * (OLD.status <> 'failed')
          WHERE id = NEW.account_id;
        END`,
    `CREATE TRIGGER tasks_kept_deleted AFTER DELETE ON tasks WHEN OLD.status <> 'failed' BEGIN
          UPDATE accounts SET bytes = bytes - OLD.bytes WHERE id = OLD.account_id;
        END`,
    keptBefore
  ]
}
