/**
 * Tasks and account credits in SQLite, always changed in one transaction. Each transaction starts with a write, so that
 * it waits for another process's write lock instead of failing halfway.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Layer, Option, Schema, Context } from "effect"
import { type Balance, claimedOf, type NewTask, type Outcome, storedOf, type TaskRow } from "./TaskRecord.ts"
import { FairQueue, type WaitingAccount } from "./FairQueue.ts"

/** The account cannot pay for a task. */
class CreditsShort extends Schema.TaggedError<CreditsShort>()("CreditsShort", {
  needed: Schema.Int,
  left: Schema.Int
}) {}

/** The key was revoked after the request was authenticated. */
class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const turns = new FairQueue()

  const settle = (taskId: string, change: Effect.Effect<ReadonlyArray<Reserved>, unknown>, spent: boolean) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const [row] = yield* change
          // The task was deleted or has already been settled: it no longer reserves credits.
          if (row === undefined) return false
          const used = spent ? row.credits : 0
          yield* sql`UPDATE accounts SET reserved = reserved - ${row.credits}, used = used + ${used} WHERE id = ${row.account_id}`
          return true
        })
      )
      .pipe(Effect.orDie, Effect.annotateLogs({ task_id: taskId }))

  return {
    /** Inserts a task and reserves its credits atomically. */
    create: Effect.fn("TaskStore.create")(function* (task: NewTask) {
      const now = yield* Clock.currentTimeMillis
      const reserved = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const paid =
              yield* sql`UPDATE accounts SET reserved = reserved + ${task.credits}, tasks = tasks + 1
              WHERE id = ${task.account} AND (granted IS NULL OR granted - used - reserved >= ${task.credits}) RETURNING id`
            if (paid.length === 0) return false
            const revoked =
              yield* sql`SELECT 1 FROM keys WHERE id = ${task.key ?? null} AND revoked_at IS NOT NULL`
            if (revoked.length > 0) return yield* new KeyRevoked()
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
            return true
          })
        )
        .pipe(Effect.catchTag("SqlError", Effect.die))
      if (reserved) return
      const balance = yield* balanceOf(sql, task.account)
      return yield* new CreditsShort({
        needed: task.credits,
        left: (balance.granted ?? 0) - balance.used - balance.reserved
      })
    }),

    /** Claims a provider's next queued task: the oldest of the account whose turn it is. */
    claim: (provider: string) =>
      Effect.gen(function* () {
        for (;;) {
          const next = turns.next(
            provider,
            yield* sql<WaitingAccount>`SELECT account, oldest FROM (SELECT accounts.id AS account,
              (SELECT MIN(id) FROM tasks INDEXED BY tasks_waiting
                WHERE status = 'queued' AND account_id = accounts.id AND provider = ${provider}) AS oldest
              FROM accounts) WHERE oldest IS NOT NULL`
          )
          if (next === undefined) return Option.none()
          const [row] = yield* sql<TaskRow>`UPDATE tasks SET status = 'processing', attempts = attempts + 1
              WHERE id = ${next.oldest} AND status = 'queued' RETURNING *`
          // Another worker may have claimed it in between, or its owner deleted it.
          if (row === undefined) continue
          turns.had(provider, next.account)
          return Option.some(claimedOf(row))
        }
      }).pipe(Effect.orDie),

    /** Whether a provider has queued tasks. */
    waits: (provider: string) =>
      sql`SELECT 1 FROM tasks WHERE status = 'queued' AND provider = ${provider} LIMIT 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      ),

    /** Marks a task done, once its files are written, and charges the reserved credits. False if it was deleted. */
    finish: Effect.fn("TaskStore.finish")(function* (taskId: string, outcome: Outcome) {
      const now = yield* Clock.currentTimeMillis
      return yield* settle(
        taskId,
        sql<Reserved>`UPDATE tasks SET status = 'done', text = NULL, completed_at = ${now}, duration_ms = ${outcome.durationMs},
          format = ${outcome.format}, has_srt = ${outcome.hasSrt ? 1 : 0}, has_json = ${outcome.hasJson ? 1 : 0}
          WHERE task_id = ${taskId} AND status = 'processing' RETURNING account_id, credits`,
        true
      )
    }),

    /** Marks a task failed and releases the reserved credits. False if it was deleted. */
    fail: Effect.fn("TaskStore.fail")(function* (taskId: string, code: string, message: string) {
      const now = yield* Clock.currentTimeMillis
      return yield* settle(
        taskId,
        sql<Reserved>`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = ${code}, error_message = ${message}
          WHERE task_id = ${taskId} AND status = 'processing' RETURNING account_id, credits`,
        false
      )
    }),

    /** Queues a claimed task again, unspoken; the attempt does not count. */
    giveBack: (taskId: string) =>
      sql`UPDATE tasks SET status = 'queued', attempts = attempts - 1 WHERE task_id = ${taskId} AND status = 'processing'`.pipe(
        Effect.orDie,
        Effect.asVoid
      ),

    /**
     * Recovers after a start. Tasks that were in flight when the process died are queued again, or failed once they
     * have used `maxAttempts`. Tasks of providers that are no longer offered fail.
     */
    recover: Effect.fn("TaskStore.recover")(function* (
      maxAttempts: number,
      providers: ReadonlyArray<string>
    ) {
      const now = yield* Clock.currentTimeMillis
      return yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const crashed =
              yield* sql<Reserved>`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'crashed',
                error_message = 'the service stopped each time it spoke this task'
                WHERE status = 'processing' AND attempts >= ${maxAttempts} RETURNING account_id, credits`
            const abandoned =
              yield* sql<Reserved>`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'not_offered',
                error_message = 'the provider is offered no longer'
                WHERE status IN ('queued', 'processing') AND NOT ${sql.in("provider", providers)} RETURNING account_id, credits`
            const failed = [...crashed, ...abandoned]
            yield* Effect.forEach(
              failed,
              (row) =>
                sql`UPDATE accounts SET reserved = reserved - ${row.credits} WHERE id = ${row.account_id}`,
              { discard: true }
            )
            const again =
              yield* sql`UPDATE tasks SET status = 'queued' WHERE status = 'processing' RETURNING id`
            return { failed: failed.length, again: again.length }
          })
        )
        .pipe(Effect.orDie)
    }),

    /** Reads one task of an account. */
    read: (account: number, taskId: string) =>
      sql<TaskRow>`SELECT * FROM tasks WHERE task_id = ${taskId} AND account_id = ${account}`.pipe(
        Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), storedOf)),
        Effect.orDie
      ),

    /** Returns a page of an account's tasks, newest first, and their total number. `page` counts from 1. */
    page: (account: number, page: number, limit: number) =>
      Effect.all([
        sql<TaskRow>`SELECT * FROM tasks WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`,
        sql<{ tasks: number }>`SELECT tasks FROM accounts WHERE id = ${account}`
      ]).pipe(
        Effect.map(([rows, counts]) => ({ tasks: rows.map(storedOf), total: counts[0]?.tasks ?? 0 })),
        Effect.orDie
      ),

    /** Deletes a task unless it is being spoken. Releases the credits of a queued one. */
    remove: Effect.fn("TaskStore.remove")(function* (account: number, taskId: string) {
      const now = yield* Clock.currentTimeMillis
      return yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<
              Reserved & { status: string }
            >`DELETE FROM tasks WHERE task_id = ${taskId} AND account_id = ${account} AND status <> 'processing'
              RETURNING account_id, credits, status`
            if (row !== undefined) {
              const reserved = row.status === "queued" ? row.credits : 0
              yield* sql`UPDATE accounts SET tasks = tasks - 1, reserved = reserved - ${reserved} WHERE id = ${account}`
              yield* sql`INSERT OR REPLACE INTO deleted ${sql.insert({ task_id: taskId, account_id: account, deleted_at: now })}`
              return "deleted" as const
            }
            const still =
              yield* sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND account_id = ${account}`
            if (still.length > 0) return "under-way" as const
            const deleted =
              yield* sql`SELECT 1 FROM deleted WHERE task_id = ${taskId} AND account_id = ${account}`
            return deleted.length > 0 ? ("gone-already" as const) : ("unknown" as const)
          })
        )
        .pipe(Effect.orDie)
    }),

    /** An account's credits. */
    balance: (account: number) => balanceOf(sql, account),

    /** Counts an account's queued tasks, and the other accounts that have any queued. */
    waiting: (account: number) =>
      sql<{ account_id: number; count: number }>`SELECT account_id, COUNT(*) AS count
        FROM tasks INDEXED BY tasks_waiting WHERE status = 'queued' GROUP BY account_id`.pipe(
        Effect.map((rows) => ({
          own: rows.find((row) => row.account_id === account)?.count ?? 0,
          others: rows.filter((row) => row.account_id !== account).length
        })),
        Effect.orDie
      ),

    /** Counts queued and processing tasks over all accounts. */
    counts: sql<{
      status: string
      count: number
    }>`SELECT status, COUNT(*) AS count FROM tasks WHERE status IN ('queued', 'processing') GROUP BY status`.pipe(
      Effect.map((rows) => ({
        queued: rows.find((row) => row.status === "queued")?.count ?? 0,
        processing: rows.find((row) => row.status === "processing")?.count ?? 0
      })),
      Effect.orDie
    ),

    /** Deletes up to `limit` tasks that ended before a time. Returns their ids; the caller deletes their files. */
    expire: (before: number, limit: number) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const deleted = yield* sql<{
              task_id: string
              account_id: number
            }>`DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE completed_at < ${before} LIMIT ${limit}) RETURNING task_id, account_id`
            yield* sql`DELETE FROM deleted WHERE deleted_at < ${before}`
            yield* Effect.forEach(
              deleted,
              (row) => sql`UPDATE accounts SET tasks = tasks - 1 WHERE id = ${row.account_id}`,
              { discard: true }
            )
            return deleted.map((row) => row.task_id)
          })
        )
        .pipe(Effect.orDie),

    /** Returns those of the given tasks that still exist. */
    existing: (taskIds: ReadonlyArray<string>) =>
      sql<{ task_id: string }>`SELECT task_id FROM tasks WHERE ${sql.in("task_id", taskIds)}`.pipe(
        Effect.map((rows) => new Set(rows.map((row) => row.task_id))),
        Effect.orDie
      )
  }
})

/** The task table and the credits of its accounts. */
export class TaskStore extends Context.Tag("service/TaskStore")<
  TaskStore,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(TaskStore, make)
}

interface Reserved {
  readonly account_id: number
  readonly credits: number
}

const balanceOf = (sql: SqlClient, account: number) =>
  sql<{
    granted: number | null
    used: number
    reserved: number
  }>`SELECT granted, used, reserved FROM accounts WHERE id = ${account}`.pipe(
    Effect.map((rows): Balance => ({
      granted: rows[0]?.granted ?? undefined,
      used: rows[0]?.used ?? 0,
      reserved: rows[0]?.reserved ?? 0
    })),
    Effect.orDie
  )
