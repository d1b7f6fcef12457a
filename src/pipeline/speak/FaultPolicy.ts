/** What a fault leads to: the run's end, a take given up, or an utterance set aside. */
import { Duration, Effect } from "effect"
import type { FailureReason } from "../../domain/task/FailureReason.ts"
import { type CallFault, type Fault, failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { type Ending, Hopeless, Left, Lost, SetAside } from "./UtteranceFailures.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/** Takes that the service may fail or forget before an utterance is given up. */
const mostLosses = 3

/** A refused read: of the key the run's end, of anything else a fault that may pass. */
export const readRefused = (
  run: SpeakRun,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending> =>
  fault.reason === "key" || fault.reason === "credits" ? haltRun(run, fault) : setAside(fault)

/** The run's end for the key or the credits. */
export const haltRun = (
  run: SpeakRun,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending> =>
  Effect.zipRight(
    run.stop({
      reason: fault.reason === "key" ? "key" : "credits",
      words: `${fault.message}; ${fault.reason === "key" ? "set DUBWRIGHT_API_KEY to a valid key" : "add credits"} and run again`
    }),
    new Left()
  )

/** Gives a take up for a fault of the service: spoken anew, or, after too many, hopeless. */
export const taskLost = (
  run: SpeakRun,
  row: UtteranceRow,
  setback: FailureReason
): Effect.Effect<never, Ending | StateUnusable> =>
  row.losses + 1 >= mostLosses ? new Hopeless({ setback }) : startOver(run, row, setback)

/** Gives a take up: the utterance is spoken anew. */
export const startOver = (
  run: SpeakRun,
  { utterance }: UtteranceRow,
  setback: FailureReason
): Effect.Effect<never, Ending | StateUnusable> =>
  Effect.gen(function* () {
    yield* run.store.apply({ event: "lose", key: utterance.key, setback })
    yield* run.retrying(utterance.casting.provider, utterance.key, setback.words, Duration.zero)
    return yield* new Lost({ setback })
  })

/** Sets an utterance aside for a passing fault. */
export const setAside = (fault: Fault): Effect.Effect<never, SetAside> =>
  new SetAside({ setback: failureReasonOf(fault) })
