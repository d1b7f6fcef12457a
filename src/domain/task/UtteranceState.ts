/**
 * The state machine of an utterance. The store writes only these transitions, and a property test covers them.
 *
 * The path is planned → announced → submitted → settled → fetched → placed; failed can be reached before fetched. An
 * announced utterance may have been sent, so the service's history is searched before it is sent again. Audio that was
 * paid for is fetched again, not spoken again, as long as the service has it.
 */
import { Schema } from "effect"

export const UtteranceState = Schema.Literal(
  "planned",
  "announced",
  "submitted",
  "settled",
  "fetched",
  "placed",
  "failed"
)
export type UtteranceState = typeof UtteranceState.Type

/** Events that change an utterance's state. */
export const UtteranceEvent = Schema.Literal(
  "announce",
  "accept",
  "adopt",
  "withdraw",
  "settle",
  "fetch",
  "refetch",
  "place",
  "lose",
  "fail",
  "retry",
  "recall",
  "resume",
  "restore"
)
export type UtteranceEvent = typeof UtteranceEvent.Type

type Transitions = Readonly<Record<UtteranceState, Readonly<Partial<Record<UtteranceEvent, UtteranceState>>>>>

/** The next state for each event. A pair that is absent is an internal error. */
export const transitions: Transitions = {
  /** Known, not sent. */
  planned: {
    announce: "announced",
    fail: "failed",
    /** A new take of a stored clip was not spoken, or is worse: the clip is kept. */
    restore: "fetched"
  },
  /** A create is about to be sent, or was sent without a usable response. */
  announced: {
    /** The service responded with a task id. */
    accept: "submitted",
    /** The task was found in the history by its marker. */
    adopt: "submitted",
    /** The service certainly has no task: it rejected the request, or its whole history lacks the marker. */
    withdraw: "planned",
    fail: "failed"
  },
  /** The service has the task; it is polled. `lose`: the task will never provide audio. */
  submitted: { settle: "settled", lose: "planned", fail: "failed" },
  /** The task is done. `refetch` asks the task for a fresh URL; `lose` abandons its audio and speaks the text again. */
  settled: { fetch: "fetched", refetch: "submitted", lose: "planned", fail: "failed" },
  /** The clip is on disk. `refetch`: the clip is missing or damaged, but its task may still provide it. */
  fetched: { place: "placed", refetch: "submitted", lose: "planned", restore: "fetched" },
  /** A delivered job uses it. */
  placed: { place: "placed", refetch: "submitted", lose: "planned" },
  /** Failed, with a reason. */
  failed: {
    /** It has no usable task: it is sent again. */
    retry: "planned",
    /** It is unknown whether its create made a task: the history is searched first. */
    recall: "announced",
    /** It has a task that may still provide audio. */
    resume: "submitted",
    restore: "fetched"
  }
}

/** Returns the next state, or undefined if the event is not allowed in this state. */
export const next = (state: UtteranceState, event: UtteranceEvent): UtteranceState | undefined =>
  transitions[state][event]

/** Returns whether the service has a task for it that is still polled, or whose audio is still to be fetched. */
export const isUnderWay = (state: UtteranceState): boolean => state === "submitted" || state === "settled"
