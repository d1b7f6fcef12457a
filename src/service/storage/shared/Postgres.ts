/** Opens a PostgreSQL database that replicas of the service share. */
import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Cause, Data, Effect, Layer, Option, Redacted, Schedule, type Scope, Stream } from "effect"
import Pg from "pg"
import { DataFolderUnusable, openFailureReason } from "../DataFolder.ts"
import { Replica, type TaskChange } from "../Replica.ts"
import { applyMigrations } from "../ServiceMigrations.ts"
import { postgresMigrations } from "./PostgresMigrations.ts"

// BIGINT: the service's numbers are safe integers. Without this, they are texts.
Pg.types.setTypeParser(Pg.types.builtins.INT8, Number)

/** Returns a database's address without user and password. */
export const postgresName = (url: Redacted.Redacted<string>): string => {
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
    (pool) =>
      Effect.ignore(
        Effect.timeout(
          Effect.tryPromise(() => pool.end()),
          "5 seconds"
        )
      )
  )

/** Any fixed number: replicas that start at the same time migrate one after the other. */
const startLock = 4_815_162_342

/** Runs an effect while no other replica runs one. */
export const exclusively = <A, E, R>(work: Effect.Effect<A, E, R>) =>
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
        (client) =>
          Effect.ignore(
            Effect.timeout(
              Effect.tryPromise(() => client.end()),
              "1 second"
            )
          )
      ),
    { bufferSize: 10_000, strategy: "sliding" }
  ).pipe(
    Stream.retry(Schedule.spaced("1 second")),
    Stream.catchAll(() => Stream.empty)
  )
