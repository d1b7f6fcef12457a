import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Either, Layer } from "effect"
import { TaskId } from "../../../src/domain/values/Ids.ts"
import { StateUnusable } from "../../../src/store/state/StateErrors.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { StateFolder } from "../../../src/store/state/StateFolder.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { job, temporaryFolder, utterances } from "../../hostile/Batch.ts"

it.scopedLive(
  "reports a full disk wherever it shows, keeps confirmed writes, and continues when there is space",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const state = writableState(folder)
      yield* Effect.gen(function* () {
        const store = yield* UtteranceStore
        const sql = yield* SqlClient
        const list = utterances(300)
        yield* store.plan("batch", job(list))
        // Allows no further pages, as on a full disk.
        const { changes } = yield* StateFolder
        const limit = (pages: number) =>
          Effect.sync(() => changes?.pragma(`max_page_count = ${pages}`)).pipe(
            Effect.zipRight(sql.unsafe(`PRAGMA max_page_count = ${pages}`))
          )
        yield* limit(1)
        const taken = yield* Effect.forEach(
          list,
          ({ key }) =>
            Effect.either(
              Effect.zipRight(
                store.apply({ event: "announce", key }),
                store.apply({ event: "accept", key, task: TaskId.make(`task-${key}`), credits: 1 })
              )
            ),
          { concurrency: 8 }
        )
        const faults = taken.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
        expect(faults.length).toBeGreaterThan(0)
        expect(faults.every((fault) => fault instanceof StateUnusable && fault.reason === "full")).toBe(true)
        const more = utterances(900)
        expect(yield* Effect.flip(store.plan("another", job(more)))).toMatchObject({ reason: "full" })

        yield* limit(100_000)
        const rows = yield* store.rows(list.map(({ key }) => key))
        expect(rows.map((row) => row.state === "submitted")).toEqual(taken.map(Either.isRight))
        yield* store.plan("another", job(more))
      }).pipe(Effect.provide(UtteranceStore.Default.pipe(Layer.provideMerge(state))))
    })
)
