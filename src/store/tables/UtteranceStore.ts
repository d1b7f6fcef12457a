/** The store of utterances: their states, tasks and clips. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect } from "effect"
import type { TaskId, UtteranceKey, JobId } from "../../domain/values/Ids.ts"
import { isTransientReason, retryTimeOf } from "../../domain/task/RetryRule.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { ClipFolder } from "../files/ClipFolder.ts"
import { makeWriteBatcher, maxAtOnce } from "../journal/WriteBatcher.ts"
import type { StateUnusable } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { inTransaction } from "../state/GuardedStatements.ts"
import { makeUtteranceQueries } from "./UtteranceQueries.ts"
import { clipOf, rowOf, utteranceStatusOf, type UtteranceRow, type UtteranceStatus } from "./UtteranceRow.ts"
import { checksumOf } from "../files/Checksum.ts"

/** The store of utterances. Every method may fail if the folder can no longer be used. */
export class UtteranceStore extends Effect.Service<UtteranceStore>()("store/UtteranceStore", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder
    const write = yield* makeWriteBatcher

    const query = makeUtteranceQueries(sql, folder)

    /** Writes changes, as many at a time as one commit takes. */
    const applyAll = (changes: Iterable<UtteranceChange>) =>
      Effect.forEach(changes, write, { concurrency: maxAtOnce, discard: true })

    /** Runs a query for keys, in chunks. The result uses the given key objects, so that no key is in memory twice. */
    const byKeys = <Row extends { readonly key: string }, A>(
      keys: ReadonlyArray<UtteranceKey>,
      find: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, StateUnusable>,
      read: (row: Row, key: UtteranceKey) => A
    ) =>
      Effect.gen(function* () {
        const found = new Map<UtteranceKey, A>()
        for (let from = 0; from < keys.length; from += rowsAtOnce) {
          const some = new Map(
            keys.slice(from, from + rowsAtOnce).map((key): [string, UtteranceKey] => [key, key])
          )
          for (const row of yield* find([...some.keys()])) {
            const key = some.get(row.key)
            if (key !== undefined) found.set(key, read(row, key))
          }
        }
        return found
      })

    const standings = Effect.fn("UtteranceStore.standings")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(keys, query.status, utteranceStatusOf)
    )

    /**
     * Registers utterances, and which jobs of a batch use them. Jobs of the batch that are not given are deleted,
     * unless `isPart`. Known utterances are not changed. Returns the status of each utterance.
     */
    const plan = Effect.fn("UtteranceStore.plan")(function* (
      batch: string,
      jobs: ReadonlyArray<JobUtterances>,
      isPart = false
    ) {
      const named = new Map<UtteranceKey, { readonly utterance: Utterance; readonly label: string }>()
      for (const { utterances } of jobs)
        for (const use of utterances) if (!named.has(use.utterance.key)) named.set(use.utterance.key, use)
      const known = yield* standings(Array.from(named.keys()))
      const unknown = Array.from(named.values()).filter(({ utterance }) => !known.has(utterance.key))
      const now = yield* Clock.currentTimeMillis
      const before = yield* query.jobDigest(batch)
      yield* inTransaction(
        sql,
        folder,
        Effect.gen(function* () {
          for (let from = 0; from < unknown.length; from += rowsAtOnce)
            yield* sql.unsafe(addUtterances, [JSON.stringify(unknown.slice(from, from + rowsAtOnce)), now])
          yield* recordUses(sql, batch, jobs, before, isPart)
        })
      )
      for (const { utterance } of unknown) known.set(utterance.key, untouched)
      return known
    })

    /** Reads utterances, in the given order. Unknown keys are skipped. */
    const rows = Effect.fn("UtteranceStore.rows")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const found = yield* query.row(keys)
      const byKey = new Map(found.map((row) => [row.key, rowOf(row)]))
      return keys.flatMap((key): ReadonlyArray<UtteranceRow> => {
        const row = byKey.get(key)
        return row === undefined ? [] : [row]
      })
    })

    /** Returns the clips of the utterances that have one. */
    const clips = Effect.fn("UtteranceStore.clips")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(keys, query.clip, clipOf)
    )

    /** Returns the sizes of the clips that should be on disk, by key, to detect missing ones. */
    const clipSizes = Effect.fn("UtteranceStore.clipSizes")((keys: ReadonlyArray<UtteranceKey>) =>
      byKeys(keys, query.clipSize, ({ bytes }) => bytes)
    )

    /** Returns which of these tasks were created for utterances of this folder. */
    const ours = Effect.fn("UtteranceStore.ours")(function* (tasks: ReadonlyArray<TaskId>) {
      return new Set((yield* query.task(tasks)).map(({ task }) => task))
    })

    /** Returns how many characters the texts of these tasks have, as far as they are of this folder. */
    const charactersOf = Effect.fn("UtteranceStore.charactersOf")(function* (tasks: ReadonlyArray<TaskId>) {
      return new Map((yield* query.task(tasks)).map(({ task, characters }) => [task, characters]))
    })

    /** The checksums of all clips. */
    const clipChecksums = Effect.suspend(() => query.clipChecksum()).pipe(
      Effect.withSpan("UtteranceStore.clipChecksums")
    )

    /** Returns the tasks created between two times (milliseconds since 1970) that are still in use. */
    const madeBetween = Effect.fn("UtteranceStore.madeBetween")(function* (from: number, to: number) {
      return (yield* query.taskMade({ from, to })).map(({ task }) => task)
    })

    /**
     * Returns how many utterances whose create may have made a task that is not known, including this one, a service
     * that returns no labels could not distinguish.
     */
    const announcedLike = Effect.fn("UtteranceStore.announcedLike")(function* (utterance: Utterance) {
      const { characters, casting } = utterance
      const found = yield* query.announcedLike({
        characters,
        provider: casting.provider,
        voice: casting.voice
      })
      return found[0]?.count ?? 0
    })

    /**
     * Returns the task of an utterance's take, if another worker of a fleet got the response to its create too late to
     * record it.
     */
    const answeredElsewhere = (_key: UtteranceKey, _take: number) =>
      Effect.succeed<{ readonly task: TaskId; readonly credits: number | undefined } | undefined>(undefined)

    /**
     * Returns the utterances without a clip that have not failed, with their providers and states, in the given order.
     */
    const unspoken = Effect.fn("UtteranceStore.unspoken")(query.unspoken)

    /** Returns the progress of each job of a batch, in the batch's order. */
    const jobStandings = Effect.fn("UtteranceStore.jobStandings")(query.jobStanding)

    /**
     * Returns utterances that no job of any batch uses, and that have not changed since `before` (milliseconds since
     * 1970).
     */
    const unused = Effect.fn("UtteranceStore.unused")(function* (before: number = Number.MAX_SAFE_INTEGER) {
      return (yield* query.unused(before)).map(({ key }) => key)
    })

    /**
     * Retries failed utterances: `all`, or only those whose failure may be temporary. If the service may still have the
     * audio, it is asked first. Returns the retried ones.
     */
    const revive = Effect.fn("UtteranceStore.revive")(function* (
      keys: ReadonlyArray<UtteranceKey>,
      which: "all" | "passing"
    ) {
      const changes = (yield* query.failed(keys)).flatMap(
        ({ key, task, setback: { kind } }): ReadonlyArray<UtteranceChange> =>
          which === "all" || isTransientReason(kind) ? [{ event: retryTimeOf(kind, task !== null), key }] : []
      )
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
      charactersOf,
      clipChecksums,
      madeBetween,
      announcedLike,
      answeredElsewhere,
      unspoken,
      jobStandings,
      unused,
      /** Writes a change, checked against the table of transitions. An impossible change is an internal error. */
      apply: write,
      applyAll
    }
  })
}) {}

