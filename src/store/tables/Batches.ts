/** The batches of a state folder, and what their jobs use. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { StateFolder } from "../state/StateFolder.ts"
import { inTransaction, makeQueries } from "../state/GuardedStatements.ts"

export class Batches extends Effect.Service<Batches>()("store/Batches", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder } = yield* StateFolder

    /** The ids of all batches. */
    const known = makeQueries(folder)("job", {
      Request: Schema.Void,
      Result: Schema.Struct({ batch: Schema.String }),
      execute: () => sql`SELECT DISTINCT batch FROM job`
    })().pipe(Effect.map((rows) => rows.map(({ batch }) => batch)))

    /** Deletes a batch. Utterances that only it used are unused from now on. */
    const forget = Effect.fn("Batches.forget")(function* (batch: string) {
      yield* inTransaction(
        sql,
        folder,
        Effect.gen(function* () {
          yield* sql`DELETE FROM job_use WHERE batch = ${batch}`
          yield* sql`DELETE FROM job WHERE batch = ${batch}`
          yield* sql`DELETE FROM finished WHERE batch = ${batch}`
        })
      )
    })

    return { known, forget }
  })
}) {}
