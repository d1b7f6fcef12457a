/**
 * The workers' view of the tasks: the queue, and the outcomes. A task's status and its account's credits change in one
 * transaction. A process changes only tasks that it holds: it may have been silent, and another may have taken over.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"
import { Replica } from "../storage/Replica.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"
import { claimedRows, type Outcome, type Reserved, reservedRows } from "./TaskRecord.ts"

const waitingRows = checkRows("tasks", Schema.Struct({ account: Schema.Int, oldest: Schema.Int }))

const countRows = checkRows("tasks", Schema.Struct({ status: Schema.String, count: Schema.Int }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { id: me, sharing } = yield* Replica
  const turns = new FairQueue()
  const inTransaction = inWriteTransaction(sql)
  /** In PostgreSQL, a claim skips tasks that another replica is claiming. */
  const unlocked = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" }))
  const byWaiting = sql.literal(
    sql.onDialectOrElse({ sqlite: () => "INDEXED BY tasks_waiting", orElse: () => "" })
  )
  /** The clock of the leases, which all replicas share. */
  const clock = sql.literal(
    sql.onDialectOrElse({
      pg: () => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
      orElse: () => "0"
    })
  )
  /** Tasks that no living process speaks. */
  const dropped = sql`status = 'processing' AND NOT EXISTS
    (SELECT 1 FROM replicas WHERE replicas.id = tasks.holder AND alive_until > ${clock})`

  const settle = (taskId: string, change: Effect.Effect<ReadonlyArray<Reserved>, unknown>, spent: boolean) =>
    inTransaction(
      Effect.gen(function* () {
        const [row] = yield* change
        // The task was deleted, has been settled, or another replica has taken it over.
        if (row === undefined) return false
        const used = spent ? row.credits : 0
        yield* sql`UPDATE accounts SET reserved = reserved - ${row.credits}, used = used + ${used} WHERE id = ${row.account_id}`
        return true
      })
    ).pipe(Effect.orDie, Effect.annotateLogs({ task_id: taskId }))

  return {
    /** Claims a provider's next queued task: the oldest of the account whose turn it is. */
    claim: (provider: string) =>
      Effect.gen(function* () {
        const waiting = new Map(
          (yield* waitingRows(sql`SELECT account, oldest FROM (SELECT accounts.id AS account,
            (SELECT MIN(id) FROM tasks ${byWaiting}
              WHERE status = 'queued' AND account_id = accounts.id AND provider = ${provider}) AS oldest
            FROM accounts) AS each_account WHERE oldest IS NOT NULL`)).map(
            (row) => [row.account, row] as const
          )
        )
        for (;;) {
          const next = turns.next(provider, [...waiting.values()])
          if (next === undefined) return Option.none()
          const [row] =
            yield* claimedRows(sql`UPDATE tasks SET status = 'processing', attempts = attempts + 1, holder = ${me}
              WHERE id = (SELECT id FROM tasks ${byWaiting} WHERE status = 'queued' AND account_id = ${next.account}
                AND provider = ${provider} ORDER BY id LIMIT 1 ${unlocked}) RETURNING *`)
          // Others may have claimed the account's last tasks in between, or their owner deleted them.
          if (row === undefined) {
            waiting.delete(next.account)
            continue
          }
          turns.had(provider, next.account)
          return Option.some(row)
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
        reservedRows(sql`UPDATE tasks SET status = 'done', text = NULL, completed_at = ${now}, duration_ms = ${outcome.durationMs}, bytes = ${outcome.bytes},
          format = ${outcome.format}, has_srt = ${outcome.hasSrt ? 1 : 0}, has_json = ${outcome.hasJson ? 1 : 0}, engine = ${outcome.engine}
          WHERE task_id = ${taskId} AND status = 'processing' AND holder = ${me} RETURNING account_id, credits`),
        true
      )
    }),

    /** Marks a task failed and releases the reserved credits. False if it was deleted. */
    fail: Effect.fn("TaskQueue.fail")(function* (taskId: string, code: string, message: string) {
      const now = yield* Clock.currentTimeMillis
      return yield* settle(
        taskId,
        reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = ${code}, error_message = ${message}
          WHERE task_id = ${taskId} AND status = 'processing' AND holder = ${me} RETURNING account_id, credits`),
        false
      )
    }),

    /** Queues a claimed task again, unspoken; the attempt does not count. */
    giveBack: (taskId: string) =>
      Effect.orDie(sql`UPDATE tasks SET status = 'queued', attempts = attempts - 1, holder = NULL
        WHERE task_id = ${taskId} AND status = 'processing' AND holder = ${me}`),

    /** Informs the other replicas that this one is running, and which providers it offers. */
    beat: (providers: ReadonlyArray<string>) =>
      sharing === undefined
        ? Effect.void
        : Effect.orDie(sql`INSERT INTO replicas (id, providers, alive_until)
            VALUES (${me}, ${`,${providers.join(",")},`}, ${clock} + ${sharing.lease})
            ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`),

    /** Forgets this replica, and those that have been silent for a day. */
    leave: Effect.orDie(sql`DELETE FROM replicas WHERE id = ${me} OR alive_until < ${clock} - 86400000`),

    /**
     * Queues tasks again that were in flight in a process that died, or fails them once they have used `maxAttempts`.
     * With `providers`, those that this process offers, also fails tasks of providers that no process offers.
     */
    recover: Effect.fn("TaskQueue.recover")(function* (
      maxAttempts: number,
      providers?: ReadonlyArray<string>
    ) {
      const now = yield* Clock.currentTimeMillis
      return yield* inTransaction(
        Effect.gen(function* () {
          const crashed =
            yield* reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'crashed',
              error_message = 'the service stopped each time it spoke this task'
              WHERE ${dropped} AND attempts >= ${maxAttempts} RETURNING account_id, credits`)
          const abandoned =
            providers === undefined
              ? []
              : yield* reservedRows(sql`UPDATE tasks SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'not_offered',
              error_message = 'the provider is offered no longer'
              WHERE (status = 'queued' OR ${dropped}) AND NOT ${sql.in("provider", providers)} AND NOT EXISTS
                (SELECT 1 FROM replicas WHERE alive_until > ${clock} AND providers LIKE '%,' || tasks.provider || ',%')
              RETURNING account_id, credits`)
          const failed = [...crashed, ...abandoned]
          yield* Effect.forEach(
            failed,
            (row) =>
              sql`UPDATE accounts SET reserved = reserved - ${row.credits} WHERE id = ${row.account_id}`,
            { discard: true }
          )
          const again =
            yield* sql`UPDATE tasks SET status = 'queued', holder = NULL WHERE ${dropped} RETURNING id`
          return { failed: failed.length, again: again.length }
        })
      ).pipe(Effect.orDie)
    }),

    /** Counts queued and processing tasks over all accounts. */
    counts: countRows(
      sql`SELECT status, COUNT(*) AS count FROM tasks WHERE status IN ('queued', 'processing') GROUP BY status`
    ).pipe(
      Effect.map((rows) => {
        const counts = new Map(rows.map(({ status, count }) => [status, count]))
        return { queued: counts.get("queued") ?? 0, processing: counts.get("processing") ?? 0 }
      }),
      Effect.orDie
    )
  }
})

/** The queue of tasks. */
export class TaskQueue extends Effect.Service<TaskQueue>()("service/TaskQueue", { effect: make }) {}

/** An account with queued tasks of a provider, and the row id of the oldest. */
export interface WaitingAccount {
  readonly account: number
  readonly oldest: number
}

/**
 * Round-robin among accounts per provider, so that an account with many tasks does not delay the others. Remembers the
 * order of their last turns.
 */
export class FairQueue {
  private count = 0
  private readonly last = new Map<string, number>()

  /** Returns the account that has waited longest for a turn. Ties go to the account with the oldest task. */
  next(provider: string, waiting: ReadonlyArray<WaitingAccount>): WaitingAccount | undefined {
    const turn = ({ account }: WaitingAccount) => this.last.get(`${account} ${provider}`) ?? 0
    return [...waiting].sort((one, other) => turn(one) - turn(other) || one.oldest - other.oldest)[0]
  }

  had(provider: string, account: number): void {
    this.last.set(`${account} ${provider}`, ++this.count)
  }
}
