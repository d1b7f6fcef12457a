/** The store of utterances: their states, tasks and clips. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect } from "effect"
import { type ProviderId, TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import { isTransientReason, retryTimeOf } from "../../domain/task/FailureReason.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import type { UtteranceState } from "../../domain/task/UtteranceState.ts"
import { makeWriteBatcher, mostAtOnce } from "../journal/WriteBatcher.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { type JobUtterances, recordUses } from "./JobUses.ts"
import { guardStatements, inTransaction } from "../state/GuardedStatements.ts"
import {
  clipColumns,
  clipOf,
  rowColumns,
  rowOf,
  readFailureReason,
  type UtteranceStatus,
  type UtteranceStatusColumns,
  utteranceStatusOf,
  type StoredClip,
  type UtteranceRow
} from "./UtteranceRow.ts"

/** The progress of a job. An utterance that several jobs use counts in each. */
export interface JobStanding {
  readonly job: string
  readonly utterances: number
  readonly characters: number
  /** On disk: fetched or placed. */
  readonly done: number
  /** Announced, submitted or settled. */
  readonly underWay: number
  readonly failed: number
  /** Not sent yet. */
  readonly left: number
}

/** The store of utterances. Every method may fail if the folder can no longer be used. */
export class UtteranceStore extends Effect.Service<UtteranceStore>()("store/UtteranceStore", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder
    const write = yield* makeWriteBatcher

    const guarded = guardStatements(folder)

    /** Writes changes, as many at a time as one commit takes. */
    const applyAll = (changes: Iterable<UtteranceChange>) =>
      Effect.forEach(changes, write, { concurrency: mostAtOnce, discard: true })

    /** Runs a query for keys, in chunks. The result uses the given key objects, so that no key is in memory twice. */
    const byKeys = <Row extends { readonly key: string }, A>(
      keys: ReadonlyArray<UtteranceKey>,
      query: string,
      read: (row: Row, key: UtteranceKey) => A
    ) =>
      Effect.gen(function* () {
        const found = new Map<UtteranceKey, A>()
        for (let from = 0; from < keys.length; from += rowsAtOnce) {
          const some = new Map(
            keys.slice(from, from + rowsAtOnce).map((key): [string, UtteranceKey] => [key, key])
          )
          const rows = yield* guarded(sql.unsafe<Row>(query, [JSON.stringify([...some.keys()])]))
          for (const row of rows) {
            const key = some.get(row.key)
            if (key !== undefined) found.set(key, read(row, key))
          }
        }
        return found
      })

    const standings = Effect.fn("UtteranceStore.standings")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(
        keys,
        `SELECT utterance.key, state, take, setback, suspect FROM utterance LEFT JOIN clip ON clip.key = utterance.key
         WHERE utterance.key IN (SELECT value FROM json_each(?))`,
        (row: UtteranceStatusColumns): UtteranceStatus => utteranceStatusOf(row)
      )
    )

    /**
     * Registers utterances, and which jobs of a batch use them. Jobs of the batch that are not given are deleted. Known
     * utterances are not changed. Returns the status of each utterance.
     */
    const plan = Effect.fn("UtteranceStore.plan")(function* (
      batch: string,
      jobs: ReadonlyArray<JobUtterances>
    ) {
      const named = new Map<UtteranceKey, { readonly utterance: Utterance; readonly label: string }>()
      for (const { utterances } of jobs)
        for (const use of utterances) if (!named.has(use.utterance.key)) named.set(use.utterance.key, use)
      const known = yield* standings(Array.from(named.keys()))
      const unknown = Array.from(named.values()).filter(({ utterance }) => !known.has(utterance.key))
      const now = yield* Clock.currentTimeMillis
      yield* inTransaction(
        sql,
        folder,
        Effect.gen(function* () {
          for (let from = 0; from < unknown.length; from += rowsAtOnce)
            yield* sql.unsafe(addUtterances, [JSON.stringify(unknown.slice(from, from + rowsAtOnce)), now])
          yield* recordUses(sql, batch, jobs)
        })
      )
      for (const { utterance } of unknown) known.set(utterance.key, untouched)
      return known
    })

    /** Reads utterances, in the given order. Unknown keys are skipped. */
    const rows = Effect.fn("UtteranceStore.rows")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const found = yield* guarded(
        sql.unsafe(`SELECT ${rowColumns} FROM utterance WHERE key IN (SELECT value FROM json_each(?))`, [
          JSON.stringify(keys)
        ])
      )
      const read = yield* Effect.forEach(found, rowOf)
      const byKey = new Map(read.map((row) => [row.utterance.key, row]))
      return keys.flatMap((key): ReadonlyArray<UtteranceRow> => {
        const row = byKey.get(key)
        return row === undefined ? [] : [row]
      })
    })

    /** Returns the clips of the utterances that have one. */
    const clips = Effect.fn("UtteranceStore.clips")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(
        keys,
        `SELECT ${clipColumns} FROM clip WHERE key IN (SELECT value FROM json_each(?))`,
        (row, key): StoredClip => clipOf(row, key)
      )
    )

    /** Returns the sizes of the clips that should be on disk, by key, to detect missing ones. */
    const clipSizes = Effect.fn("UtteranceStore.clipSizes")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(
        keys,
        `SELECT key, bytes FROM clip WHERE key IN (SELECT value FROM json_each(?))`,
        ({ bytes }: { readonly key: string; readonly bytes: number }) => bytes
      )
    )

    /** Returns which of these tasks were created for utterances of this folder. */
    const ours = Effect.fn("UtteranceStore.ours")(function* (tasks: ReadonlyArray<TaskId>) {
      const found = yield* guarded(
        sql.unsafe<{ readonly task: string }>(
          `SELECT task FROM task WHERE task IN (SELECT value FROM json_each(?))`,
          [JSON.stringify(tasks)]
        )
      )
      return new Set(found.map((row) => row.task))
    })

    /** Returns the tasks created between two times (milliseconds since 1970) that are still in use. */
    const madeBetween = Effect.fn("UtteranceStore.madeBetween")(function* (from: number, to: number) {
      const found = yield* guarded(
        sql.unsafe<{ readonly task: string }>(
          `SELECT task.task FROM task JOIN utterance ON utterance.key = task.key AND utterance.task = task.task
           WHERE made_at BETWEEN ? AND ? AND state IN ('submitted', 'settled', 'fetched', 'placed')`,
          [from, to]
        )
      )
      return found.map((row) => TaskId.make(row.task))
    })

    /**
     * Returns how many announced utterances, including this one, a service that returns no labels could not tell apart.
     */
    const announcedLike = Effect.fn("UtteranceStore.announcedLike")(function* (utterance: Utterance) {
      const found = yield* guarded(
        sql.unsafe<{ readonly count: number }>(
          `SELECT count(*) AS count FROM utterance
           WHERE state = 'announced' AND provider = ? AND characters = ? AND casting ->> 'voice' = ?`,
          [utterance.casting.provider, utterance.characters, utterance.casting.voice]
        )
      )
      return found[0]?.count ?? 0
    })

    /**
     * Returns the utterances without a clip that have not failed, with their providers and states, in the given order.
     */
    const unspoken = Effect.fn("UtteranceStore.unspoken")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const found = yield* guarded(
        sql.unsafe<{ readonly key: string; readonly provider: ProviderId; readonly state: UtteranceState }>(
          `SELECT utterance.key, provider, state FROM json_each(?) AS wanted JOIN utterance ON utterance.key = wanted.value
           WHERE state IN ('planned', 'announced', 'submitted', 'settled') ORDER BY wanted.key`,
          [JSON.stringify(keys)]
        )
      )
      return found.map(({ key, ...row }) => ({ key: UtteranceKey.make(key), ...row }))
    })

    /** Returns the progress of each job of a batch, in the batch's order. */
    const jobStandings = Effect.fn("UtteranceStore.jobStandings")(function* (batch: string) {
      return yield* guarded(sql.unsafe<JobStanding>(standingOfJobs, [batch]))
    })

    /**
     * Returns utterances that no job of any batch uses, and that have not changed since `before` (milliseconds since
     * 1970).
     */
    const unused = Effect.fn("UtteranceStore.unused")(function* (before: number = Number.MAX_SAFE_INTEGER) {
      const found = yield* guarded(
        sql.unsafe<{ readonly key: string }>(
          `SELECT key FROM utterance WHERE changed_at <= ? AND key NOT IN (SELECT key FROM job_use)`,
          [before]
        )
      )
      return found.map((row) => UtteranceKey.make(row.key))
    })

    /**
     * Retries failed utterances: `all`, or only those whose failure may be temporary. If the service may still have the
     * audio, it is asked first. Returns the retried ones.
     */
    const revive = Effect.fn("UtteranceStore.revive")(function* (
      keys: ReadonlyArray<UtteranceKey>,
      which: "all" | "passing"
    ) {
      const failed = yield* guarded(
        sql.unsafe<{ readonly key: string; readonly task: string | null; readonly setback: string }>(
          `SELECT key, task, setback FROM utterance
           WHERE state = 'failed' AND key IN (SELECT value FROM json_each(?))`,
          [JSON.stringify(keys)]
        )
      )
      const changes = failed.flatMap(({ key, task, setback }): ReadonlyArray<UtteranceChange> => {
        const { kind } = readFailureReason(setback)
        return which === "all" || isTransientReason(kind)
          ? [{ event: retryTimeOf(kind, task !== null), key: UtteranceKey.make(key) }]
          : []
      })
      yield* applyAll(changes)
      return changes.map((change) => change.key)
    })

    return {
      plan,
      revive,
      standings,
      rows,
      clips,
      clipSizes,
      ours,
      madeBetween,
      announcedLike,
      unspoken,
      jobStandings,
      unused,
      /** Writes a change, checked against the table of transitions. An impossible change is an internal error. */
      apply: write,
      applyAll
    }
  })
}) {}

