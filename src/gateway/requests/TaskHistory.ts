/** The search of the service's history for marks: whether a create whose answer was lost made a task. */
import { Effect, Option } from "effect"
import type { TaskPage } from "../../contract/Task.ts"
import { type TaskMarker, markersIn } from "../../domain/task/TaskMarker.ts"
import type { CallFault } from "../GatewayErrors.ts"
import { type PastTask, pastTaskOf } from "../response/TaskSnapshot.ts"

/** A walk through the history, from the newest task to those older than was asked for. */
export interface HistoryWalk {
  /** The task of a mark; of several the newest that has not failed. */
  readonly find: (mark: TaskMarker) => PastTask | undefined
  /** Every task seen. */
  readonly tasks: ReadonlyArray<PastTask>
  /** Whether labels come back: true where one of ours was seen, false where tasks were seen and none had a label. */
  readonly echoes: boolean | undefined
  /** Whether it went back as far as was asked for: a history may be longer than can be walked. */
  readonly isWhole: boolean
}

/** Reads one page; without a number the service's first, without a size its own. */
type ReadPage = (page: number | undefined, limit: number | undefined) => Effect.Effect<TaskPage, CallFault>

/** The most pages of one walk: a hundred thousand tasks, where a page has a hundred. */
const mostPages = 1_000

/** Tasks a page. */
const pageSize = 100

/** By how much the service's clock may stray from ours before a task is overlooked, in milliseconds. */
const clockTolerance = 60 * 60 * 1000

/**
 * Makes the search. `history(since)` walks through tasks made since then; whoever asks while a walk is under way shares
 * the next one, so that a burst of lost answers costs two walks.
 */
export const makeTaskHistory = (readPage: ReadPage) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    let last: { readonly startedAt: number; readonly since: number; readonly walk: HistoryWalk } | undefined
    let asked = 0
    const waiting = new Set<{ readonly since: number }>()

    return Effect.fn("Gateway.history")(function* (since: number) {
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
  })

const walked = (readPage: ReadPage, since: number): Effect.Effect<HistoryWalk, CallFault> =>
  Effect.gen(function* () {
    const seen = new Map<string, PastTask>()
    // Some services refuse a size beyond their own limit: then their own is taken.
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
    // Where the service does not number its first page, number 1 is either the same again or, counted from 0, the
    // second.
    let number = page.page
    let isWhole = false
    for (let turns = 1; turns <= mostPages && !isWhole; turns++) {
      const tasks = page.tasks.map(pastTaskOf)
      const fresh = tasks.filter((task) => !seen.has(task.task))
      for (const task of fresh) seen.set(task.task, task)
      for (const task of fresh) {
        if (task.madeAt === undefined || task.madeAt > newestBefore) order = "other"
        else newestBefore = task.madeAt
      }
      const isOver = tasks.length === 0 || !page.has_more || (turns > 2 && fresh.length === 0)
      isWhole = isOver || (order === "newest-first" && newestBefore < since - clockTolerance)
      if (!isWhole && turns < mostPages) page = yield* readPage(++number, limit)
    }
    return walkOf(Array.from(seen.values()), isWhole)
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
