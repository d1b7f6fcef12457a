/**
 * Writes changes to the state, many per commit. Changes that arrive within milliseconds of a commit share the next one:
 * a busy run commits once for many tasks, an idle one at once.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Exit, type Scope } from "effect"
import type { UtteranceChange } from "../../domain/task/UtteranceChange.ts"
import { makeLogSync } from "./LogSync.ts"
import { transitionStatement } from "./TransitionSql.ts"
import { makeOwnTransactions, makeSharedTransactions } from "./Transactions.ts"
import { type StateUnusable, mapStateErrorLater } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"

/**
 * Writes one change. Returns when it is durable: against a crash of the process, and for an announcement also against a
 * power cut.
 */
export type Write = (change: UtteranceChange) => Effect.Effect<void, StateUnusable>

/** Maximum changes per commit. */
export const maxAtOnce = 512

/**
 * Minimum interval between commits, in milliseconds. A commit costs about as much as ten changes, and a service takes
 * longer than that to respond.
 */
const commitsApart = 1

/** Makes a write batcher for the lifetime of the scope. */
export const makeWriteBatcher: Effect.Effect<Write, never, StateFolder | SqlClient | Scope.Scope> =
  Effect.gen(function* () {
    const { folder, log, changes } = yield* StateFolder
    const sql = yield* SqlClient
    const committed =
      changes === undefined ? makeSharedTransactions(sql, folder) : makeOwnTransactions(sql, folder, changes)
    const arriving = new Gathering(commitsApart)
    const announced = new Gathering(0)
    const bringToDisk = log === undefined ? Effect.void : mapStateErrorLater(folder, yield* makeLogSync(log))

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
    // Syncing runs separately, so that it does not block other changes.
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
 * Groups waiting items: everything that arrives within one turn of the event loop, and at least `apart` milliseconds
 * after the previous group.
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
      resume(Effect.succeed(this.all.splice(0, maxAtOnce)))
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
  new Error(`"${event}" is not allowed for utterance ${key.slice(0, 12)} in its current state`)
