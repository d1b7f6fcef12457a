/**
 * Writes changes, many in one commit. What comes in one turn of the event loop shares a commit, so a busy run commits once for
 * many of its tasks and an idle one at once.
 */
import { type FileHandle, open } from "node:fs/promises"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Exit, type Scope } from "effect"
import type { UtteranceChange } from "../domain/UtteranceChange.ts"
import { transitions } from "../domain/UtteranceState.ts"
import { type StateUnusable, workedLater } from "./StateFault.ts"
import { StateFolder } from "./StateFolder.ts"
import { guardedIn, inTransaction } from "./Statements.ts"

/** Writes one change; returns when it is kept: past a process's death, an announcement also past a power cut. */
export type Write = (change: UtteranceChange) => Effect.Effect<void, StateUnusable>

/** The most changes in one commit. */
const mostAtOnce = 512

/** A journal that lives as long as the scope. */
export const makeJournal: Effect.Effect<Write, never, StateFolder | SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const { folder, log } = yield* StateFolder
    const sql = yield* SqlClient
    const arriving = new Gathering()
    const announced = new Gathering()
    const bringToDisk = log === undefined ? Effect.void : yield* syncing(folder, log)

    const commit = (group: ReadonlyArray<Waiting>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        write(
          sql,
          folder,
          group.map((one) => one.change),
          now
        )
      ).pipe(
        Effect.exit,
        Effect.map((exit) => {
          for (const one of group) {
            if (Exit.isFailure(exit)) one.settled(Exit.failCause(exit.cause))
            else if (!exit.value.has(one.change.key)) one.settled(Exit.die(impossible(one.change)))
            else if (one.change.event === "announce") announced.add(one)
            else one.settled(Exit.void)
          }
        })
      )

    yield* arriving.next.pipe(
      Effect.flatMap((group) => Effect.forEach(distinct(group), commit, { discard: true })),
      Effect.forever,
      Effect.forkScoped
    )
    // The disk is waited for apart, so that other changes go on meanwhile.
    yield* announced.next.pipe(
      Effect.flatMap((group) =>
        Effect.map(Effect.exit(bringToDisk), (exit) => {
          for (const one of group) one.settled(exit)
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )

    return (change) =>
      Effect.uninterruptible(
        Effect.async<void, StateUnusable>((settled) => arriving.add({ change, settled }))
      )
  }
)

interface Waiting {
  readonly change: UtteranceChange
  readonly settled: (exit: Exit.Exit<void, StateUnusable>) => void
}

/** What waits to be taken together: all that has come when the event loop has been once around. */
class Gathering {
  private readonly all: Array<Waiting> = []
  private wanted: (() => void) | undefined

  add(one: Waiting): void {
    this.all.push(one)
    this.wanted?.()
    this.wanted = undefined
  }

  /** Waits for the next group. */
  readonly next = Effect.async<ReadonlyArray<Waiting>>((resume) => {
    const take = () => {
      setImmediate(() => resume(Effect.succeed(this.all.splice(0, mostAtOnce))))
    }
    if (this.all.length > 0) take()
    else this.wanted = take
  })
}

const impossible = ({ key, event }: UtteranceChange) =>
  new Error(`"${event}" cannot happen to utterance ${key.slice(0, 12)} in its present state`)

/** A list cut so that no key comes twice in one commit: two changes of one utterance are two steps. */
const distinct = (list: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<Waiting>> => {
  const groups: Array<Array<Waiting>> = []
  let seen = new Set<string>()
  let group: Array<Waiting> = []
  for (const one of list) {
    if (seen.has(one.change.key)) {
      groups.push(group)
      group = []
      seen = new Set()
    }
    seen.add(one.change.key)
    group.push(one)
  }
  groups.push(group)
  return groups
}

/** The table of transitions, as SQL sees it. */
const rules = Object.entries(transitions)
  .flatMap(([state, events]) =>
    Object.entries(events).map(([event, target]) => `('${state}','${event}','${target}')`)
  )
  .join(",")

const changeStates = `WITH rule(state, event, target) AS (VALUES ${rules}), given(list, time) AS (VALUES (?, ?))
UPDATE utterance SET
  state = change.target,
  take = take + (change.event = 'lose' OR (change.event = 'retry' AND utterance.task IS NOT NULL)),
  task = CASE
    WHEN change.event IN ('accept', 'adopt') THEN change.task
    WHEN change.event IN ('announce', 'withdraw', 'lose', 'retry', 'recall') THEN NULL
    ELSE utterance.task END,
  announced_at = CASE
    WHEN change.event = 'announce' THEN (SELECT time FROM given)
    WHEN change.event IN ('withdraw', 'retry') THEN NULL
    ELSE utterance.announced_at END,
  rerolls = rerolls + (change.event = 'lose' AND change.kind = 'bad-audio'),
  losses = losses + (change.event = 'lose' AND change.kind <> 'bad-audio'),
  setback = CASE
    WHEN change.event IN ('lose', 'fail') THEN change.setback
    WHEN change.event IN ('fetch', 'retry', 'recall', 'resume') THEN NULL
    ELSE utterance.setback END,
  changed_at = (SELECT time FROM given)
FROM (
  SELECT value ->> 'key' AS key, value ->> 'event' AS event, value ->> 'task' AS task,
    value -> 'setback' AS setback, value -> 'setback' ->> 'kind' AS kind, rule.state AS state, rule.target AS target
  FROM json_each((SELECT list FROM given)) JOIN rule ON rule.event = value ->> 'event'
) AS change
WHERE utterance.key = change.key AND utterance.state = change.state
RETURNING utterance.key AS key`

const keepClips = `INSERT OR REPLACE INTO clip (key, rate, frames, checksum, bytes, cut, segments, suspect)
SELECT value ->> 'key', value -> 'clip' ->> 'rate', value -> 'clip' ->> 'frames', value -> 'clip' ->> 'checksum',
  value ->> 'bytes', value -> 'clip' ->> 'cut', value -> 'clip' -> 'segments', value ->> 'suspect'
FROM json_each(?)`

const dropClips = `DELETE FROM clip WHERE key IN (SELECT value ->> 'key' FROM json_each(?))`

const keepTasks = `WITH given(list, time) AS (VALUES (?, ?))
INSERT OR REPLACE INTO task (task, key, take, provider, characters, credits, adopted, made_at)
SELECT value ->> 'task', utterance.key, take, provider, characters, value ->> 'credits', value ->> 'event' = 'adopt', given.time
FROM given JOIN json_each(given.list) JOIN utterance ON utterance.key = value ->> 'key'`

/** Writes changes of different utterances in one commit; returns the keys of those that were possible. */
const write = (
  sql: SqlClient,
  folder: string,
  changes: ReadonlyArray<UtteranceChange>,
  now: number
): Effect.Effect<ReadonlySet<string>, StateUnusable> => {
  const states = sql
    .unsafe<{ readonly key: string }>(changeStates, [JSON.stringify(changes), now])
    .pipe(Effect.map((rows) => new Set(rows.map((row) => row.key))))
  const clips = changes.filter((change) => change.event === "fetch")
  const dropped = changes.filter((change) => change.event === "refetch" || change.event === "lose")
  const tasks = changes.filter((change) => change.event === "accept" || change.event === "adopt")
  if (clips.length + dropped.length + tasks.length === 0) return guardedIn(folder)(states)

  const besides = (
    statement: string,
    about: ReadonlyArray<UtteranceChange>,
    written: ReadonlySet<string>,
    time?: number
  ) => {
    const possible = about.filter((change) => written.has(change.key))
    if (possible.length === 0) return Effect.void
    return sql.unsafe(statement, [JSON.stringify(possible), ...(time === undefined ? [] : [time])])
  }
  return inTransaction(
    sql,
    folder,
    Effect.gen(function* () {
      const written = yield* states
      yield* besides(keepClips, clips, written)
      yield* besides(dropClips, dropped, written)
      yield* besides(keepTasks, tasks, written, now)
      return written
    })
  )
}

/** Brings the database's log to the disk, off this thread. The file stays the same one as long as the database is open. */
const syncing = (
  folder: string,
  log: string
): Effect.Effect<Effect.Effect<void, StateUnusable>, never, Scope.Scope> => {
  let file: FileHandle | undefined
  const sync = workedLater(folder, async () => {
    file ??= await open(log, "r+")
    await file.datasync()
  })
  return Effect.as(
    Effect.addFinalizer(() => Effect.promise(async () => file?.close())),
    sync
  )
}
