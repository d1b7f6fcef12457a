/**
 * The life of an utterance, written down once: the store writes only these transitions, and a property test walks them.
 *
 * planned → announced → submitted → settled → fetched → placed, with failed beside it. What is announced was, or may
 * have been, sent: it is looked for in the service's history before it is sent again. What was spoken already is
 * fetched again, not spoken again, as long as the service still has it.
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

/** What happens to an utterance. */
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
  "resume"
)
export type UtteranceEvent = typeof UtteranceEvent.Type

type Transitions = Readonly<Record<UtteranceState, Readonly<Partial<Record<UtteranceEvent, UtteranceState>>>>>

/** From each state, what may happen and where it leads. Whatever is absent is a fault in the program. */
export const transitions: Transitions = {
  /** Known and unsent. */
  planned: { announce: "announced", fail: "failed" },
  /** A create is about to be sent, or was sent and its answer is not known. */
  announced: {
    /** The service answered with a task id. */
    accept: "submitted",
    /** The task was found in the history by its mark. */
    adopt: "submitted",
    /** The service surely made no task: it refused, or its whole history holds no mark. */
    withdraw: "planned",
    fail: "failed"
  },
  /** The service has the task; it is polled. `lose`: the task will never give audio. */
  submitted: { settle: "settled", lose: "planned", fail: "failed" },
  /** The task is done. `refetch` asks it for a fresh address; `lose` gives its audio up and speaks anew. */
  settled: { fetch: "fetched", refetch: "submitted", lose: "planned", fail: "failed" },
  /** The clip is on disk. `refetch`: the clip is gone or damaged, but its task may still give it. */
  fetched: { place: "placed", refetch: "submitted", lose: "planned" },
  /** A job that uses it is delivered. */
  placed: { place: "placed", refetch: "submitted", lose: "planned" },
  /** Given up, with its cause. */
  failed: {
    /** It has no task: it is sent again. */
    retry: "planned",
    /** Whether its create made a task was never learned: it is looked for first. */
    recall: "announced",
    /** It has a task, which may still give audio. */
    resume: "submitted"
  }
}

/** Where an event leads from a state, or undefined where it may not happen. */
export const next = (state: UtteranceState, event: UtteranceEvent): UtteranceState | undefined =>
  transitions[state][event]

/** Whether the service has made its task, which is waited for, or whose audio is still to be fetched. */
export const isUnderWay = (state: UtteranceState): boolean => state === "submitted" || state === "settled"
