/** Searches the service's task history for markers, to find out whether a create without a response made a task. */
import { Effect } from "effect"
import { type TaskMarker, markersIn } from "../../domain/task/TaskMarker.ts"
import type { CallFault } from "../GatewayErrors.ts"
import type { ReadTaskPage } from "../exchange/ResponseReading.ts"
import { type PastTask, pastTaskOf } from "../exchange/TaskSnapshot.ts"

/** The result of a walk through the history, from the newest task back to the requested time. */
export type HistoryWalk = ReturnType<typeof walkOf>

/** Reads one page. Default: the service's first page, of its default size. */
type ReadPage = (page?: number, limit?: number) => Effect.Effect<ReadTaskPage, CallFault>

/** Maximum pages of a walk: a hundred thousand tasks, at a hundred per page. */
const maxPages = 1_000

/** Maximum size of the tasks of a walk, as `sizeOf` counts. A page may hold far more than a hundred tasks. */
const maxKept = 100_000_000

/** Returns about the size of a task in memory. */
const sizeOf = ({ task, label = "", provider = "", voice = "" }: PastTask): number =>
  500 + task.length + label.length + provider.length + voice.length

/** Tasks per page. */
const pageSize = 100

/** Maximum clock difference to a service that lists tasks of the requested time, in milliseconds. */
const clockTolerance = 60 * 60 * 1000

/** Maximum clock difference to one that lists none, in milliseconds: it may report local times. */
const zoneTolerance = 24 * 60 * 60 * 1000

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

const walked = (readPage: ReadPage, since: number) =>
  Effect.gen(function* () {
    const seen = new Map<string, PastTask>()
    // Some services reject a size above their own limit; then the default size is used.
    const first = yield* Effect.either(readPage(undefined, pageSize))
    const isTooLarge = first._tag === "Left" && first.left._tag === "Refused" && first.left.reason === "rules"
    const limit = isTooLarge ? undefined : pageSize
    let page = isTooLarge ? yield* readPage(undefined, limit) : yield* first
    let order: "newest-first" | "other" = "newest-first"
    let newestBefore = Infinity
    // An unnumbered first page may be page 0 or page 1, so page 1 may be the second page or the first one again.
    let number = page.page
    let isWhole = false
    let kept = 0
    let unread = 0
    let isCut = false
    for (let turns = 1; turns <= maxPages && kept < maxKept && !isWhole && !isCut; turns++) {
      const tasks = page.tasks.map(pastTaskOf)
      unread += page.unread
      const fresh = tasks.filter((task) => !seen.has(task.task))
      for (const task of fresh) {
        seen.set(task.task, task)
        kept += sizeOf(task)
        if (task.madeAt === undefined || task.madeAt > newestBefore) order = "other"
        else newestBefore = task.madeAt
      }
      const isAgain = turns > 2 && fresh.length === 0
      // A service that ignores page numbers lists the same page again, which may be the first of many.
      isCut = isAgain && seen.size <= tasks.length && (page.namesMore || tasks.length % 5 === 0)
      const isOver = tasks.length + page.unread === 0 || !page.has_more || (isAgain && !isCut)
      const [newest] = seen.values()
      const isAgreed = (newest?.madeAt ?? 0) >= since - clockTolerance
      const until = since - (isAgreed ? clockTolerance : zoneTolerance)
      isWhole = isOver || (order === "newest-first" && newestBefore < until)
      if (isWhole || isCut || turns === maxPages) continue
      const next = yield* Effect.either(readPage(++number, limit))
      if (next._tag === "Right") page = next.right
      else if (isPageRefused(next.left)) isCut = true
      else return yield* next.left
    }
    return walkOf(Array.from(seen.values()), isWhole && unread === 0)
  })

/** Whether a page is refused, as some services refuse the one after the last. */
const isPageRefused = (fault: CallFault): boolean =>
  fault._tag === "Refused" && (fault.reason === "rules" || fault.reason === "unknown")

const walkOf = (tasks: ReadonlyArray<PastTask>, isWhole: boolean) => {
  const byMark = new Map<string, PastTask>()
  let echoes: boolean | undefined = tasks.length === 0 ? undefined : false
  for (const task of tasks)
    for (const mark of markersIn(task.label ?? "")) {
      echoes = true
      const known = byMark.get(mark)
      if (known === undefined || (known.failed && !task.failed)) byMark.set(mark, task)
    }
  return {
    /** Returns the task with a marker. Of several, the newest that has not failed. */
    find: (mark: TaskMarker) => byMark.get(mark),
    /** Every task seen. */
    tasks,
    /** Whether the service returns labels: as far as one of ours was seen, or tasks of which none had a marker. */
    echoes,
    /**
     * Whether the walk reached the requested time and could read every entry. It may not, if the history is too long.
     * An entry without an id may be any task.
     */
    isWhole
  }
}
