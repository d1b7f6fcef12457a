/** The queries of the utterance store, each with the shape of its rows. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Schema } from "effect"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { UtteranceState } from "../../domain/task/UtteranceState.ts"
import { ProviderId, TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import { makeQueries } from "../state/GuardedStatements.ts"
import { ClipRow, StatusRow, StoredRow } from "./UtteranceRow.ts"

const { Number: Count, Struct } = Schema

/** The progress of a job. An utterance that several jobs use counts in each. */
const JobStanding = Struct({
  job: Schema.String,
  utterances: Count,
  characters: Count,
  /** On disk: fetched or placed. */
  done: Count,
  /** Announced, submitted or settled. */
  underWay: Count,
  failed: Count,
  /** Not sent yet. */
  left: Count
})
export type JobStanding = typeof JobStanding.Type

const Keys = Schema.parseJson(Schema.Array(Schema.String))

/** Makes the queries of an open state folder. */
export const makeUtteranceQueries = (sql: SqlClient, folder: string) => {
  const query = makeQueries(folder)
  return {
    status: query("utterance and clip", {
      Request: Keys,
      Result: StatusRow,
      execute: (keys) =>
        sql.unsafe(
          `SELECT utterance.key, state, take, setback, suspect FROM utterance LEFT JOIN clip ON clip.key = utterance.key
           WHERE utterance.key IN (SELECT value FROM json_each(?))`,
          [keys]
        )
    }),
    row: query("utterance", {
      Request: Keys,
      Result: StoredRow,
      execute: (keys) =>
        sql.unsafe(
          `SELECT key, casting, input, text, said, characters, label, state, take, task, announced_at AS announcedAt,
             create_key AS createKey, rerolls, losses
           FROM utterance WHERE key IN (SELECT value FROM json_each(?))`,
          [keys]
        )
    }),
    clip: query("clip", {
      Request: Keys,
      Result: ClipRow,
      execute: (keys) =>
        sql.unsafe(
          `SELECT key, rate, frames, checksum, bytes, cut, segments, suspect, engine FROM clip
           WHERE key IN (SELECT value FROM json_each(?))`,
          [keys]
        )
    }),
    clipSize: query("clip", {
      Request: Keys,
      Result: Struct({ key: Schema.String, bytes: Count }),
      execute: (keys) =>
        sql.unsafe(`SELECT key, bytes FROM clip WHERE key IN (SELECT value FROM json_each(?))`, [keys])
    }),
    clipChecksum: query("clip", {
      Request: Schema.Void,
      Result: Struct({ key: UtteranceKey, checksum: Schema.String }),
      execute: () => sql.unsafe(`SELECT key, checksum FROM clip`)
    }),
    task: query("task", {
      Request: Keys,
      Result: Struct({ task: Schema.String, characters: Count }),
      execute: (tasks) =>
        sql.unsafe(`SELECT task, characters FROM task WHERE task IN (SELECT value FROM json_each(?))`, [
          tasks
        ])
    }),
    taskMade: query("task", {
      Request: Struct({ from: Count, to: Count }),
      Result: Struct({ task: TaskId }),
      execute: ({ from, to }) =>
        sql.unsafe(
          `SELECT task.task FROM task JOIN utterance ON utterance.key = task.key AND utterance.task = task.task
           WHERE made_at BETWEEN ? AND ? AND state IN ('submitted', 'settled', 'fetched', 'placed')`,
          [from, to]
        )
    }),
    announcedLike: query("utterance", {
      Request: Struct({ provider: Schema.String, characters: Count, voice: Schema.String }),
      Result: Struct({ count: Count }),
      execute: ({ provider, characters, voice }) =>
        sql.unsafe(
          `SELECT count(*) AS count FROM utterance
           WHERE (state = 'announced' OR state = 'failed' AND setback ->> 'kind' = 'undecidable')
             AND provider = ? AND characters = ? AND casting ->> 'voice' = ?`,
          [provider, characters, voice]
        )
    }),
    unspoken: query("utterance", {
      Request: Keys,
      Result: Struct({ key: UtteranceKey, provider: ProviderId, state: UtteranceState }),
      execute: (keys) =>
        sql.unsafe(
          `SELECT utterance.key, provider, state FROM json_each(?) AS wanted JOIN utterance ON utterance.key = wanted.value
           WHERE state IN ('planned', 'announced', 'submitted', 'settled') ORDER BY wanted.key`,
          [keys]
        )
    }),
    unused: query("utterance", {
      Request: Count,
      Result: Struct({ key: UtteranceKey }),
      execute: (before) =>
        sql.unsafe(
          `SELECT key FROM utterance WHERE changed_at <= ? AND key NOT IN (SELECT key FROM job_use)`,
          [before]
        )
    }),
    failed: query("utterance", {
      Request: Keys,
      Result: Struct({
        key: UtteranceKey,
        task: Schema.NullOr(Schema.String),
        setback: Schema.parseJson(FailureReason)
      }),
      execute: (keys) =>
        sql.unsafe(
          `SELECT key, task, setback FROM utterance
           WHERE state = 'failed' AND key IN (SELECT value FROM json_each(?))`,
          [keys]
        )
    }),
    jobStanding: query("job and utterance", {
      Request: Schema.String,
      Result: JobStanding,
      execute: (batch) => sql.unsafe(standingOfJobs, [batch])
    }),
    jobDigest: query("job", {
      Request: Schema.String,
      Result: Struct({ job: Schema.String, digest: Schema.String, position: Schema.Int }),
      execute: (batch) => sql.unsafe(`SELECT job, digest, position FROM job WHERE batch = ?`, [batch])
    })
  }
}

const standingOfJobs = `SELECT job.job AS job, count(utterance.key) AS utterances,
  coalesce(sum(characters), 0) AS characters,
  coalesce(sum(state IN ('fetched', 'placed')), 0) AS done,
  coalesce(sum(state IN ('announced', 'submitted', 'settled')), 0) AS underWay,
  coalesce(sum(state = 'failed'), 0) AS failed,
  coalesce(sum(state = 'planned'), 0) AS left
FROM job LEFT JOIN job_use ON job_use.batch = job.batch AND job_use.job = job.job
LEFT JOIN utterance ON utterance.key = job_use.key
WHERE job.batch = ? GROUP BY job.job ORDER BY job.position`
