/**
 * The storage that replicas of the service share: a PostgreSQL database, the files in S3, and the secret beside these
 * files.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql/SqlClient"
import {
  Effect,
  type Duration,
  Layer,
  Option,
  Stream,
  Cause,
  Data,
  Redacted,
  Schedule,
  type Scope
} from "effect"
import { ifPresent, openS3, type S3Client } from "../../system/s3/S3Client.ts"
import { readS3Settings } from "../../system/s3/S3Settings.ts"
import { DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"
import {
  FileStore,
  type FileKind,
  fileKinds,
  FilesUnwritable,
  mediaTypes,
  type StoredFile
} from "./FileStore.ts"
import { Replica, type TaskChange } from "./Replica.ts"
import { Secret, secretSize } from "./Secret.ts"
import type { SharedStorageUrls } from "./SharedStorageUrls.ts"
import { createWriteStream } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { PgClient } from "@effect/sql-pg"
import Pg from "pg"
import { applyMigrations, keptBefore, sqliteMigrations } from "./ServiceMigrations.ts"

/** Opens the database and the secret. */
export const sharedAccounts = (urls: SharedStorageUrls) =>
  Layer.unwrapScoped(Effect.map(openFiles(urls), (s3) => accountsOver(urls, s3, 0)))

/**
 * Opens the storage that replicas share. The data folder is only for files that are being written. `lease`: seconds
 * after which other replicas speak the tasks of a silent one.
 */
export const sharedStorage = (urls: SharedStorageUrls, lease = 15) =>
  Layer.unwrapScoped(
    Effect.map(openFiles(urls), (s3) => Layer.mergeAll(accountsOver(urls, s3, lease * 1000), s3Files(s3)))
  )

const openFiles = ({ files }: SharedStorageUrls) =>
  Effect.flatMap(
    Effect.mapError(readS3Settings(files), ({ detail }) => refused(files, detail)),
    openS3
  )

const accountsOver = (urls: SharedStorageUrls, s3: S3Client, lease: number) =>
  Layer.provideMerge(
    Layer.effect(Secret, Effect.map(secretIn(urls, s3), Secret.of32Bytes)),
    postgres(urls.database, lease)
  )

const refused = (folder: string, detail: string) => new DataFolderUnusable({ folder, detail })

/**
 * Reads the secret, or creates it in an empty prefix. It is not in the database, so that a copy of the database alone
 * does not help to guess keys. The database has its digest: files of another database would be deleted as abandoned.
 */
const secretIn = ({ database }: SharedStorageUrls, s3: S3Client) =>
  exclusively(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [known] = yield* sql<{ digest: string }>`SELECT digest FROM file_secret`
      const found = yield* read(s3)
      if (known === undefined) {
        if (found !== undefined && (yield* s3.list("files/", 1)).objects.length > 0)
          return yield* refused(s3.name, `has files of another service; choose another prefix with --files`)
        const secret = found ?? randomBytes(secretSize)
        if (found === undefined) yield* s3.putBytes("secret", secret)
        yield* sql`INSERT INTO file_secret ${sql.insert({ id: 1, digest: digestOf(secret) })}`
        return secret
      }
      if (found === undefined)
        return yield* refused(
          s3.name,
          `the object "secret" is missing; restore it, or choose the bucket that has it`
        )
      if (digestOf(found) !== known.digest)
        return yield* refused(
          s3.name,
          `belongs to another service than ${postgresName(database)}; pass the --database and --files of one service`
        )
      return found
    })
  ).pipe(
    Effect.catchTags({
      SqlError: ({ message }) => refused(postgresName(database), `cannot be used (${message})`),
      S3Failed: ({ detail }) => refused(s3.name, `cannot be used (${detail})`)
    })
  )

const digestOf = (secret: Buffer): string => createHash("sha256").update(secret).digest("hex")

/** Reads the secret; undefined if there is none. */
const read = (s3: S3Client) =>
  Effect.scoped(
    Effect.flatMap(s3.read("secret"), (bytes) =>
      Effect.promise(async () => {
        const pieces: Array<Buffer> = []
        for await (const piece of bytes) pieces.push(Buffer.from(piece))
        return Buffer.concat(pieces)
      })
    )
  ).pipe(
    Effect.filterOrFail(
      (secret) => secret.length === secretSize,
      (secret) => refused(s3.name, `the object "secret" has ${secret.length} bytes instead of ${secretSize}`)
    ),
    ifPresent,
    Effect.map(Option.getOrUndefined)
  )

