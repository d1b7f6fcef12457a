/** Records of completed batches, whose last run left nothing to do, and of their clips. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { JobId } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"

/** An utterance that a job uses. `bytes` and `checksum` are its clip's; null if it has none. */
const UsedClip = Schema.Struct({
  // Decoded as text, because a pattern check of every row would take longer than the read.
  key: Schema.String.pipe(Schema.brand("UtteranceKey")),
  bytes: Schema.NullOr(Schema.Number),
  checksum: Schema.NullOr(Schema.String)
})

/** Rows per read: a job may have any number. */
const page = 2_000

/** One record per batch. Its writer and reader define its format. */
export class CompletedBatches extends Effect.Service<CompletedBatches>()("store/CompletedBatches", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder

    const guarded = guardStatements(folder)
    const query = makeQueries(folder)

    const recorded = query("finished", {
      Request: Schema.String,
      Result: Schema.Struct({ record: Schema.String }),
      execute: (batch) => sql`SELECT record FROM finished WHERE batch = ${batch}`
    })

    /** Returns the record of a batch. */
    const record = Effect.fn("CompletedBatches.record")(function* (batch: string) {
      const rows = yield* recorded(batch)
      return Option.fromNullable(rows[0]?.record)
    })

    const remember = Effect.fn("CompletedBatches.remember")(function* (batch: string, record: string) {
      yield* guarded(sql`INSERT OR REPLACE INTO finished (batch, record) VALUES (${batch}, ${record})`)
    })

    const forget = Effect.fn("CompletedBatches.forget")(function* (batch: string) {
      yield* guarded(sql`DELETE FROM finished WHERE batch = ${batch}`)
    })

    /**
     * Returns one page of the utterances that a job of a batch uses, with their clips, ordered by key and after the
     * given key. Empty after the last.
     */
    const clipsAfter = query("job_use and clip", {
      Request: Schema.Struct({ batch: Schema.String, job: JobId, after: Schema.String }),
      Result: UsedClip,
      execute: ({ batch, job, after }) =>
        sql`SELECT job_use.key, bytes, checksum FROM job_use LEFT JOIN clip ON clip.key = job_use.key
          WHERE batch = ${batch} AND job = ${job} AND job_use.key > ${after} ORDER BY job_use.key LIMIT ${page}`
    })
    const usedClips = (batch: string, job: JobId, after: string) => clipsAfter({ batch, job, after })

    return { record, remember, forget, usedClips }
  })
}) {}
