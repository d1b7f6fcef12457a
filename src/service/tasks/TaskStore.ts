/** The accounts' view of their tasks and credits, always changed in one transaction. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option, Schema } from "effect"
import { checkRows, columnsOf } from "../storage/CheckedRows.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"
import { claimName, replayOf } from "./IdempotentCreates.ts"
import { type NewTask, orderColumns, storedOf, StoredRow, type StoredTask } from "./TaskRecord.ts"

/** The account cannot pay for a task. */
class CreditsShort extends Schema.TaggedError<CreditsShort>()("CreditsShort", {
  needed: Schema.Int,
  left: Schema.Int
}) {}

/** The key's cap for the day does not allow a task. */
class DailyCapReached extends Schema.TaggedError<DailyCapReached>()("DailyCapReached", {
  needed: Schema.Int,
  left: Schema.Int
}) {}

/** The account keeps as much audio as it may. */
class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", { bytes: Schema.Int }) {}

/** The key was revoked after the request was authenticated. */
class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}

const removedRows = checkRows(
  "tasks",
  Schema.Struct({ account_id: Schema.Int, credits: Schema.Int, status: Schema.String })
)
const storedRows = checkRows("tasks", StoredRow)
const balanceRows = checkRows(
  "accounts",
  Schema.Struct({ granted: Schema.NullOr(Schema.Int), used: Schema.Int, reserved: Schema.Int })
)
const dailyRows = checkRows(
  "keys",
  Schema.Struct({
    revoked_at: Schema.NullOr(Schema.Int),
    credits_per_day: Schema.NullOr(Schema.Int),
    spent: Schema.Int
  })
)
const countRows = checkRows("tasks", Schema.Struct({ count: Schema.Int }))
const countOf = (statement: Parameters<typeof countRows>[0]) =>
  Effect.orDie(Effect.map(countRows(statement), ([row]) => row?.count ?? 0))
