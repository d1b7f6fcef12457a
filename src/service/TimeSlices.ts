/** A scheduler of fibers that regularly leaves the process time for new connections and requests. */
import { type Scheduler as Fibers, PriorityBuckets, type Task, defaultScheduler } from "effect/Scheduler"

/** Milliseconds for which fibers run before the event loop turns. They run longer if its turns take longer. */
const sliceMillis = 2
const longestSlice = 20

/**
 * Turns of the event loop between two slices, unless they take longer than a slice. Each turn accepts one connection
 * only (https://github.com/libuv/libuv/pull/3696), so with long turns, a flood of connections shuts out all others.
 */
const turnsBetween = 8

/**
 * Effect's own scheduler turns the event loop only after fibers have had thousands of turns. With hundreds of busy
 * fibers, that takes tens of milliseconds.
 */
export const makeTimeSlices = (
  now: () => number = () => performance.now(),
  onNextTurn: (act: () => void) => unknown = setImmediate,
  onThisTurn: (act: () => void) => unknown = queueMicrotask
): Fibers => {
  const added = new PriorityBuckets()
  /** Tasks in the order in which they run, from `at` on. */
  let tasks: ReadonlyArray<Task> = []
  let at = 0
  let isWaiting = false
  /** When the fibers of this turn have to stop; undefined until the first one of the turn runs. */
  let end: number | undefined
  let stopped = now()

  const after = (turns: number, until: number): unknown =>
    onNextTurn(() => {
      if (turns > 1 && now() < until) after(turns - 1, until)
      else run()
    })

  const start = (): number => {
    const began = now()
    end = began + Math.min(longestSlice, Math.max(sliceMillis, began - stopped))
    onNextTurn(() => {
      end = undefined
    })
    return end
  }

  const run = (): void => {
    const last = end ?? start()
    for (;;) {
      const task = tasks[at]
      if (task !== undefined) {
        at++
        task()
      } else if (added.buckets.length === 0) {
        tasks = []
        at = 0
        isWaiting = false
        stopped = now()
        return
      } else {
        tasks = added.buckets.flatMap(([, bucket]) => bucket)
        at = 0
        added.buckets = []
      }
      if (now() >= last && (at < tasks.length || added.buckets.length > 0)) {
        stopped = now()
        after(turnsBetween, stopped + sliceMillis)
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
      if (end === undefined || now() < end) onThisTurn(run)
      else after(1, 0)
    }
  }
}
