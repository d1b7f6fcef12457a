/** What went wrong with an utterance, as it is kept and told. */
import { Schema } from "effect"

/** The kinds of faults, each with a rule of its own. */
export const FailureKind = Schema.Literal(
  /** The service refused this request for good: its text, voice, model or controls. */
  "refused",
  /** Too many requests. */
  "slow-down",
  /** A fault on the way or in the service: 5xx, a reset, a timeout, an answer that cannot be read. */
  "broken",
  /** The service took the task and said that it failed. */
  "failed-at-service",
  /** The service no longer knows the task. */
  "vanished",
  /** The task was not done before its deadline. */
  "never-settled",
  /** The audio cannot be used, or does not sound like its text. */
  "bad-audio",
  /** Whether the create made a task cannot be learned. */
  "undecidable",
  /** The clip was deleted or damaged, and its task no longer gives it. */
  "clip-gone"
)
export type FailureKind = typeof FailureKind.Type

/** A fault with its cause in words: one line, without a key or an address in it. */
export class FailureReason extends Schema.Class<FailureReason>("Setback")({
  kind: FailureKind,
  words: Schema.NonEmptyString
}) {}

const passing: ReadonlySet<FailureKind> = new Set([
  "slow-down",
  "broken",
  "never-settled",
  "vanished",
  "undecidable",
  "clip-gone"
])

/** Whether a fault may have passed by itself, so that the next run tries again without being told to. */
export const isTransientReason = (kind: FailureKind): boolean => passing.has(kind)

/**
 * How a failed utterance gets another chance without being paid for twice: its task is asked again, looked for, or,
 * where there is none that could still give audio, spoken anew.
 */
export const retryTimeOf = (kind: FailureKind, hasTask: boolean): "retry" | "recall" | "resume" => {
  if (kind === "undecidable") return "recall"
  return hasTask && (kind === "broken" || kind === "slow-down" || kind === "never-settled")
    ? "resume"
    : "retry"
}
