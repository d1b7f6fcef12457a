/** What a change of an utterance is in SQL: made from the table of transitions, so that what it does not allow is not written. */
import { Record } from "effect"
import type { UtteranceChange } from "../domain/UtteranceChange.ts"
import type { UtteranceEvent } from "../domain/UtteranceState.ts"
import { transitions } from "../domain/UtteranceState.ts"
import type { Bound } from "./Statements.ts"

/** The change of the utterance's own row; no row is changed where the table does not allow it. */
export const changeOfState = (change: UtteranceChange, now: number): Bound => ({
  text: changes[change.event],
  values: [...factsOf(change, now), now, change.key]
})

/** What is written besides, once the change of state has been possible. */
export const besides = (change: UtteranceChange, now: number): ReadonlyArray<Bound> => {
  switch (change.event) {
    case "fetch": {
      const { key, rate, frames, checksum, cut, segments } = change.clip
      const values = [key, rate, frames, checksum, change.bytes, cut, JSON.stringify(segments)]
      return [{ text: keepClip, values: [...values, change.suspect ?? null] }]
    }
    case "refetch":
    case "lose":
      return [{ text: dropClip, values: [change.key] }]
    case "accept":
    case "adopt": {
      const values = [change.task, change.credits ?? null, Number(change.event === "adopt"), now, change.key]
      return [{ text: keepTask, values }]
    }
    default:
      return []
  }
}

const keepClip = `INSERT OR REPLACE INTO clip (key, rate, frames, checksum, bytes, cut, segments, suspect)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

const dropClip = `DELETE FROM clip WHERE key = ?`

const keepTask = `INSERT OR REPLACE INTO task (task, key, take, provider, characters, credits, adopted, made_at)
SELECT ?, key, take, provider, characters, ?, ?, ? FROM utterance WHERE key = ?`

/** What an event does to the row's other columns; each ? is one of `factsOf`, in order. */
const effects: Readonly<Record<UtteranceEvent, string>> = {
  announce: "task = NULL, announced_at = ?,",
  accept: "task = ?,",
  adopt: "task = ?,",
  withdraw: "task = NULL, announced_at = NULL,",
  settle: "",
  fetch: "setback = NULL,",
  refetch: "",
  place: "",
  lose: "take = take + 1, task = NULL, rerolls = rerolls + ?, losses = losses + ?, setback = ?,",
  fail: "setback = ?,",
  retry: "take = take + (task IS NOT NULL), task = NULL, announced_at = NULL, setback = NULL,",
  recall: "task = NULL, setback = NULL,",
  resume: "setback = NULL,"
}

const factsOf = (change: UtteranceChange, now: number): Bound["values"] => {
  switch (change.event) {
    case "announce":
      return [now]
    case "accept":
    case "adopt":
      return [change.task]
    case "lose": {
      const isBad = change.setback.kind === "bad-audio"
      return [Number(isBad), Number(!isBad), JSON.stringify(change.setback)]
    }
    case "fail":
      return [JSON.stringify(change.setback)]
    default:
      return []
  }
}

const changes = Record.map(effects, (columns, event) => {
  const steps = Object.entries(transitions).flatMap(([from, events]) => {
    const to = events[event]
    return to === undefined ? [] : [{ from, to }]
  })
  const target = steps.map(({ from, to }) => `WHEN '${from}' THEN '${to}'`).join(" ")
  const origins = steps.map(({ from }) => `'${from}'`).join(", ")
  return `UPDATE utterance SET state = CASE state ${target} END, ${columns} changed_at = ?
WHERE key = ? AND state IN (${origins})`
})
