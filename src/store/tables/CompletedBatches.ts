/** What is remembered of batches whose last run left nothing undone, and the clips that such a memory stands on. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option } from "effect"
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/** An utterance that a job uses; `bytes` and `checksum` are its clip's, null where it has none. */
export interface UsedClip {
  readonly key: UtteranceKey
  readonly bytes: number | null
  readonly checksum: string | null
}

/** Rows read at once: a job may have any number. */
const page = 2_000

/** A text a batch: what it says is known to who writes and reads it. */
export class CompletedBatches extends Effect.Service<CompletedBatches>()("store/Finished", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder

    const guarded = guardStatements(folder)

    /** What is remembered of a batch. */
    const record = Effect.fn("Finished.record")(function* (batch: string) {
      const rows = yield* guarded(
        sql<{ readonly record: string }>`SELECT record FROM finished WHERE batch = ${batch}`
      )
      return Option.fromNullable(rows[0]?.record)
    })

    const remember = Effect.fn("Finished.remember")(function* (batch: string, record: string) {
      yield* guarded(sql`INSERT OR REPLACE INTO finished (batch, record) VALUES (${batch}, ${record})`)
    })

    const forget = Effect.fn("Finished.forget")(function* (batch: string) {
      yield* guarded(sql`DELETE FROM finished WHERE batch = ${batch}`)
    })

    /**
     * The utterances that a job of a batch uses, with their clips, those after a key in the order of keys; empty behind
     * the last.
     */
    const usedClips = (batch: string, job: JobId, after: string) =>
      guarded(
        sql<UsedClip>`SELECT job_use.key, bytes, checksum FROM job_use LEFT JOIN clip ON clip.key = job_use.key
          WHERE batch = ${batch} AND job = ${job} AND job_use.key > ${after} ORDER BY job_use.key LIMIT ${page}`
      )

    return { record, remember, forget, usedClips }
  })
}) {}
