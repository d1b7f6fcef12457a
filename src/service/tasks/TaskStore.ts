/** The accounts' view of their tasks and credits, always changed in one transaction. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"
import { runQuery } from "../storage/DirectRows.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"
import { claimName, replayOf } from "./IdempotentCreates.ts"
import { dailyOf, taskQueries } from "./TaskQueries.ts"
import type { NewTask } from "./TaskRecord.ts"

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

/** The key was revoked after the request was authenticated. */
class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}

const removedRows = checkRows(
  "tasks",
  Schema.Struct({ account_id: Schema.Int, credits: Schema.Int, status: Schema.String })
)
const waitingRows = checkRows("tasks", Schema.Struct({ account_id: Schema.Int, count: Schema.Int }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const inTransaction = inWriteTransaction(sql)
  const queries = taskQueries(sql)
  const byWaiting = sql.literal(
    sql.onDialectOrElse({ sqlite: () => "INDEXED BY tasks_waiting", orElse: () => "" })
  )
  return {
    /** Inserts a task and reserves its credits atomically. Fails with `NameTaken` if its idempotency key is in use. */
    create: Effect.fn("TaskStore.create")(function* (task: NewTask) {
      const now = yield* Clock.currentTimeMillis
      yield* inTransaction(
        Effect.gen(function* () {
          if (task.idempotency !== undefined) yield* claimName(sql, task, task.idempotency, now)
          const paid = yield* sql`UPDATE accounts SET reserved = reserved + ${task.credits}, tasks = tasks + 1
              WHERE id = ${task.account} AND (granted IS NULL OR granted - used - reserved >= ${task.credits}) RETURNING id`
          if (paid.length === 0) {
            const { granted, used, reserved } = yield* runQuery(queries.balance(task.account))
            return yield* new CreditsShort({
              needed: task.credits,
              left: (granted ?? 0) - used - reserved
            })
          }
          const held = yield* runQuery(queries.keyDay(task.key, now))
          if (held?.isRevoked === true) return yield* new KeyRevoked()
          if (held?.cap !== undefined && held.spent + task.credits > held.cap) {
            const left = Math.max(0, held.cap - held.spent)
            return yield* new DailyCapReached({ needed: task.credits, left })
          }
          if (task.webhook !== undefined) {
            yield* sql`INSERT INTO webhooks ${sql.insert({ task_id: task.taskId, account_id: task.account, ...task.webhook })}`
          }
          yield* sql`INSERT INTO tasks ${sql.insert({
            task_id: task.taskId,
            account_id: task.account,
            key_id: task.key ?? null,
            status: "queued",
            provider: task.provider,
            model_id: task.model,
            voice_id: task.voice,
            voice_name: task.voiceName ?? null,
            text: task.text,
            input: task.input,
            want_srt: task.wantSrt ? 1 : 0,
            want_json: task.wantJson ? 1 : 0,
            speed: task.speed,
            vol: task.vol,
            pitch: task.pitch,
            characters: task.characters,
            credits: task.credits,
            created_at: now
          })}`
        })
      ).pipe(Effect.catchTag("SqlError", Effect.die))
    }),

    /** Returns the response to an earlier create with this idempotency key. Fails if its body was another one. */
    replay: replayOf(sql),

    /** Reads one task of an account. */
    read: (account: number, taskId: string) =>
      !isText(taskId)
        ? Effect.succeedNone
        : Effect.map(runQuery(queries.task(account, taskId)), Option.fromNullable),

    /** Returns a page of an account's tasks, newest first, and their total number. `page` counts from 1. */
    page: (account: number, page: number, limit: number) =>
      Effect.all({
        tasks: runQuery(queries.page(account, page, limit)),
        total: runQuery(queries.total(account))
      }),

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
        Effect.map(runQuery(queries.keyDay(key, now)), (held) => dailyOf(held, now))
      ),

    /** An account's credits. */
    balance: (account: number) => runQuery(queries.balance(account)),

    /** Counts an account's queued tasks, and the other accounts that have any queued. */
    waiting: (account: number) =>
      waitingRows(sql`SELECT account_id, COUNT(*) AS count
        FROM tasks ${byWaiting} WHERE status = 'queued' GROUP BY account_id`).pipe(
        Effect.map((rows) => ({
          own: rows.find((row) => row.account_id === account)?.count ?? 0,
          others: rows.filter((row) => row.account_id !== account).length
        })),
        Effect.orDie
      )
  }
})

/** The tasks and credits of the accounts. */
export class TaskStore extends Effect.Service<TaskStore>()("service/TaskStore", { effect: make }) {}

/** Whether both databases can take a text: PostgreSQL refuses NUL. */
const isText = (text: string): boolean => !text.includes("\u0000")
