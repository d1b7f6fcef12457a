/**
 * Learning when tasks are done from looks at them. A look that comes too early shows how much; one that comes late
 * shows nothing but that it was not too early. So while first looks keep finding tasks done, they are tried sooner: a
 * little at first, then bolder, until one comes too early.
 */
import type { SettledTask } from "./Polling.ts"

/** How bold the next sooner look is. */
interface Boldness {
  readonly share: number
  /** When it was raised last: tasks that were under way already say nothing about a bolder look. */
  readonly at: number
}

const timid = 0.01
const boldest = 0.5

/** The times to learn of one provider and length; for each task, in order of their ends. */
export class LatencyEstimator {
  private boldness: Boldness = { share: timid, at: 0 }

  /** What a task teaches, in milliseconds from taken to done; `now` is in milliseconds. */
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
