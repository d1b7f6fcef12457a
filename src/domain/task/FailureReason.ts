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
  /** The service says that the task is done, but its answer cannot be used: retried only on request. */
  "unreadable",
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
