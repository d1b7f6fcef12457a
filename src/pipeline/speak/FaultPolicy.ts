/** Outcomes of an utterance other than a clip, and which of them a gateway fault has. */
import { Data, Effect } from "effect"
import type { FailureReason } from "../../domain/task/FailureReason.ts"
import { type CallFault, type Fault, failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import { StopSignal } from "./services/StopSignal.ts"

/** Creates were stopped: the utterance is left for the next run. */
export class Left extends Data.TaggedError("Left")<Record<never, never>> {}

/** Too many transient faults for now: the utterance is deferred until all others are done. */
export class SetAside extends Data.TaggedError("SetAside")<{ readonly failure: FailureReason }> {}

/** It cannot be spoken: the utterance fails for this reason. */
export class Hopeless extends Data.TaggedError("Hopeless")<{ readonly failure: FailureReason }> {}

/** Its take was recorded as lost: the utterance is spoken again. */
export class Lost extends Data.TaggedError("Lost")<{ readonly failure: FailureReason }> {}

export type Ending = Left | SetAside | Hopeless | Lost

/** Takes that the service may fail or forget before the utterance fails. */
const maxLosses = 3

type Refused = Extract<CallFault, { readonly _tag: "Refused" }>

/** Handles a rejected read: a rejected key or missing credits stop the run; anything else defers the utterance. */
export const readRefused = (fault: Refused): Effect.Effect<never, Ending, StopSignal> =>
  fault.reason === "key" || fault.reason === "credits" ? haltRun(fault) : setAside(fault)

/** Stops the run because of the key or the credits. */
export const haltRun = (fault: Refused): Effect.Effect<never, Ending, StopSignal> =>
  Effect.gen(function* () {
    const { stop } = yield* StopSignal
    yield* stop({
      reason: fault.reason === "key" ? "key" : "credits",
      words: `${fault.message}; ${fault.reason === "key" ? "set DUBWRIGHT_API_KEY to a valid key" : "add credits"} and run again`
    })
    return yield* new Left()
  })

/** Records a take as lost through the service's fault. The utterance gets a new take; after `maxLosses`, it fails. */
export const taskLost = (
  row: UtteranceRow,
  setback: FailureReason
): Effect.Effect<never, Ending | StateUnusable, UtteranceStore | SpeakCounters> =>
  row.losses + 1 >= maxLosses ? new Hopeless({ failure: setback }) : startOver(row, setback)

/** Records a take as lost, so that the utterance is spoken again. */
export const startOver = (
  { utterance }: UtteranceRow,
  setback: FailureReason
): Effect.Effect<never, Ending | StateUnusable, UtteranceStore | SpeakCounters> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const { retrying } = yield* SpeakCounters
    yield* store.apply({ event: "lose", key: utterance.key, setback })
    yield* retrying(utterance.casting.provider, utterance.key, setback.words)
    return yield* new Lost({ failure: setback })
  })

/** Defers an utterance because of a transient fault. */
export const setAside = (fault: Fault): Effect.Effect<never, SetAside> =>
  new SetAside({ failure: failureReasonOf(fault) })
