/** What of a batch the service has made already, or is about to: it is waited for, and not sent again. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { retryTimeOf } from "../../domain/task/FailureReason.ts"
import { isUnderWay, type UtteranceState } from "../../domain/task/UtteranceState.ts"
import type { UtteranceStatus } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"

/** Those whose tasks are known, a failed one's too where its audio would be asked for there once more. */
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
