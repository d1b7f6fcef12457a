/** Why an utterance failed, as stored and reported. */
import { Schema } from "effect"

/** Kinds of failure. Each has its own retry rule. */
export const FailureKind = Schema.Literal(
  /** The service rejected this request permanently, because of its text, voice, model or controls. */
  "refused",
  /** Rate-limited: too many requests. */
  "slow-down",
  /** A network or service failure: 5xx, a connection reset, a timeout, or an unreadable response. */
  "broken",
  /** The service accepted the task, then reported it as failed. */
  "failed-at-service",
  /** The service no longer has the task. */
  "vanished",
  /** The task was not done before its deadline. */
  "never-settled",
  /** The audio is unusable, or does not match its text. */
  "bad-audio",
  /** It cannot be determined whether the create made a task. */
  "undecidable",
  /** The clip was deleted or damaged, and its task no longer provides the audio. */
  "clip-gone"
)
export type FailureKind = typeof FailureKind.Type

/** A failure and its cause: one line, without keys or URLs. */
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

/** Returns whether a failure may be temporary, so that the next run retries it automatically. */
export const isTransientReason = (kind: FailureKind): boolean => passing.has(kind)

/**
 * Returns how to retry a failed utterance without paying twice: `resume` polls its task, `recall` searches the history
 * for it, `retry` creates a new one.
 */
export const retryTimeOf = (kind: FailureKind, hasTask: boolean): "retry" | "recall" | "resume" => {
  if (kind === "undecidable") return "recall"
  return hasTask && (kind === "broken" || kind === "slow-down" || kind === "never-settled")
    ? "resume"
    : "retry"
}
