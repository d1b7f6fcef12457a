/**
 * Deletes tasks that ended more than `keep.days` ago, and files without a task, while the service runs. The clock alone
 * decides nothing: time passes from the newest record on, as fast as this process runs. So a clock that is set ahead
 * deletes nothing. After a standstill, tasks are kept for longer by its duration, until the next start.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schedule, Schema } from "effect"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import { auditRetention } from "../accounts/AuditLog.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { expireNames } from "./IdempotentCreates.ts"
import { checkRows } from "../storage/CheckedRows.ts"
import { Replica } from "../storage/Replica.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"

/** Maximum tasks deleted in one transaction. */
const atOnce = 200

const existingRows = checkRows("tasks", Schema.Struct({ task_id: Schema.String }))
const newestRows = checkRows("tasks", Schema.Struct({ at: Schema.NullOr(Schema.Int) }))
const expiredRows = checkRows("tasks", Schema.Struct({ task_id: Schema.String, account_id: Schema.Int }))

/** Deletes in the background. Failures are retried later. */
export const taskRetention = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const files = yield* TaskFiles
    const { sharing } = yield* Replica
    const { config } = yield* ServiceOptions
    const age = (config.keep?.days ?? 30) * 86_400_000

    /** Returns those of the given tasks that still exist. */
    const existing = (taskIds: ReadonlyArray<string>) =>
      existingRows(sql`SELECT task_id FROM tasks WHERE ${sql.in("task_id", taskIds)}`).pipe(
        Effect.map((rows) => new Set(rows.map((row) => row.task_id))),
        Effect.orDie
      )

    /** Deletes some of the tasks that ended before a time; returns their ids. */
    const expire = (before: number) =>
      inWriteTransaction(sql)(
        Effect.gen(function* () {
          const deleted = yield* expiredRows(
            sql`DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE completed_at < ${before} LIMIT ${atOnce}) RETURNING task_id, account_id`
          )
          yield* sql`DELETE FROM deleted WHERE deleted_at < ${before}`
          yield* Effect.forEach(
            deleted,
            (row) => sql`UPDATE accounts SET tasks = tasks - 1 WHERE id = ${row.account_id}`,
            { discard: true }
          )
          return deleted.map((row) => row.task_id)
        })
      ).pipe(Effect.orDie)

    const clock = yield* Effect.clock
    const began = { at: clock.unsafeCurrentTimeMillis(), steady: steadyMillis(clock) }
    const newest = yield* Effect.orDie(
      newestRows(sql`SELECT MAX(at) AS at FROM (SELECT MAX(completed_at) AS at FROM tasks
        UNION ALL SELECT created_at FROM tasks WHERE id = (SELECT MAX(id) FROM tasks)) AS newest`)
    )
    const known = Math.min(began.at, newest[0]?.at ?? began.at)
    if (began.at - known > age)
      yield* Effect.annotateLogs(
        Effect.logWarning("the clock is far ahead of the newest record; tasks are deleted later by that"),
        { days: Math.round((began.at - known) / 86_400_000), newest: new Date(known).toISOString() }
      )
    const time = () => Math.min(clock.unsafeCurrentTimeMillis(), known + steadyMillis(clock) - began.steady)

    const old = Effect.gen(function* () {
      const now = time()
      yield* Effect.orDie(expireNames(sql, now))
      yield* Effect.orDie(sql`DELETE FROM key_days WHERE day < ${Math.floor(now / 86_400_000) - 2}`)
      yield* Effect.orDie(sql`DELETE FROM audit WHERE at < ${now - auditRetention}`)
      yield* Effect.orDie(sql`DELETE FROM key_uses WHERE at < ${now - auditRetention}`)
      // An older bucket is full, as a new one is.
      yield* sharing === undefined
        ? Effect.void
        : Effect.orDie(sql`DELETE FROM rate_buckets WHERE at < ${now - 3_600_000}`)
      const expired = yield* expire(now - age)
      yield* Effect.forEach(expired, files.remove, { discard: true })
      return expired.length
    })
    const all = Effect.repeat(old, { until: (count) => count < atOnce })
    const regularly = Schedule.spaced(`${Math.min(600_000, Math.max(1_000, age / 10))} millis`)
    yield* Effect.forkScoped(
      Effect.zipRight(orLater(files.sweep(existing)), Effect.schedule(orLater(all), regularly))
    )
  })
)

/** Logs a defect instead of failing: a full disk or a locked database is temporary. */
const orLater = <A>(work: Effect.Effect<A>): Effect.Effect<void> =>
  Effect.catchAllDefect(Effect.asVoid(work), (defect) =>
    Effect.logError("cannot delete expired tasks yet", defect)
  )
