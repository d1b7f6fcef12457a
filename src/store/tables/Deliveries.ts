/** The last delivery of each job. A job that would deliver the same again is skipped. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"

/** A delivered file. Its path is relative to the output folder. */
export const DeliveredFile = Schema.Struct({ path: Schema.String, bytes: Schema.NonNegativeInt })
export type DeliveredFile = typeof DeliveredFile.Type

/** A delivery: a digest of everything that determined it, and its files. */
export interface Delivery {
  readonly digest: string
  readonly files: ReadonlyArray<DeliveredFile>
}

const DeliveryRow = Schema.Struct({
  job: Schema.String,
  digest: Schema.String,
  files: Schema.parseJson(Schema.Array(DeliveredFile))
})

/** Deliveries by output folder (absolute) and job. */
export class Deliveries extends Effect.Service<Deliveries>()("store/Deliveries", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder: state } = yield* StateFolder

    const guarded = guardStatements(state)

    const into = makeQueries(state)("delivery", {
      Request: Schema.String,
      Result: DeliveryRow,
      execute: (folder) => sql`SELECT job, digest, files FROM delivery WHERE folder = ${folder}`
    })

    /** Returns all deliveries into a folder. */
    const all = Effect.fn("Deliveries.all")(function* (folder: string) {
      const rows = yield* into(folder)
      return new Map(rows.map(({ job, ...delivery }): [string, Delivery] => [job, delivery]))
    })

    /** Stores a job's delivery. */
    const remember = Effect.fn("Deliveries.remember")(function* (
      folder: string,
      job: JobId,
      delivery: Delivery
    ) {
      yield* guarded(
        sql`INSERT OR REPLACE INTO delivery (folder, job, digest, files)
          VALUES (${folder}, ${job}, ${delivery.digest}, ${JSON.stringify(delivery.files)})`
      )
    })

    const forget = Effect.fn("Deliveries.forget")(function* (folder: string, job: JobId) {
      yield* guarded(sql`DELETE FROM delivery WHERE folder = ${folder} AND job = ${job}`)
    })

    return { all, remember, forget }
  })
}) {}
