/** Decides how the next run continues an utterance that failed: at once or on request, and without paying twice. */
import type { FailureKind } from "./FailureReason.ts"

const passing: ReadonlySet<FailureKind> = new Set([
  "slow-down",
  "broken",
  "never-settled",
  "vanished",
  "undecidable",
  "clip-gone"
])

/** Failures after which the task may still provide its audio. */
const resumable: ReadonlySet<FailureKind> = new Set(["broken", "slow-down", "never-settled", "unreadable"])

/** Returns whether a failure may be temporary, so that the next run retries it automatically. */
export const isTransientReason = (kind: FailureKind): boolean => passing.has(kind)

/**
 * Returns how to retry a failed utterance without paying twice: `resume` polls its task, `recall` searches the history
 * for it, `retry` creates a new one.
 */
export const retryTimeOf = (kind: FailureKind, hasTask: boolean): "retry" | "recall" | "resume" => {
  if (kind === "undecidable") return "recall"
  return hasTask && resumable.has(kind) ? "resume" : "retry"
}
