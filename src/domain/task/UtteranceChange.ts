/** Changes of an utterance's state, with the data stored at each. The store has no other way to change a state. */
import type { Clip } from "../speech/Clip.ts"
import type { TaskId, UtteranceKey } from "../values/Ids.ts"
import type { FailureReason } from "./FailureReason.ts"
import type { UtteranceEvent } from "./UtteranceState.ts"

type Plain<Event extends UtteranceEvent> = { readonly event: Event; readonly key: UtteranceKey }

/** One transition of `UtteranceState`, with its data. */
export type UtteranceChange =
  /** Committed and synced to disk before the create is sent. `createKey` is the create's idempotency key. */
  | (Plain<"announce"> & { readonly createKey?: string })
  /** `credits` is the cost that the service reports, if any. */
  | (Plain<"accept"> & { readonly task: TaskId; readonly credits: number | undefined })
  | (Plain<"adopt"> & { readonly task: TaskId; readonly credits: number | undefined })
  | Plain<"withdraw">
  | Plain<"settle">
  /** `suspect` names the suspected fault of audio that was kept anyway. */
  | (Plain<"fetch"> & { readonly clip: Clip; readonly bytes: number; readonly suspect: string | undefined })
  /** Puts an earlier clip back. `task` is its task, which is asked again if the clip is missing later. */
  | (Plain<"restore"> & {
      readonly task: TaskId
      readonly clip: Clip
      readonly bytes: number
      readonly suspect: string | undefined
    })
  | Plain<"refetch">
  | Plain<"place">
  /** The next create is a new take, with a marker of its own. */
  | (Plain<"lose"> & { readonly setback: FailureReason })
  | (Plain<"fail"> & { readonly setback: FailureReason })
  | Plain<"retry">
  | Plain<"recall">
  | Plain<"resume">
