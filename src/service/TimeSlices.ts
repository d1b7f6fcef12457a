/** A scheduler of fibers that regularly leaves the process time for new connections and requests. */
import { type Scheduler as Fibers, PriorityBuckets, type Task, defaultScheduler } from "effect/Scheduler"

/** Milliseconds for which fibers run before the event loop turns. */
const sliceMillis = 2

/**
 * Turns of the event loop between two slices. Each turn accepts one connection only
 * (https://github.com/libuv/libuv/pull/3696), so with long turns, a flood of connections shuts out all others.
 */
const turnsBetween = 8

/**
 * Effect's own scheduler turns the event loop only after fibers have had thousands of turns. With hundreds of busy
 * fibers, that takes tens of milliseconds.
 */
export const makeTimeSlices = (
  now: () => number = () => performance.now(),
  onNextTurn: (act: () => void) => unknown = setImmediate
): Fibers => {
  const added = new PriorityBuckets()
  /** Tasks in the order in which they run, from `at` on. */
  let tasks: ReadonlyArray<Task> = []
  let at = 0
  let isWaiting = false

  const after = (turns: number): unknown =>
    onNextTurn(() => {
      if (turns > 1) after(turns - 1)
      else run()
    })

  const run = (): void => {
    const end = now() + sliceMillis
    for (;;) {
      const task = tasks[at]
      if (task !== undefined) {
        at++
        task()
      } else if (added.buckets.length === 0) {
        tasks = []
        at = 0
        isWaiting = false
        return
      } else {
        tasks = added.buckets.flatMap(([, bucket]) => bucket)
        at = 0
        added.buckets = []
      }
      if (now() >= end && (at < tasks.length || added.buckets.length > 0)) {
        after(turnsBetween)
        return
      }
    }
  }

  return {
    shouldYield: (fiber) => defaultScheduler.shouldYield(fiber),
    scheduleTask: (task, priority) => {
      added.scheduleTask(task, priority)
      if (isWaiting) return
      isWaiting = true
      after(1)
    }
  }
}