// Stores the files of tasks in S3, as `files/TASK_ID/TASK_ID.KIND` below the prefix.

/** Stores files with a client. Local copies are in the data folder. */
const s3Files = (s3: S3Client) =>
  Layer.effect(
    FileStore,
    Effect.map(DataFolder, ({ path }) => {
      const nameOf = (taskId: string, name: string) => `files/${taskId}/${name}`
      const store = (workshop: string, taskId: string) =>
        Effect.gen(function* () {
          for (const name of yield* Effect.promise(() => readdir(workshop))) {
            yield* s3.putFile(nameOf(taskId, name), join(workshop, name), mediaTypes[kindOf(name)])
          }
        }).pipe(
          Effect.mapError(
            ({ detail }) => new FilesUnwritable({ detail: `${s3.name}: ${detail}`, full: false })
          )
        )
      return FileStore.of({
        publish: store,
        add: store,
        find: (taskId, name) =>
          ifPresent(s3.size(nameOf(taskId, name))).pipe(
            Effect.map(
              Option.map((size): StoredFile => ({
                size,
                read: (from, to) => Effect.orDie(s3.read(nameOf(taskId, name), { from, to }))
              }))
            ),
            Effect.orDie
          ),
        local: Effect.fnUntraced(function* (taskId: string, name: string) {
          const copy = join(path, "files", "part", `${randomBytes(6).toString("hex")}-${name}`)
          yield* Effect.addFinalizer(() => Effect.promise(() => rm(copy, { force: true })))
          const bytes = yield* Effect.orDie(s3.read(nameOf(taskId, name)))
          yield* Effect.promise(() => pipeline(bytes, createWriteStream(copy, { mode: 0o600 })))
          return copy
        }),
        remove: (taskId) =>
          Stream.runForEach(s3.pages(nameOf(taskId, "")), (objects) =>
            Effect.forEach(objects, ({ name }) => s3.remove(name), {
              concurrency: "unbounded",
              discard: true
            })
          ).pipe(Effect.orDie),
        taskIds: s3.pages("files/").pipe(
          Stream.map((objects) => [...new Set(objects.map(({ name }) => name.split("/")[1] ?? ""))]),
          Stream.orDie
        ),
        isReachable: s3
          .list("files/", 1)
          .pipe(Effect.timeout("5 seconds"), Effect.match({ onFailure: () => false, onSuccess: () => true }))
      })
    })
  )

const kindOf = (name: string): FileKind => fileKinds.find((kind) => name.endsWith(`.${kind}`)) ?? "wav"

// Opens a PostgreSQL database that replicas of the service share.

/**
 * Schema and migrations of a PostgreSQL database. Replicas of an older version keep running while a newer one migrates:
 * a migration only adds tables, columns with defaults, and indexes.
 */

/** Returns the tables, columns and indexes of SQLite's migrations in PostgreSQL's terms, without triggers. */
const asInSqlite = (...names: ReadonlyArray<keyof typeof sqliteMigrations>): ReadonlyArray<string> =>
  names
    .flatMap((name) => sqliteMigrations[name])
    .filter((statement) => /^(?:CREATE (?:TABLE|INDEX)|ALTER|DROP)/u.test(statement))
    .map((statement) =>
      statement
        .replace(/INTEGER PRIMARY KEY(?: AUTOINCREMENT)?/u, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
        .replace(/duration_ms INTEGER|\bREAL\b/gu, (type) => type.replace(/\w+$/u, "DOUBLE PRECISION"))
        .replace(/\bINTEGER\b/gu, "BIGINT")
        .replace(/\bBLOB\b/gu, "BYTEA")
        .replace(/\) STRICT(?:, WITHOUT ROWID)?$/u, ")")
    )

