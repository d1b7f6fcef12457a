/**
 * Writes changes, many in one commit: what comes within some milliseconds of the commit before shares the next, so a
 * busy run commits once for many of its tasks and an idle one at once.
 */
import { closeSync, openSync } from "node:fs"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Exit, type Scope } from "effect"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { transitionStatement } from "./TransitionSql.ts"
import { makeOwnTransactions, makeSharedTransactions } from "./Transactions.ts"
import { type StateUnusable, mapStateErrorLater } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { syncToDisk } from "../files/AtomicFile.ts"

/** Writes one change; returns when it is kept: past a process's death, an announcement also past a power cut. */
export type Write = (change: UtteranceChange) => Effect.Effect<void, StateUnusable>

/** The most changes in one commit. */
export const mostAtOnce = 512

/**
 * From commit to commit, in milliseconds: one costs about as much as ten changes, and a service takes longer than that
 * to answer.
 */
const commitsApart = 1

/** A journal that lives as long as the scope. */
export const makeWriteBatcher: Effect.Effect<Write, never, StateFolder | SqlClient | Scope.Scope> =
  Effect.gen(function* () {
    const { folder, log, changes } = yield* StateFolder
    const sql = yield* SqlClient
    const committed =
      changes === undefined ? makeSharedTransactions(sql, folder) : makeOwnTransactions(sql, folder, changes)
    const arriving = new Gathering(commitsApart)
    const announced = new Gathering(0)
    const bringToDisk = log === undefined ? Effect.void : yield* syncing(folder, log)

    const commit = (group: ReadonlyArray<Waiting>) =>
      Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) =>
          committed(() =>
            transitionStatement(
              group.map((one) => one.change),
              now
            )
          )
        ),
        Effect.exit,
        Effect.map((exit) => {
          for (const one of group) {
            if (Exit.isFailure(exit)) one.settled(Exit.failCause(exit.cause))
            else if (!exit.value.has(one.change)) one.settled(Exit.die(impossible(one.change)))
            else if (one.change.event === "announce") announced.add(one)
            else one.settled(Exit.void)
          }
        })
      )

    yield* arriving.next.pipe(Effect.flatMap(commit), Effect.forever, Effect.forkScoped)
    // The disk is waited for apart, so that other changes go on meanwhile.
    yield* announced.next.pipe(
      Effect.flatMap((group) =>
        Effect.map(Effect.exit(bringToDisk), (exit) => {
          for (const one of group) one.settled(exit)
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )

    return (change) =>
      Effect.uninterruptible(
        Effect.async<void, StateUnusable>((settled) => arriving.add({ change, settled }))
      )
  })

interface Waiting {
  readonly change: UtteranceChange
  readonly settled: (exit: Exit.Exit<void, StateUnusable>) => void
}

/**
 * What waits to be taken together: all that has come when the event loop has been once around, so many milliseconds
 * after the last.
 */
class Gathering {
  private readonly all: Array<Waiting> = []
  private wanted: (() => void) | undefined
  private takenAt = 0

  constructor(private readonly apart: number) {}

  add(one: Waiting): void {
    this.all.push(one)
    this.wanted?.()
    this.wanted = undefined
  }

  /** Waits for the next group. */
  readonly next = Effect.async<ReadonlyArray<Waiting>>((resume) => {
    const take = () => {
      this.takenAt = performance.now()
      resume(Effect.succeed(this.all.splice(0, mostAtOnce)))
    }
    const gather = () => {
      if (performance.now() - this.takenAt < this.apart) setTimeout(take, this.apart)
      else setImmediate(take)
    }
    if (this.all.length > 0) gather()
    else this.wanted = gather
  })
}

const impossible = ({ key, event }: UtteranceChange) =>
  new Error(`"${event}" cannot happen to utterance ${key.slice(0, 12)} in its present state`)

/**
 * Brings the database's log to the disk, off this thread. The file stays the same one as long as the database is open.
 */
const syncing = (
  folder: string,
  log: string
): Effect.Effect<Effect.Effect<void, StateUnusable>, never, Scope.Scope> => {
  let file: number | undefined
  const sync = mapStateErrorLater(folder, () => {
    file ??= openSync(log, "r+")
    return syncToDisk(file)
  })
  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (file !== undefined) closeSync(file)
      })
    ),
    sync
  )
}
