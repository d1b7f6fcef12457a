/** Queries that run on this thread at once, without an effect. */
import type { Statement } from "@effect/sql/Statement"
import { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Context, Effect, Layer } from "effect"
import { fileIn } from "./Database.ts"
import { DataFolder } from "./DataFolder.ts"

/** A statement, and what its rows say. `from` throws a `RowMismatch` if it cannot read a row. */
export interface RowQuery<A> {
  readonly statement: Statement<object>
  readonly from: (rows: ReadonlyArray<unknown>) => A
}

/** Runs a query as an effect. A row that cannot be read, and a failed statement, are defects. */
export const runQuery = <A>({ statement, from }: RowQuery<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.map(statement, from))

/**
 * Runs a query at once, in a connection of its own: it waits for no transaction, and sees what was committed before
 * this turn of the event loop. Throws if the statement fails, or a row cannot be read.
 */
export type ReadNow = <A>(query: RowQuery<A>) => A

/** Reads of a database in this process; `read` is undefined for one on a server. */
export class DirectRows extends Context.Tag("service/DirectRows")<
  DirectRows,
  { readonly read: ReadNow | undefined }
>() {
  static readonly none = Layer.succeed(DirectRows, { read: undefined })

  /** Reads the SQLite database in the data folder, which the client has created. */
  static readonly inFolder = Layer.scoped(
    DirectRows,
    Effect.gen(function* () {
      const { path } = yield* DataFolder
      yield* SqlClient
      const database = yield* Effect.acquireRelease(
        // A read never waits for a lock.
        Effect.sync(() => new Sqlite(fileIn(path), { readonly: true, timeout: 0 })),
        (opened) => Effect.sync(() => opened.close())
      )
      const prepared = new Map<string, Sqlite.Statement<Array<unknown>>>()
      const [begin, end] = [database.prepare("BEGIN"), database.prepare("COMMIT")]
      /** Starts a transaction for all reads of this turn: each one of its own would lock, and read pages anew. */
      const begun = () => {
        if (database.inTransaction) return
        begin.run()
        queueMicrotask(() => {
          if (database.open) end.run()
        })
      }
      const read: ReadNow = ({ statement, from }) => {
        begun()
        const [text, values] = statement.compile()
        const known = prepared.get(text) ?? database.prepare<Array<unknown>>(text)
        prepared.set(text, known)
        return from(known.all(...values))
      }
      return { read }
    })
  )
}
