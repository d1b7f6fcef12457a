/** Small statements by the ten thousand, many in one commit. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type Sqlite from "better-sqlite3"
import { Effect, Predicate } from "effect"
import { type StateUnusable, mapStateError } from "../state/StateErrors.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/** A statement with the values that it names. */
export interface Bound {
  readonly text: string
  readonly values: Readonly<Record<string, string | number | null>>
}

/** Statements one behind the other, each told how many rows the one before has changed. */
export type Work<A> = Generator<Bound, A, number>

/** Does work in a commit of its own: all of it is kept, or nothing. */
export type Commit = <A>(work: () => Work<A>) => Effect.Effect<A, StateUnusable>

/**
 * Commits by a connection of its own, each statement prepared once and run at once: the client's own way to a statement
 * takes longer than the statement itself.
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
    // The client's own connection is reserved meanwhile: it has no transaction under way then.
    Effect.uninterruptible(
      Effect.scoped(
        Effect.zipRight(
          guardStatements(folder)(sql.reserve),
          mapStateError(folder, () => database.transaction(() => done(work()))())
        )
      )
    )
}

/** Commits by the client's connection: of a database in memory there is no other. */
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
