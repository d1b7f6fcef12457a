/**
 * Estimates task latency from polls. A poll before the task is done bounds its latency from below. A first poll that
 * finds it done shows only that it was not too early. So while first polls find tasks done, the estimate is lowered:
 * slightly at first, then in larger steps, until a poll comes too early.
 */
import type { SettledTask } from "./Polling.ts"

/** How far the next estimate is lowered. */
interface Boldness {
  readonly share: number
  /** When `share` was last raised. Tasks that were in flight at that time say nothing about the new share. */
  readonly at: number
}

const timid = 0.01
const boldest = 0.5

/** The latency estimator of one provider and text length. Call it for each task, in the order in which they end. */
export class LatencyEstimator {
  private boldness: Boldness = { share: timid, at: 0 }

  /** Returns the latency learned from a task, in milliseconds from accepted to done. `now` is in milliseconds. */
  learnedFrom({ undoneAt, doneAt, took }: SettledTask, now: number): number {
    if (took !== undefined) return Math.max(1, Math.min(doneAt, Math.max(undoneAt, took)))
    if (undoneAt > 0) {
      this.boldness = { share: timid, at: now }
      return (undoneAt + doneAt) / 2
    }
    const { share, at } = this.boldness
    if (now - at >= doneAt) this.boldness = { share: Math.min(boldest, share * 2), at: now }
    return Math.max(1, doneAt * (1 - share))
  }
}
