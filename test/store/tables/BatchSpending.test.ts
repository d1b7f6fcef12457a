import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FailureReason } from "../../../src/domain/task/FailureReason.ts"
import { TaskId } from "../../../src/domain/values/Ids.ts"
import { BatchSpending } from "../../../src/store/tables/BatchSpending.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { casting, job, temporaryFolder, utterances } from "../../hostile/Batch.ts"

it.scopedLive("counts a batch's spending from its beginning to its end, including lines edited since", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const stores = Layer.mergeAll(UtteranceStore.Default, BatchSpending.Default)
    yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      const outlay = yield* BatchSpending
      const [own, replaced, others] = utterances(3)
      if (own === undefined || replaced === undefined || others === undefined) return
      const paid = ({ key }: typeof own, credits: number | undefined, task: string = key) =>
        Effect.zipRight(
          store.apply({ event: "announce", key }),
          store.apply({ event: "accept", key, task: TaskId.make(task), credits })
        )
      yield* store.plan("batch", job([own, replaced]))
      yield* store.plan("another", job([others]))
      yield* outlay.begin("batch")
      yield* paid(own, 7.5)
      yield* paid(replaced, undefined)
      yield* paid(others, 100)
      const spent = [{ casting, isRepeated: false, tasks: 2, credits: 7.5, unpriced: replaced.characters }]
      expect(yield* outlay.spent("batch")).toEqual(spent)
      const setback = FailureReason.make({ kind: "vanished", words: "gone" })
      yield* store.apply({ event: "lose", key: own.key, setback })
      yield* paid(own, 3, "again")
      spent.push({ casting, isRepeated: true, tasks: 1, credits: 3, unpriced: 0 })
      expect(yield* outlay.spent("batch")).toEqual(spent)
      // A second run: the batch is already begun, and a line was changed.
      yield* outlay.begin("batch")
      yield* store.plan("batch", job([own]))
      expect(yield* outlay.spent("batch")).toEqual(spent)
      yield* outlay.end("batch")
      expect(yield* outlay.spent("batch")).toEqual([])
    }).pipe(Effect.provide(stores.pipe(Layer.provide(writableState(folder)))))
  })
)
