/** The state's schema and its migrations. Steps are added at the end, never changed. */
import { fromRecord, make } from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Logger, LogLevel } from "effect"

/** The table of applied migrations. */
export const migrationsTable = "migrations"

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
export const schemaVersion = Object.keys(steps).length

/** The names of all migrations, as the database records them. The first has number 1. */
export const migrationNames: ReadonlyArray<string> = Object.keys(steps).map((step) => step.slice(5))

/** Applies the migrations that a file lacks. */
export const migrateState = make({})({ table: migrationsTable, loader: fromRecord(steps) }).pipe(
  // The migrator logs every step, which is noise even in a verbose run.
  Logger.withMinimumLogLevel(LogLevel.Warning)
)
