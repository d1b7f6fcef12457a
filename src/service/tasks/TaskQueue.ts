/**
 * The workers' view of the tasks in SQLite: the queue, and the outcomes. A task's status and its account's credits
 * change in one transaction, which starts with a write, so that it waits for another process's write lock.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"
import { claimedOf, type Outcome, type Reserved, reservedRows, taskRows } from "./TaskRecord.ts"
import { FairQueue } from "./FairQueue.ts"

const waitingRows = checkRows("tasks", Schema.Struct({ account: Schema.Int, oldest: Schema.Int }))
const countRows = checkRows("tasks", Schema.Struct({ status: Schema.String, count: Schema.Int }))

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
    /** Claims a provider's next queued task: the oldest of the account whose turn it is. */
    claim: (provider: string) =>
      Effect.gen(function* () {
        for (;;) {
          const next = turns.next(
            provider,
            yield* waitingRows(sql`SELECT account, oldest FROM (SELECT accounts.id AS account,
              (SELECT MIN(id) FROM tasks INDEXED BY tasks_waiting
                WHERE status = 'queued' AND account_id = accounts.id AND provider = ${provider}) AS oldest
              FROM accounts) WHERE oldest IS NOT NULL`)
          )
          if (next === undefined) return Option.none()
          const [row] = yield* taskRows(sql`UPDATE tasks SET status = 'processing', attempts = attempts + 1
              WHERE id = ${next.oldest} AND status = 'queued' RETURNING *`)
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
    finish: Effect.fn("TaskQueue.finish")(function* (taskId: string, outcome: Outcome) {
      const now = yield* Clock.currentTimeMillis
      return yield* settle(
        taskId,
        reservedRows(sql`UPDATE tasks SET status = 'done', text = NULL, completed_at = ${now}, duration_ms = ${outcome.durationMs},
          format = ${outcome.format}, has_srt = ${outcome.hasSrt ? 1 : 0}, has_json = ${outcome.hasJson ? 1 : 0}, engine = ${outcome.engine}
          WHERE task_id = ${taskId} AND status = 'processing' RETURNING account_id, credits`),
        true
      )
    }),

    /** Marks a task failed and releases the reserved credits. False if it was deleted. */
    fail: Effect.fn("TaskQueue.fail")(function* (taskId: string, code: string, message: string) {
      const now = yield* Clock.currentTimeMillis
      return yield* settle(
        taskId,
        reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = ${code}, error_message = ${message}
          WHERE task_id = ${taskId} AND status = 'processing' RETURNING account_id, credits`),
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
    recover: Effect.fn("TaskQueue.recover")(function* (
      maxAttempts: number,
      providers: ReadonlyArray<string>
    ) {
      const now = yield* Clock.currentTimeMillis
      return yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const crashed =
              yield* reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'crashed',
                error_message = 'the service stopped each time it spoke this task'
                WHERE status = 'processing' AND attempts >= ${maxAttempts} RETURNING account_id, credits`)
            const abandoned =
              yield* reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'not_offered',
                error_message = 'the provider is offered no longer'
                WHERE status IN ('queued', 'processing') AND NOT ${sql.in("provider", providers)} RETURNING account_id, credits`)
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

    /** Counts queued and processing tasks over all accounts. */
    counts: countRows(
      sql`SELECT status, COUNT(*) AS count FROM tasks WHERE status IN ('queued', 'processing') GROUP BY status`
    ).pipe(
      Effect.map((rows) => ({
        queued: rows.find((row) => row.status === "queued")?.count ?? 0,
        processing: rows.find((row) => row.status === "processing")?.count ?? 0
      })),
      Effect.orDie
    )
  }
})

/** The queue of tasks. */
export class TaskQueue extends Effect.Service<TaskQueue>()("service/TaskQueue", { effect: make }) {}