const keptRows = checkRows("accounts", Schema.Struct({ bytes: Schema.Int }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const inTransaction = inWriteTransaction(sql)
  const columns = sql.literal(columnsOf(StoredRow))
  const byWaiting = sql.literal(
    sql.onDialectOrElse({ sqlite: () => "INDEXED BY tasks_waiting", orElse: () => "" })
  )

  const balance = (account: number) =>
    balanceRows(sql`SELECT granted, used, reserved FROM accounts WHERE id = ${account}`).pipe(
      Effect.map(([row]) => ({
        granted: row?.granted ?? undefined,
        used: row?.used ?? 0,
        reserved: row?.reserved ?? 0
      })),
      Effect.orDie
    )

  /** A key's cap for the day of a time, and the credits of its tasks of that day. Undefined if there is no such key. */
  const keyDay = (key: number | undefined, now: number) =>
    dailyRows(sql`SELECT revoked_at, credits_per_day, COALESCE(
      (SELECT credits FROM key_days WHERE key_id = keys.id AND day = ${dayOf(now)}), 0) AS spent
      FROM keys WHERE id = ${key ?? null}`).pipe(
      Effect.map(([row]) => row),
      Effect.orDie
    )

  return {
    /** Inserts a task and reserves its credits atomically. Fails with `NameTaken` if its idempotency key is in use. */
    create: Effect.fn("TaskStore.create")(function* (task: NewTask) {
      const now = yield* Clock.currentTimeMillis
      yield* inTransaction(
        Effect.gen(function* () {
          if (task.idempotency !== undefined) yield* claimName(sql, task, task.idempotency, now)
          const { bytes = 0, room = Infinity } = task
          const [paid] =
            yield* keptRows(sql`UPDATE accounts SET reserved = reserved + ${task.credits}, tasks = tasks + 1
              WHERE id = ${task.account} AND (granted IS NULL OR granted - used - reserved >= ${task.credits}) RETURNING bytes`)
          if (paid === undefined) {
            const { granted, used, reserved } = yield* balance(task.account)
            return yield* new CreditsShort({
              needed: task.credits,
              left: (granted ?? 0) - used - reserved
            })
          }
          if (paid.bytes + bytes > room) return yield* new StorageFull({ bytes: paid.bytes })
          const held = yield* keyDay(task.key, now)
          if (held !== undefined && held.revoked_at !== null) return yield* new KeyRevoked()
          const cap = held?.credits_per_day ?? Infinity
          const spent = held?.spent ?? 0
          if (spent + task.credits > cap) {
            const left = Math.max(0, cap - spent)
            return yield* new DailyCapReached({ needed: task.credits, left })
          }
          if (task.webhook !== undefined)
            yield* sql`INSERT INTO webhooks ${sql.insert({ task_id: task.taskId, account_id: task.account, ...task.webhook })}`
          yield* sql`INSERT INTO tasks ${sql.insert({
            ...orderColumns(task),
            key_id: task.key ?? null,
            status: "queued",
            bytes,
            created_at: now
          })}`
        })
      ).pipe(Effect.catchTag("SqlError", Effect.die))
    }),

    /** Returns the response to an earlier create with this idempotency key. Fails if its body was another one. */
    replay: replayOf(sql),

    /** Reads one task of an account. */
    read: (account: number, taskId: string): Effect.Effect<Option.Option<StoredTask>> =>
      !isText(taskId)
        ? Effect.succeedNone
        : storedRows(
            sql`SELECT ${columns} FROM tasks WHERE task_id = ${taskId} AND account_id = ${account}`
          ).pipe(
            Effect.map(([row]) => Option.map(Option.fromNullable(row), storedOf)),
            Effect.orDie
          ),

    /** Returns a page of an account's tasks, newest first, and their total number. `page` counts from 1. */
    page: (account: number, page: number, limit: number) =>
      Effect.all({
        tasks: Effect.map(
          storedRows(
            sql`SELECT ${columns} FROM tasks WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`
          ),
          (rows) => rows.map(storedOf)
        ),
        total: countOf(sql`SELECT tasks AS count FROM accounts WHERE id = ${account}`)
      }).pipe(Effect.orDie),

    /** Deletes a task unless it is being spoken. Releases the credits of a queued one. */
    remove: Effect.fn("TaskStore.remove")(function* (account: number, taskId: string) {
      const now = yield* Clock.currentTimeMillis
      if (!isText(taskId)) return "unknown" as const
      return yield* inTransaction(
        Effect.gen(function* () {
          const [row] =
            yield* removedRows(sql`DELETE FROM tasks WHERE task_id = ${taskId} AND account_id = ${account} AND status <> 'processing'
              RETURNING account_id, credits, status`)
          if (row !== undefined) {
            const reserved = row.status === "queued" ? row.credits : 0
            yield* sql`UPDATE accounts SET tasks = tasks - 1, reserved = reserved - ${reserved} WHERE id = ${account}`
            yield* sql`INSERT INTO deleted ${sql.insert({ task_id: taskId, account_id: account, deleted_at: now })}
                ON CONFLICT (task_id) DO UPDATE SET deleted_at = excluded.deleted_at`
            return "deleted" as const
          }
          const still = yield* sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND account_id = ${account}`
          if (still.length > 0) return "under-way" as const
          const deleted =
            yield* sql`SELECT 1 FROM deleted WHERE task_id = ${taskId} AND account_id = ${account}`
          return deleted.length > 0 ? ("gone-already" as const) : ("unknown" as const)
        })
      ).pipe(Effect.orDie)
    }),

    /** A key's cap for the day, and the cost of its tasks of today. Undefined if it has no cap. */
    daily: (key: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(keyDay(key, now), (held) =>
          held === undefined || held.credits_per_day === null
            ? undefined
            : {
                limit: held.credits_per_day,
                used: held.spent,
                resets_at: new Date((dayOf(now) + 1) * dayMillis).toISOString()
              }
        )
      ),

    /** An account's credits. */
    balance,

    /** Adds the bytes of another file to a task's. */
    grow: (taskId: string, bytes: number) =>
      Effect.orDie(sql`UPDATE tasks SET bytes = bytes + ${bytes} WHERE task_id = ${taskId}`),

    /** Counts an account's queued tasks: slowly, if there are thousands. */
    queued: (account: number) =>
      countOf(
        sql`SELECT COUNT(*) AS count FROM tasks ${byWaiting} WHERE status = 'queued' AND account_id = ${account}`
      ),

    /** Counts the other accounts that have queued tasks. */
    rivals: (account: number) =>
      countOf(sql`SELECT COUNT(*) AS count FROM accounts WHERE id <> ${account} AND EXISTS
        (SELECT 1 FROM tasks ${byWaiting} WHERE status = 'queued' AND account_id = accounts.id)`),

    /** The turn of an account's queued task among its provider's, as accounts take turns: from 1. */
    position: (account: number, provider: string, taskId: string) =>
      countRows(sql`WITH turn AS (SELECT COUNT(*) AS own FROM tasks ${byWaiting} WHERE status = 'queued'
            AND account_id = ${account} AND provider = ${provider} AND id <= (SELECT id FROM tasks WHERE task_id = ${taskId})),
          others AS (SELECT COUNT(*) AS waiting FROM tasks ${byWaiting} WHERE status = 'queued'
            AND account_id <> ${account} AND provider = ${provider} GROUP BY account_id)
        SELECT CAST(own + COALESCE((SELECT SUM(CASE WHEN waiting < own THEN waiting ELSE own END) FROM others), 0) AS BIGINT) AS count
        FROM turn`).pipe(
        Effect.map(([row]) => row?.count ?? 1),
        Effect.orDie
      )
  }
})

/** The tasks and credits of the accounts. */
export class TaskStore extends Effect.Service<TaskStore>()("service/TaskStore", { effect: make }) {}

const dayMillis = 86_400_000
/** The day of a time, in days since 1970 (UTC). */
const dayOf = (now: number): number => Math.floor(now / dayMillis)

/** Whether both databases can take a text: PostgreSQL refuses NUL. */
const isText = (text: string): boolean => !text.includes("\u0000")
