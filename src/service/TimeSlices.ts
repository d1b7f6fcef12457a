/** A scheduler of fibers that regularly leaves the process time for new connections and requests. */
import { type Scheduler as Fibers, type Task, defaultScheduler } from "effect/Scheduler"

/** The priority of tasks that start something new, such as the answer to a request. */
export const startPriority = 1

/** Milliseconds for which fibers run before the event loop turns. They run longer if its turns take longer. */
const sliceMillis = 2
const maxSlice = 20

/**
 * Turns of the event loop between two slices, unless they take longer than a slice. Each turn accepts one connection
 * only (https://github.com/libuv/libuv/pull/3696), so with long turns, a flood of connections shuts out all others.
 */
const turnsBetween = 8

/** Tasks of running fibers that are taken before the next start. */
export const fibersPerStart = 8

/**
 * Effect's own scheduler turns the event loop only after fibers have had thousands of turns. With hundreds of busy
 * fibers, that takes tens of milliseconds.
 */
export const makeTimeSlices = (
  now: () => number = () => performance.now(),
  onNextTurn: (act: () => void) => unknown = setImmediate,
  onThisTurn: (act: () => void) => unknown = queueMicrotask
): Fibers => {
  const [fibers, starts] = [makeTasks(), makeTasks()]
  /** Fibers' tasks taken since the last start. */
  let since = 0
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
    end = began + Math.min(maxSlice, Math.max(sliceMillis, began - stopped))
    onNextTurn(() => {
      end = undefined
    })
    return end
  }

  /**
   * Takes a start after every few tasks of running fibers. In one queue, each step of a fiber would wait for all new
   * requests of a flood. If fibers had no precedence, a request of many steps would wait for many short ones.
   */
  const take = (): Task | undefined => {
    const running = since < fibersPerStart ? fibers.take() : undefined
    since = running === undefined ? 0 : since + 1
    return running ?? starts.take() ?? fibers.take()
  }

  const run = (): void => {
    const last = end ?? start()
    for (let task = take(); task !== undefined; task = take()) {
      task()
      if (now() >= last && !(fibers.isEmpty() && starts.isEmpty())) {
        stopped = now()
        after(turnsBetween, stopped + sliceMillis)
        return
      }
    }
    isWaiting = false
    stopped = now()
  }

  return {
    shouldYield: (fiber) => defaultScheduler.shouldYield(fiber),
    scheduleTask: (task, priority) => {
      ;(priority < startPriority ? fibers : starts).add(task)
      if (isWaiting) return
      isWaiting = true
      if (end === undefined || now() < end) onThisTurn(run)
      else after(1, 0)
    }
  }
}

/** Tasks in the order in which they were added. */
const makeTasks = () => {
  let added: Array<Task> = []
  /** Those to take before the added ones, from `at` on. */
  let tasks: ReadonlyArray<Task> = []
  let at = 0
  return {
    add: (task: Task): void => void added.push(task),
    isEmpty: (): boolean => at === tasks.length && added.length === 0,
    take: (): Task | undefined => {
      if (at === tasks.length) {
        tasks = added
        added = []
        at = 0
      }
      return at < tasks.length ? tasks[at++] : undefined
    }
  }
}
