/**
 * The spending of a batch since it was begun. Its first run begins it, and a run that leaves nothing to do ends it:
 * interrupted runs in between count together.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Schema } from "effect"
import { Casting } from "../../domain/speech/Casting.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"

/** Spending on tasks of one provider and model: on first takes of lines, or on others. */
const Spent = Schema.Struct({
  /** Whether the tasks are new takes: of lines whose audio was damaged, or whose task was lost. */
  isRepeated: Schema.transformLiterals([0, false], [1, true]),
  tasks: Schema.Int,
  /** The casting of one of the tasks. */
  casting: Schema.parseJson(Casting),
  /** The sum of the credits that the service reported. */
  credits: Schema.Number,
  /** Characters of tasks without reported credits. */
  unpriced: Schema.Number
})

export class BatchSpending extends Effect.Service<BatchSpending>()("store/BatchSpending", {
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

    /** Returns the spending of a batch since it was begun; empty if it is not begun. */
    const spent = Effect.fn("BatchSpending.spent")(
      makeQueries(folder)("task and utterance", {
        Request: Schema.String,
        Result: Spent,
        execute: (batch) => sql.unsafe(spentSince, [batch, batch])
      })
    )

    return { begin, end, spent }
  })
}) {}

// If no job uses an utterance, an edit has replaced it since.
const spentSince = `SELECT min(utterance.casting) AS casting, task.take > 1 AS isRepeated, count(*) AS tasks,
  coalesce(sum(credits), 0) AS credits,
  coalesce(sum(CASE WHEN credits IS NULL THEN task.characters END), 0) AS unpriced
FROM task JOIN utterance ON utterance.key = task.key
WHERE made_at >= (SELECT begun_at FROM batch WHERE batch = ?)
  AND (task.key IN (SELECT key FROM job_use WHERE batch = ?) OR task.key NOT IN (SELECT key FROM job_use))
GROUP BY task.provider, casting ->> 'model', isRepeated`