/**
 * Marks utterances whose clips are missing or damaged for refetching: their tasks may still have the audio, at no
 * further cost. Returns how many clips are intact.
 */
export const requeueDamagedClips = Effect.fnUntraced(function* (keys: ReadonlyArray<UtteranceKey>) {
  const store = yield* UtteranceStore
  const clips = yield* ClipFolder
  const sizes = yield* store.clipSizes(keys)
  const damaged = yield* clips.damaged(sizes)
  yield* store.applyAll(damaged.map((key) => ({ event: "refetch" as const, key })))
  return sizes.size - damaged.length
})

const untouched: UtteranceStatus = { state: "planned", take: 1, setback: undefined, suspect: undefined }

/** Utterances per statement: few, so that its rows are gone before V8 takes them for long-lived objects. */
const rowsAtOnce = 200

const addUtterances = `WITH given(list, time) AS (VALUES (?, ?))
INSERT OR IGNORE INTO utterance
  (key, state, casting, provider, input, text, said, characters, label, changed_at)
SELECT value -> 'utterance' ->> 'key', 'planned', value -> 'utterance' -> 'casting',
  value -> 'utterance' -> 'casting' ->> 'provider', value -> 'utterance' ->> 'input', value -> 'utterance' ->> 'text',
  value -> 'utterance' -> 'said', value -> 'utterance' ->> 'characters', value ->> 'label', given.time
FROM given JOIN json_each(given.list)`

/** A job's utterances, in order of use. `label` is the label for the service's list of tasks. */
interface JobUtterances {
  readonly job: JobId
  readonly utterances: ReadonlyArray<{ readonly utterance: Utterance; readonly label: string }>
}

/** Writes which utterances each job uses, if that changed. `before` are the digests of the batch's known jobs. */
const recordUses = Effect.fnUntraced(function* (
  sql: SqlClient,
  batch: string,
  jobs: ReadonlyArray<JobUtterances>,
  before: ReadonlyArray<{ readonly job: string; readonly digest: string; readonly position: number }>,
  isPart: boolean
) {
  const known = new Map(before.map((row) => [row.job, row]))
  for (const [at, { job, utterances }] of jobs.entries()) {
    const keys = utterances.map((use) => use.utterance.key)
    const digest = checksumOf(keys.join())
    if (known.get(job)?.digest !== digest) {
      yield* sql.unsafe(`DELETE FROM job_use WHERE batch = ? AND job = ?`, [batch, job])
      yield* sql.unsafe(
        `INSERT OR IGNORE INTO job_use (batch, job, key) SELECT ?, ?, value FROM json_each(?)`,
        [batch, job, JSON.stringify(keys)]
      )
    }
    yield* sql.unsafe(`INSERT OR REPLACE INTO job (batch, job, position, digest) VALUES (?, ?, ?, ?)`, [
      batch,
      job,
      isPart ? (known.get(job)?.position ?? at) : at,
      digest
    ])
    known.delete(job)
  }
  if (isPart) return
  for (const gone of known.keys()) {
    yield* sql.unsafe(`DELETE FROM job_use WHERE batch = ? AND job = ?`, [batch, gone])
    yield* sql.unsafe(`DELETE FROM job WHERE batch = ? AND job = ?`, [batch, gone])
  }
})
