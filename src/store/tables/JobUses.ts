/** Which utterances each job of a batch uses. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { checksumOf } from "../files/Checksum.ts"

/** A job's utterances, in order of use. `label` is the label for the service's list of tasks. */
export interface JobUtterances {
  readonly job: JobId
  readonly utterances: ReadonlyArray<{ readonly utterance: Utterance; readonly label: string }>
}

/** Writes which utterances each job uses, if that changed. `before` are the digests of the batch's known jobs. */
export const recordUses = Effect.fnUntraced(function* (
  sql: SqlClient,
  batch: string,
  jobs: ReadonlyArray<JobUtterances>,
  before: ReadonlyArray<{ readonly job: string; readonly digest: string }>
) {
  const digests = new Map(before.map((row) => [row.job, row.digest]))
  for (const [position, { job, utterances }] of jobs.entries()) {
    const keys = utterances.map((use) => use.utterance.key)
    const digest = checksumOf(keys.join())
    if (digests.get(job) !== digest) {
      yield* sql.unsafe(`DELETE FROM job_use WHERE batch = ? AND job = ?`, [batch, job])
      yield* sql.unsafe(
        `INSERT OR IGNORE INTO job_use (batch, job, key) SELECT ?, ?, value FROM json_each(?)`,
        [batch, job, JSON.stringify(keys)]
      )
    }
    yield* sql.unsafe(`INSERT OR REPLACE INTO job (batch, job, position, digest) VALUES (?, ?, ?, ?)`, [
      batch,
      job,
      position,
      digest
    ])
    digests.delete(job)
  }
  for (const gone of digests.keys()) {
    yield* sql.unsafe(`DELETE FROM job_use WHERE batch = ? AND job = ?`, [batch, gone])
    yield* sql.unsafe(`DELETE FROM job WHERE batch = ? AND job = ?`, [batch, gone])
  }
})
