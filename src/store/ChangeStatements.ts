/**
 * What changes of utterances are in SQL: made from the table of transitions, so that what it does not allow is not written. A
 * statement takes many changes of one event, each of another utterance, as a JSON list.
 */
import { Record } from "effect"
import type { UtteranceChange } from "../domain/UtteranceChange.ts"
import type { UtteranceEvent } from "../domain/UtteranceState.ts"
import { transitions } from "../domain/UtteranceState.ts"
import type { Bound } from "./Statements.ts"

/** The changes of the utterances' own rows; gives the keys of those that the table allows, and changes no other. */
export const changesOfState = (
  event: UtteranceEvent,
  changes: ReadonlyArray<UtteranceChange>,
  now: number
): Bound => ({ text: updates[event], values: [now, JSON.stringify(changes)] })

/** What is written besides, of changes of state that have been possible; undefined where that is nothing. */
export const besides = (
  event: UtteranceEvent,
  changes: ReadonlyArray<UtteranceChange>,
  now: number
): Bound | undefined => {
  switch (event) {
    case "fetch":
      return { text: keepClips, values: [JSON.stringify(changes)] }
    case "refetch":
    case "lose":
      return { text: dropClips, values: [JSON.stringify(changes)] }
    case "accept":
    case "adopt":
      return { text: keepTasks, values: [now, JSON.stringify(changes)] }
    default:
      return undefined
  }
}

const keepClips = `INSERT OR REPLACE INTO clip (key, rate, frames, checksum, bytes, cut, segments, suspect)
SELECT clip ->> 'key', clip ->> 'rate', clip ->> 'frames', clip ->> 'checksum', change ->> 'bytes', clip ->> 'cut',
  clip -> 'segments', change ->> 'suspect'
FROM (SELECT value AS change, value -> 'clip' AS clip FROM json_each(?))`

const dropClips = `DELETE FROM clip WHERE key IN (SELECT value ->> 'key' FROM json_each(?))`

const keepTasks = `INSERT OR REPLACE INTO task (task, key, take, provider, characters, credits, adopted, made_at)
SELECT change ->> 'task', key, take, provider, characters, change ->> 'credits', change ->> 'event' = 'adopt', time
FROM (SELECT value AS change, ? AS time FROM json_each(?)) JOIN utterance ON key = change ->> 'key'`

/** What an event does to the row's other columns, from the time and the fields of its change. */
const effects: Readonly<Record<UtteranceEvent, string>> = {
  announce: "task = NULL, announced_at = time,",
  accept: "task = change ->> 'task',",
  adopt: "task = change ->> 'task',",
  withdraw: "task = NULL, announced_at = NULL,",
  settle: "",
  fetch: "setback = NULL,",
  refetch: "",
  place: "",
  lose: `take = take + 1, task = NULL, setback = change -> 'setback',
    rerolls = rerolls + (change -> 'setback' ->> 'kind' = 'bad-audio'),
    losses = losses + (change -> 'setback' ->> 'kind' <> 'bad-audio'),`,
  fail: "setback = change -> 'setback',",
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
  return `UPDATE utterance SET state = CASE state ${target} END, ${columns} changed_at = time
FROM (SELECT value AS change, ? AS time FROM json_each(?))
WHERE key = change ->> 'key' AND state IN (${origins}) RETURNING key`
})
