/** Finds the utterances of a batch that already have a task: the run waits for them and does not create them again. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { retryTimeOf } from "../../domain/task/RetryRule.ts"
import { isUnderWay, type UtteranceState } from "../../domain/task/UtteranceState.ts"
import type { UtteranceStatus } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"

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