const untouched: UtteranceStatus = { state: "planned", take: 1, setback: undefined, suspect: undefined }

/** Utterances per statement. During a statement, their texts are in memory twice. */
const rowsAtOnce = 2_000

const addUtterances = `WITH given(list, time) AS (VALUES (?, ?))
INSERT OR IGNORE INTO utterance
  (key, state, casting, provider, input, text, said, characters, label, changed_at)
SELECT value -> 'utterance' ->> 'key', 'planned', value -> 'utterance' -> 'casting',
  value -> 'utterance' -> 'casting' ->> 'provider', value -> 'utterance' ->> 'input', value -> 'utterance' ->> 'text',
  value -> 'utterance' -> 'said', value -> 'utterance' ->> 'characters', value ->> 'label', given.time
FROM given JOIN json_each(given.list)`

const standingOfJobs = `SELECT job.job AS job, count(utterance.key) AS utterances,
  coalesce(sum(characters), 0) AS characters,
  coalesce(sum(state IN ('fetched', 'placed')), 0) AS done,
  coalesce(sum(state IN ('announced', 'submitted', 'settled')), 0) AS underWay,
  coalesce(sum(state = 'failed'), 0) AS failed,
  coalesce(sum(state = 'planned'), 0) AS left
FROM job LEFT JOIN job_use ON job_use.batch = job.batch AND job_use.job = job.job
LEFT JOIN utterance ON utterance.key = job_use.key
WHERE job.batch = ? GROUP BY job.job ORDER BY job.position`
