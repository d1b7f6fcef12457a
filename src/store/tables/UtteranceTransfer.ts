/**
 * Transfers utterances between stores with everything known about them: fleet workers return them to their coordinator.
 * It makes no decisions: the receiver accepts the sender's record.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Schema } from "effect"
import { Clip } from "../../domain/speech/Clip.ts"
import { TaskId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { Utterance } from "../../domain/speech/Utterance.ts"
import { UtteranceState } from "../../domain/task/UtteranceState.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { inTransaction, makeQueries } from "../state/GuardedStatements.ts"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

/** A paid task. */
const PaidTask = Schema.Struct({
  task: TaskId,
  take: Schema.Int,
  /** The cost that the service reported. */
  credits: maybe(Schema.Number),
  /** Found in the history, rather than returned by a create. */
  adopted: Schema.Boolean,
  /** Milliseconds since 1970. */
  madeAt: Schema.Number
})

/** Everything known about an utterance. */
export const UtteranceRecord = Schema.Struct({
  utterance: Utterance,
  label: Schema.String,
  state: UtteranceState,
  take: Schema.Int,
  task: maybe(TaskId),
  announcedAt: maybe(Schema.Number),
  /** The idempotency key of the announced create. */
  createKey: maybe(Schema.String),
  rerolls: Schema.Int,
  losses: Schema.Int,
  setback: maybe(FailureReason),
  tasks: Schema.Array(PaidTask),
  clip: maybe(Schema.Struct({ clip: Clip, bytes: Schema.Int, suspect: maybe(Schema.String) }))
})
export type UtteranceRecord = typeof UtteranceRecord.Type

const writeRecords = Schema.encodeSync(Schema.parseJson(Schema.Array(UtteranceRecord)))

/** Reads and imports whole records. */
export class UtteranceTransfer extends Effect.Service<UtteranceTransfer>()("store/UtteranceTransfer", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder
    const recordsOf = makeQueries(folder)("utterance, clip and task", {
      Request: Schema.parseJson(Schema.Array(Schema.String)),
      Result: Schema.Struct({ record: Schema.parseJson(UtteranceRecord) }),
      execute: (keys) => sql.unsafe(selectRecords, [keys])
    })

    /** Returns the records of the known utterances, in no particular order. */
    const records = Effect.fn("UtteranceTransfer.records")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const found = yield* recordsOf(keys)
      return found.map(({ record }) => record)
    })

    /** Imports records. They replace the store's records of their utterances. */
    const takeOver = Effect.fn("UtteranceTransfer.takeOver")(function* (
      given: ReadonlyArray<UtteranceRecord>
    ) {
      if (given.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const list = writeRecords(given)
      yield* inTransaction(
        sql,
        folder,
        Effect.gen(function* () {
          yield* sql.unsafe(takeUtterances, [list, now])
          yield* sql.unsafe(dropClips, [list])
          yield* sql.unsafe(takeClips, [list])
          yield* sql.unsafe(takeTasks, [list])
        })
      )
    })

    /** Deletes utterances that another store keeps. Used by stores that only forward them. */
    const forget = Effect.fn("UtteranceTransfer.forget")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const list = JSON.stringify(keys)
      yield* inTransaction(
        sql,
        folder,
        Effect.forEach(
          ["utterance", "clip", "task"],
          (table) => sql.unsafe(`DELETE FROM ${table} WHERE key IN (SELECT value FROM json_each(?))`, [list]),
          { discard: true }
        )
      )
    })

    return { records, takeOver, forget }
  })
}) {}

const selectRecords = `WITH wanted(key) AS (SELECT value FROM json_each(?)),
paid(key, list) AS (
  SELECT key, json_group_array(json_object('task', task, 'take', take, 'credits', credits,
    'adopted', json(iif(adopted, 'true', 'false')), 'madeAt', made_at))
  FROM task WHERE key IN (SELECT key FROM wanted) GROUP BY key
)
SELECT json_object(
  'utterance', json_object('key', utterance.key, 'casting', json(casting), 'input', input, 'text', text,
    'said', json(said), 'characters', characters),
  'label', label, 'state', state, 'take', take, 'task', task, 'announcedAt', announced_at, 'createKey', create_key,
  'rerolls', rerolls, 'losses', losses, 'setback', json(setback),
  'tasks', json(coalesce(paid.list, '[]')),
  'clip', CASE WHEN clip.key IS NULL THEN NULL ELSE json_object(
    'clip', json_object('key', clip.key, 'rate', rate, 'frames', frames, 'checksum', checksum,
      'segments', json(segments), 'cut', cut, 'engine', engine),
    'bytes', bytes, 'suspect', suspect) END
) AS record
FROM utterance LEFT JOIN clip ON clip.key = utterance.key LEFT JOIN paid ON paid.key = utterance.key
WHERE utterance.key IN (SELECT key FROM wanted)`

const takeUtterances = `WITH given(list, time) AS (VALUES (?, ?))
INSERT INTO utterance
  (key, state, casting, provider, input, text, said, characters, label, take, task, announced_at, create_key, rerolls,
   losses, setback, changed_at)
SELECT value -> 'utterance' ->> 'key', value ->> 'state', value -> 'utterance' -> 'casting',
  value -> 'utterance' -> 'casting' ->> 'provider', value -> 'utterance' ->> 'input', value -> 'utterance' ->> 'text',
  value -> 'utterance' -> 'said', value -> 'utterance' ->> 'characters', value ->> 'label', value ->> 'take',
  value ->> 'task', value ->> 'announcedAt', value ->> 'createKey', value ->> 'rerolls', value ->> 'losses',
  value -> 'setback', given.time
FROM given JOIN json_each(given.list)
WHERE true
ON CONFLICT (key) DO UPDATE SET state = excluded.state, take = excluded.take, task = excluded.task,
  announced_at = excluded.announced_at, create_key = excluded.create_key, rerolls = excluded.rerolls,
  losses = excluded.losses, setback = excluded.setback, changed_at = excluded.changed_at`

const dropClips = `DELETE FROM clip WHERE key IN (SELECT value -> 'utterance' ->> 'key' FROM json_each(?))`

const takeClips = `INSERT OR REPLACE INTO clip (key, rate, frames, checksum, bytes, cut, segments, suspect, engine)
SELECT own -> 'clip' ->> 'key', own -> 'clip' ->> 'rate', own -> 'clip' ->> 'frames', own -> 'clip' ->> 'checksum',
  own ->> 'bytes', own -> 'clip' ->> 'cut', own -> 'clip' -> 'segments', own ->> 'suspect',
  own -> 'clip' ->> 'engine'
FROM (SELECT value -> 'clip' AS own FROM json_each(?)) WHERE own IS NOT NULL`

const takeTasks = `INSERT OR REPLACE INTO task (task, key, take, provider, characters, credits, adopted, made_at)
SELECT paid.value ->> 'task', one.value -> 'utterance' ->> 'key', paid.value ->> 'take',
  one.value -> 'utterance' -> 'casting' ->> 'provider', one.value -> 'utterance' ->> 'characters',
  paid.value ->> 'credits', paid.value ->> 'adopted', paid.value ->> 'madeAt'
FROM json_each(?) AS one JOIN json_each(one.value, '$.tasks') AS paid`