const postgresMigrations = {
  "0001_service": [
    ...asInSqlite(
      "0001_accounts_keys_tasks",
      "0002_turns",
      "0003_task_keys",
      "0004_idempotency",
      "0005_task_engines",
      "0006_key_limits",
      "0007_webhooks",
      "0008_replicas"
    ),
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
  ],
  "0002_key_uses": asInSqlite("0009_key_uses"),
  "0003_webhook_turns": asInSqlite("0010_webhook_turns"),
  "0004_kept_audio": [
    ...asInSqlite("0011_kept_audio"),
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
  ]
}

// BIGINT: the service's numbers are safe integers. Without this, they are texts.
Pg.types.setTypeParser(Pg.types.builtins.INT8, Number)

/** Returns a database's address without user and password. */
const postgresName = (url: Redacted.Redacted<string>): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `postgres://${host}${pathname}`
}

/**
 * Opens the database and migrates it. `lease`: milliseconds after which other replicas speak the tasks of a silent one.
 */
export const postgres = (
  url: Redacted.Redacted<string>,
  lease: number
): Layer.Layer<SqlClient | Replica, DataFolderUnusable> => {
  const client = {
    connectionString: Redacted.value(url),
    application_name: "dubwright",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // A replica that stops amid a transaction must not block the others.
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: 30_000
  }
  const replica = Layer.effect(
    Replica,
    Effect.map(SqlClient, (sql) => ({
      id: randomUUID(),
      sharing: { sql, lease, changes: changesIn(client) }
    }))
  )
  return replica.pipe(
    Layer.merge(Layer.effectDiscard(exclusively(applyMigrations(postgresMigrations)))),
    Layer.provideMerge(PgClient.layerFromPool({ acquire: openPool(client) })),
    Layer.catchAllCause((cause) =>
      Layer.fail(
        new DataFolderUnusable({ folder: postgresName(url), detail: `cannot be used (${reasonOf(cause)})` })
      )
    )
  )
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Option.orElse(Cause.failureOption(cause), () => Cause.dieOption(cause)))
  const reason = openFailureReason(error instanceof Error && error.cause !== undefined ? error.cause : error)
  // The words of `pg` for a URL without a password.
  return reason.includes("password must be a string")
    ? "it asks for a password; put it into PGPASSWORD, or into the URL"
    : reason
}

const openPool = (config: Pg.PoolConfig): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pg.Pool(config)
      // A connection that breaks while it is idle is replaced.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => ended(pool, "5 seconds")
  )

/** Ends connections, or gives up after a time. */
const ended = (connections: { readonly end: () => Promise<void> }, within: Duration.DurationInput) =>
  Effect.tryPromise(() => connections.end()).pipe(Effect.timeout(within), Effect.ignore)

/** Any fixed number: replicas that start at the same time migrate one after the other. */
const startLock = 4_815_162_342

/** Runs an effect while no other replica runs one. */
const exclusively = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const connection = yield* sql.reserve
      yield* Effect.acquireRelease(
        connection.execute("SELECT pg_advisory_lock($1)", [startLock], undefined),
        () => Effect.ignore(connection.execute("SELECT pg_advisory_unlock($1)", [startLock], undefined))
      )
      return yield* work
    })
  )

class ListeningEnded extends Data.TaggedError("ListeningEnded") {}

/** Emits changes of tasks from a connection of its own, and connects again when that breaks. */
const changesIn = (config: Pg.ClientConfig): Stream.Stream<TaskChange> =>
  Stream.asyncPush<TaskChange, ListeningEnded>(
    (emit) =>
      Effect.acquireRelease(
        Effect.tryPromise({
          try: async () => {
            const client = new Pg.Client(config)
            const ended = () => emit.fail(new ListeningEnded())
            client.on("error", ended).on("end", ended)
            client.on("notification", ({ payload = "" }) => {
              const [account, taskId = "", status = "", provider = ""] = payload.split(" ")
              emit.single({ account: Number(account), taskId, status, provider })
            })
            await client.connect()
            await client.query("LISTEN dubwright_tasks")
            return client
          },
          catch: () => new ListeningEnded()
        }),
        (client) => ended(client, "1 second")
      ),
    { bufferSize: 10_000, strategy: "sliding" }
  ).pipe(
    Stream.retry(Schedule.spaced("1 second")),
    Stream.catchAll(() => Stream.empty)
  )
