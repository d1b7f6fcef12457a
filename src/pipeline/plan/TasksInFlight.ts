/** Finds the utterances of a batch that already have a task, which a run does not create again, and those to send. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { retryTimeOf } from "../../domain/task/RetryRule.ts"
import { isUnderWay, type UtteranceState } from "../../domain/task/UtteranceState.ts"
import { hasGivenUp, type UtteranceStatus } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchPlan } from "./BatchPlan.ts"

/** Returns keys whose tasks may still give audio, including failed utterances whose next attempt resumes their task. */
export const tasksInFlight = Effect.fnUntraced(function* (
  standings: ReadonlyMap<UtteranceKey, UtteranceStatus>
) {
  const store = yield* UtteranceStore
  const those = (are: (state: UtteranceState) => boolean) =>
    [...standings].flatMap(([key, { state }]) => (are(state) ? [key] : []))
  const failed = yield* store.rows(those((state) => state === "failed"))
  return new Set([
    ...those(isUnderWay),
    ...failed.flatMap(({ utterance: { key }, task }) => {
      const kind = standings.get(key)?.setback?.kind
      return kind !== undefined && retryTimeOf(kind, task !== undefined) === "resume" ? [key] : []
    })
  ])
})

/** Utterances that are certain to be sent: planned, or failed for a temporary reason, and not in flight. */
export const unsentUtterances = Effect.fnUntraced(function* ({ utterances }: Pick<BatchPlan, "utterances">) {
  const store = yield* UtteranceStore
  const standings = yield* store.standings(utterances.map(({ key }) => key))
  const inFlight = yield* tasksInFlight(standings)
  return utterances.filter(({ key }) => {
    const standing = standings.get(key)
    return (
      standing !== undefined &&
      (standing.state === "planned" || standing.state === "failed") &&
      !inFlight.has(key) &&
      !hasGivenUp(standing)
    )
  })
})
