/**
 * Schema and migrations of a PostgreSQL database. Replicas of an older version keep running while a newer one migrates:
 * a migration only adds tables, columns with defaults, and indexes.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { keptBefore, statements } from "../ServiceMigrations.ts"

/** The migrations. Tables and columns are those of SQLite. */
export const postgresMigrations = {
  "0001_service": Effect.flatMap(
    SqlClient,
    statements(
      `CREATE TABLE accounts (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          name TEXT NOT NULL,
          visible BIGINT NOT NULL DEFAULT 1,
          granted BIGINT,
          used BIGINT NOT NULL DEFAULT 0 CHECK (used >= 0),
          reserved BIGINT NOT NULL DEFAULT 0 CHECK (reserved >= 0),
          tasks BIGINT NOT NULL DEFAULT 0 CHECK (tasks >= 0),
          created_at BIGINT NOT NULL
        )`,
      `CREATE TABLE keys (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          account_id BIGINT NOT NULL REFERENCES accounts (id),
          name TEXT NOT NULL,
          hint TEXT NOT NULL,
          selector BIGINT NOT NULL,
          digest BYTEA NOT NULL UNIQUE,
          imported BIGINT NOT NULL DEFAULT 0,
          created_at BIGINT NOT NULL,
          revoked_at BIGINT,
          scopes TEXT,
          expires_at BIGINT,
          requests_per_second DOUBLE PRECISION,
          credits_per_day BIGINT
        )`,
      `CREATE INDEX keys_by_selector ON keys (selector)`,
      `CREATE TABLE tasks (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          task_id TEXT NOT NULL UNIQUE,
          account_id BIGINT NOT NULL REFERENCES accounts (id),
          key_id BIGINT,
          status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'done', 'failed')),
          holder TEXT,
          provider TEXT NOT NULL,
          model_id TEXT NOT NULL,
          voice_id TEXT NOT NULL,
          voice_name TEXT,
          text TEXT,
          input TEXT NOT NULL CHECK (input IN ('text', 'srt')),
          want_srt BIGINT NOT NULL,
          want_json BIGINT NOT NULL,
          speed DOUBLE PRECISION NOT NULL,
          vol DOUBLE PRECISION NOT NULL,
          pitch DOUBLE PRECISION NOT NULL,
          characters BIGINT NOT NULL,
          credits BIGINT NOT NULL CHECK (credits >= 0),
          attempts BIGINT NOT NULL DEFAULT 0,
          created_at BIGINT NOT NULL,
          completed_at BIGINT,
          duration_ms DOUBLE PRECISION,
          format TEXT,
          has_srt BIGINT NOT NULL DEFAULT 0,
          has_json BIGINT NOT NULL DEFAULT 0,
          engine TEXT,
          error_code TEXT,
          error_message TEXT
        )`,
      `CREATE INDEX tasks_by_account ON tasks (account_id, id)`,
      `CREATE INDEX tasks_waiting ON tasks (account_id, provider, id) WHERE status = 'queued'`,
      `CREATE INDEX tasks_under_way ON tasks (status) WHERE status IN ('queued', 'processing')`,
      `CREATE INDEX tasks_ended ON tasks (completed_at) WHERE completed_at IS NOT NULL`,
      `CREATE TABLE deleted (
          task_id TEXT PRIMARY KEY,
          account_id BIGINT NOT NULL,
          deleted_at BIGINT NOT NULL
        )`,
      `CREATE TABLE idempotency (
          account_id BIGINT NOT NULL REFERENCES accounts (id),
          key TEXT NOT NULL,
          digest BYTEA NOT NULL,
          task_id TEXT NOT NULL,
          characters BIGINT NOT NULL,
          credits BIGINT NOT NULL,
          used_at BIGINT NOT NULL,
          PRIMARY KEY (account_id, key)
        )`,
      `CREATE INDEX idempotency_by_use ON idempotency (used_at)`,
      `CREATE TABLE key_days (
          key_id BIGINT NOT NULL,
          day BIGINT NOT NULL,
          credits BIGINT NOT NULL,
          PRIMARY KEY (key_id, day)
        )`,
      `CREATE TABLE audit (
          id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          at BIGINT NOT NULL,
          event TEXT NOT NULL,
          account_id BIGINT,
          key_id BIGINT,
          actor TEXT NOT NULL,
          detail TEXT
        )`,
      `CREATE TABLE webhooks (
          task_id TEXT PRIMARY KEY,
          account_id BIGINT NOT NULL,
          url TEXT NOT NULL,
          origin TEXT NOT NULL,
          attempts BIGINT NOT NULL DEFAULT 0,
          due_at BIGINT
        )`,
      `CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL`,
      // The replicas that are alive, until when, and the providers that they offer, between commas.
      `CREATE TABLE replicas (
          id TEXT PRIMARY KEY,
          providers TEXT NOT NULL,
          alive_until BIGINT NOT NULL
        )`,
      // The token buckets of rate limits. \`tokens\` is NULL in a bucket that has not been used.
      `CREATE TABLE rate_buckets (
          name TEXT PRIMARY KEY,
          tokens DOUBLE PRECISION,
          at BIGINT NOT NULL
        )`,
      // The one row is a digest of the secret beside the files: it shows which files belong to the database.
      `CREATE TABLE file_secret (
          id BIGINT PRIMARY KEY CHECK (id = 1),
          digest TEXT NOT NULL
        )`,
      // Keeps the credits of the day exact, makes webhooks due, and notifies the replicas of each change.
      `CREATE FUNCTION tasks_changed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'INSERT' THEN
            IF NEW.key_id IS NOT NULL THEN
              INSERT INTO key_days AS days (key_id, day, credits)
              VALUES (NEW.key_id, NEW.created_at / 86400000, NEW.credits)
              ON CONFLICT (key_id, day) DO UPDATE SET credits = days.credits + excluded.credits;
            END IF;
          ELSIF TG_OP = 'DELETE' OR NEW.status = 'failed' AND OLD.status <> 'failed' THEN
            IF TG_OP = 'UPDATE' OR OLD.status = 'queued' THEN
              UPDATE key_days SET credits = credits - OLD.credits
              WHERE key_id = OLD.key_id AND day = OLD.created_at / 86400000;
            END IF;
          END IF;
          IF TG_OP = 'DELETE' THEN
            DELETE FROM webhooks WHERE task_id = OLD.task_id;
            RETURN NULL;
          END IF;
          IF NEW.status IN ('done', 'failed') THEN
            UPDATE webhooks SET due_at = 0 WHERE task_id = NEW.task_id AND due_at IS NULL;
          END IF;
          PERFORM pg_notify('dubwright_tasks', concat_ws(' ', NEW.account_id, NEW.task_id, NEW.status, NEW.provider));
          RETURN NULL;
        END $$`,
      `CREATE TRIGGER tasks_changed AFTER INSERT OR DELETE OR UPDATE OF status ON tasks
        FOR EACH ROW EXECUTE FUNCTION tasks_changed()`
    )
  ),
  "0002_key_uses": Effect.flatMap(
    SqlClient,
    statements(
      `CREATE TABLE key_uses (
          network TEXT NOT NULL,
          key_id BIGINT NOT NULL,
          at BIGINT NOT NULL,
          PRIMARY KEY (network, key_id)
        )`
    )
  ),
  "0003_webhook_turns": Effect.flatMap(
    SqlClient,
    statements(
      // Accounts take turns, and one host's webhooks can be delayed together.
      `ALTER TABLE webhooks ADD COLUMN host TEXT NOT NULL DEFAULT ''`,
      `CREATE INDEX webhooks_turns ON webhooks (account_id, due_at) WHERE due_at IS NOT NULL`
    )
  ),
  "0004_kept_audio": Effect.flatMap(
    SqlClient,
    statements(
      `ALTER TABLE accounts ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0`,
      `ALTER TABLE tasks ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0`,
      `CREATE FUNCTION tasks_kept() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE more BIGINT := 0;
        BEGIN
          IF TG_OP <> 'DELETE' AND NEW.status <> 'failed' THEN more := NEW.bytes; END IF;
          IF TG_OP <> 'INSERT' AND OLD.status <> 'failed' THEN more := more - OLD.bytes; END IF;
          IF more <> 0 THEN
            UPDATE accounts SET bytes = bytes + more WHERE id = COALESCE(NEW.account_id, OLD.account_id);
          END IF;
          RETURN NULL;
        END $$`,
      `CREATE TRIGGER tasks_kept AFTER INSERT OR DELETE OR UPDATE OF bytes, status ON tasks
        FOR EACH ROW EXECUTE FUNCTION tasks_kept()`,
      keptBefore
    )
  )
}
