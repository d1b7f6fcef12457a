/** Transactions of many small prepared statements. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type Sqlite from "better-sqlite3"
import { Effect, Predicate } from "effect"
import { type StateUnusable, mapStateError } from "../state/StateErrors.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/** A statement with its named values. */
export interface Bound {
  readonly text: string
  readonly values: Readonly<Record<string, string | number | null>>
}

/** A sequence of statements. Each `yield` returns how many rows the statement changed. */
export type Work<A> = Generator<Bound, A, number>

/** Runs work in a transaction of its own: all of it is committed, or nothing. */
export type Commit = <A>(work: () => Work<A>) => Effect.Effect<A, StateUnusable>

/**
 * Commits over a separate connection, with each statement prepared once and run directly. Through the client, reaching
 * a statement takes longer than running it.
 */
export const makeOwnTransactions = (sql: SqlClient, folder: string, database: Sqlite.Database): Commit => {
  const prepared = new Map<string, Sqlite.Statement>()
  const run = ({ text, values }: Bound): number => {
    const known = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, known)
    return known.run(values).changes
  }
  const done = <A>(work: Work<A>): A => {
    let step = work.next()
    while (step.done !== true) step = work.next(run(step.value))
    return step.value
  }
  return (work) =>
    // The client's own connection is reserved during the transaction, so that it has no open transaction.
    Effect.uninterruptible(
      Effect.scoped(
        Effect.zipRight(
          guardStatements(folder)(sql.reserve),
          mapStateError(folder, () => database.transaction(() => done(work()))())
        )
      )
    )
}

/** Commits over the client's connection: an in-memory database has no other. */
export const makeSharedTransactions =
  (sql: SqlClient, folder: string): Commit =>
  (work) =>
    Effect.uninterruptible(
      Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => {
          const run = (text: string, ...values: ReadonlyArray<Bound["values"]>) =>
            connection.executeRaw(text, values)
          const done = Effect.gen(function* () {
            const statements = work()
            let step = statements.next()
            while (step.done !== true)
              step = statements.next(changesIn(yield* run(step.value.text, step.value.values)))
            return step.value
          })
          return run("BEGIN").pipe(
            Effect.zipRight(done),
            Effect.zipLeft(run("COMMIT")),
            Effect.tapError(() => Effect.option(run("ROLLBACK")))
          )
        })
      )
    ).pipe(guardStatements(folder))

const changesIn = (result: unknown): number =>
  Predicate.hasProperty(result, "changes") && typeof result.changes === "number" ? result.changes : 0
