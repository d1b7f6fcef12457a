/**
 * The SQL of utterance changes, derived from the table of transitions: a transition that the table does not allow
 * matches no row.
 *
 * Each statement takes one change. Updating a row found by its key is cheaper than a JSON list of changes. SQLite
 * parses such a list once per field and copies it into a temporary table.
 */
import { Record } from "effect"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import type { UtteranceEvent } from "../../domain/task/UtteranceState.ts"
import { transitions } from "../../domain/task/UtteranceState.ts"
import type { Bound, Work } from "./Transactions.ts"

/** Writes changes in sequence, and returns those that were possible. `now` is in milliseconds since 1970. */
export function* transitionStatement(
  changes: ReadonlyArray<UtteranceChange>,
  now: number
): Work<ReadonlySet<UtteranceChange>> {
  const possible = new Set<UtteranceChange>()
  for (const change of changes) {
    const values = valuesOf(change, now)
    const rows = yield { text: updates[change.event], values }
    if (rows === 0) continue
    possible.add(change)
    const text = besides[change.event]
    if (text !== undefined) yield { text, values }
  }
  return possible
}

/** Returns the named values of a change's statements. */
const valuesOf = (change: UtteranceChange, now: number): Bound["values"] => {
  const { key } = change
  switch (change.event) {
    case "accept":
    case "adopt":
      return {
        now,
        key,
        task: change.task,
        credits: change.credits ?? null,
        adopted: change.event === "adopt" ? 1 : 0
      }
    case "fetch":
    case "restore": {
      const { rate, frames, checksum, segments, cut, engine = null } = change.clip
      const { bytes, suspect = null } = change
      return {
        now,
        key,
        rate,
        frames,
        checksum,
        segments: JSON.stringify(segments),
        cut,
        bytes,
        suspect,
        engine,
        ...("task" in change ? { task: change.task } : {})
      }
    }
    case "announce":
      return { now, key, createKey: change.createKey ?? null }
    case "lose":
    case "fail":
      return { now, key, setback: JSON.stringify(change.setback) }
    default:
      return { now, key }
  }
}

const keepClip = `INSERT OR REPLACE INTO clip (key, rate, frames, checksum, bytes, cut, segments, suspect, engine)
VALUES (@key, @rate, @frames, @checksum, @bytes, @cut, @segments, @suspect, @engine)`

const dropClip = `DELETE FROM clip WHERE key = @key`

// A batch's spending is counted from its beginning, even if the clock was set back since.
const keepTask = `INSERT OR REPLACE INTO task (task, key, take, provider, characters, credits, adopted, made_at)
SELECT @task, key, take, provider, characters, @credits, @adopted,
  max(@now, (SELECT coalesce(max(begun_at), 0) FROM batch)) FROM utterance WHERE key = @key`

/** Statements on other tables than `utterance`. */
const besides: Readonly<Partial<Record<UtteranceEvent, string>>> = {
  accept: keepTask,
  adopt: keepTask,
  fetch: keepClip,
  restore: keepClip,
  refetch: dropClip,
  lose: dropClip
}

/** The changes of an event to the row's other columns. */
const effects: Readonly<Record<UtteranceEvent, string>> = {
  announce: "task = NULL, announced_at = @now, create_key = @createKey,",
  accept: "task = @task,",
  adopt: "task = @task,",
  withdraw: "task = NULL, announced_at = NULL,",
  settle: "",
  fetch: "setback = NULL,",
  restore: "task = @task, setback = NULL,",
  refetch: "",
  place: "",
  lose: `take = take + 1, task = NULL, setback = @setback,
    rerolls = rerolls + (@setback ->> 'kind' = 'bad-audio'),
    losses = losses + (@setback ->> 'kind' <> 'bad-audio'),`,
  fail: "setback = @setback,",
  retry: "take = take + (task IS NOT NULL), task = NULL, announced_at = NULL, setback = NULL,",
  recall: "task = NULL, setback = NULL,",
  resume: "setback = NULL,"
}

const updates = Record.map(effects, (columns, event) => {
  const steps = Object.entries(transitions).flatMap(([from, events]) => {
    const to = events[event]
    return to === undefined ? [] : [{ from, to }]
  })
  const target = steps.map(({ from, to }) => `WHEN '${from}' THEN '${to}'`).join(" ")
  const origins = steps.map(({ from }) => `'${from}'`).join(", ")
  return `UPDATE utterance SET state = CASE state ${target} END, ${columns} changed_at = @now
WHERE key = @key AND state IN (${origins})`
})
