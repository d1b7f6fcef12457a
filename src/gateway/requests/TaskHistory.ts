/** Searches the service's task history for markers, to find out whether a create without a response made a task. */
import { Effect, Option } from "effect"
import { type TaskMarker, markersIn } from "../../domain/task/TaskMarker.ts"
import type { CallFault } from "../GatewayErrors.ts"
import type { ReadTaskPage } from "../response/ResponseReading.ts"
import { type PastTask, pastTaskOf } from "../response/TaskSnapshot.ts"

/** The result of a walk through the history, from the newest task back to the requested time. */
export interface HistoryWalk {
  /** Returns the task with a marker. Of several, the newest that has not failed. */
  readonly find: (mark: TaskMarker) => PastTask | undefined
  /** Every task seen. */
  readonly tasks: ReadonlyArray<PastTask>
  /**
   * Whether the service returns labels: true if one of ours was seen, false if tasks were seen and none had a marker.
   */
  readonly echoes: boolean | undefined
  /**
   * Whether the walk reached the requested time and could read every entry. It may not, if the history is too long. An
   * entry without an id may be any task.
   */
  readonly isWhole: boolean
}

/** Reads one page. Default: the service's first page, of its default size. */
type ReadPage = (
  page: number | undefined,
  limit: number | undefined
) => Effect.Effect<ReadTaskPage, CallFault>

/** Maximum pages of a walk: a hundred thousand tasks, at a hundred per page. */
const mostPages = 1_000

/** Maximum size of the tasks of a walk, as `sizeOf` counts. A page may hold far more than a hundred tasks. */
const mostKept = 100_000_000

/** Returns about the size of a task in memory. */
const sizeOf = ({ task, label = "", provider = "", voice = "" }: PastTask): number =>
  500 + task.length + label.length + provider.length + voice.length

/** Tasks per page. */
const pageSize = 100

/** Maximum clock difference to the service, in milliseconds. Beyond it, tasks may be missed. */
const clockTolerance = 60 * 60 * 1000

/**
 * Makes the search. `history(since)` walks through the tasks created since then. Calls during a walk share the next
 * one, so a burst of lost responses costs two walks.
 */
export const makeTaskHistory = (readPage: ReadPage) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    let last: { readonly startedAt: number; readonly since: number; readonly walk: HistoryWalk } | undefined
    let asked = 0
    const waiting = new Set<{ readonly since: number }>()

    const history = Effect.fn("TaskHistory.history")(function* (since: number) {
      const request = { since }
      const order = ++asked
      waiting.add(request)
      return yield* turn
        .withPermits(1)(
          Effect.gen(function* () {
            if (last !== undefined && last.startedAt >= order && last.since <= since) return last.walk
            const from = Math.min(...Array.from(waiting, (one) => one.since))
            const startedAt = asked
            const walk = yield* walked(readPage, from)
            last = { startedAt, since: from, walk }
            return walk
          })
        )
        .pipe(Effect.ensuring(Effect.sync(() => waiting.delete(request))))
    })
    return history
  })

const walked = (readPage: ReadPage, since: number): Effect.Effect<HistoryWalk, CallFault> =>
  Effect.gen(function* () {
    const seen = new Map<string, PastTask>()
    // Some services reject a size above their own limit; then the default size is used.
    const first = yield* readPage(undefined, pageSize).pipe(
      Effect.map((page) => ({ page, limit: Option.some(pageSize) })),
      Effect.catchTag("Refused", (fault) =>
        fault.reason === "rules"
          ? Effect.map(readPage(undefined, undefined), (page) => ({ page, limit: Option.none<number>() }))
          : Effect.fail(fault)
      )
    )
    const limit = Option.getOrUndefined(first.limit)
    let { page } = first
    let order: "newest-first" | "other" = "newest-first"
    let newestBefore = Infinity
    // An unnumbered first page may be page 0 or page 1, so page 1 may be the second page or the first one again.
    let number = page.page
    let isWhole = false
    let kept = 0
    let unread = 0
    for (let turns = 1; turns <= mostPages && kept < mostKept && !isWhole; turns++) {
      const tasks = page.tasks.map(pastTaskOf)
      unread += page.unread
      const fresh = tasks.filter((task) => !seen.has(task.task))
      for (const task of fresh) {
        seen.set(task.task, task)
        kept += sizeOf(task)
      }
      for (const task of fresh) {
        if (task.madeAt === undefined || task.madeAt > newestBefore) order = "other"
        else newestBefore = task.madeAt
      }
      const isOver = tasks.length + page.unread === 0 || !page.has_more || (turns > 2 && fresh.length === 0)
      isWhole = isOver || (order === "newest-first" && newestBefore < since - clockTolerance)
      if (!isWhole && turns < mostPages) page = yield* readPage(++number, limit)
    }
    return walkOf(Array.from(seen.values()), isWhole && unread === 0)
  })

const walkOf = (tasks: ReadonlyArray<PastTask>, isWhole: boolean): HistoryWalk => {
  const byMark = new Map<string, PastTask>()
  let echoes: boolean | undefined = tasks.length === 0 ? undefined : false
  for (const task of tasks) {
    if (task.label === undefined) continue
    for (const mark of markersIn(task.label)) {
      echoes = true
      const known = byMark.get(mark)
      if (known === undefined || (known.failed && !task.failed)) byMark.set(mark, task)
    }
  }
  return { find: (mark) => byMark.get(mark), tasks, echoes, isWhole }
}
