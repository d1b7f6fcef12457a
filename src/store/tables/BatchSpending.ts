/**
 * What a batch has spent since it was begun. Its first run begins it, and a run that leaves nothing to do ends it:
 * interrupted runs in between count together.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Schema } from "effect"
import { Casting } from "../../domain/speech/Casting.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/** Spending on tasks of one provider and model. */
export interface Spent {
  /** The casting of one of the tasks. */
  readonly casting: Casting
  /** The sum of the credits that the service reported. */
  readonly credits: number
  /** Characters of tasks without reported credits. */
  readonly unpriced: number
}

const readCasting = Schema.decodeSync(Schema.parseJson(Casting))

export class BatchSpending extends Effect.Service<BatchSpending>()("store/Outlay", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder

    const guarded = guardStatements(folder)

    /** Begins a batch, if it is not begun yet. */
    const begin = Effect.fn("BatchSpending.begin")(function* (batch: string) {
      const now = yield* Clock.currentTimeMillis
      yield* guarded(sql`INSERT OR IGNORE INTO batch (batch, begun_at) VALUES (${batch}, ${now})`)
    })

    /** Ends a batch, so that the next run begins it again. */
    const end = Effect.fn("BatchSpending.end")(function* (batch: string) {
      yield* guarded(sql`DELETE FROM batch WHERE batch = ${batch}`)
    })

    /** Returns what a batch has spent since it was begun; empty if it is not begun. */
    const spent = Effect.fn("BatchSpending.spent")(function* (batch: string) {
      const rows = yield* guarded(
        sql.unsafe<{ readonly casting: string; readonly credits: number; readonly unpriced: number }>(
          spentSince,
          [batch, batch]
        )
      )
      return rows.map(({ casting, ...sums }): Spent => ({ casting: readCasting(casting), ...sums }))
    })

    return { begin, end, spent }
  })
}) {}

// An utterance that no job uses was replaced by an edit since.
const spentSince = `SELECT min(utterance.casting) AS casting, coalesce(sum(credits), 0) AS credits,
  coalesce(sum(CASE WHEN credits IS NULL THEN task.characters END), 0) AS unpriced
FROM task JOIN utterance ON utterance.key = task.key
WHERE made_at >= (SELECT begun_at FROM batch WHERE batch = ?)
  AND (task.key IN (SELECT key FROM job_use WHERE batch = ?) OR task.key NOT IN (SELECT key FROM job_use))
GROUP BY task.provider, casting ->> 'model'`
