/** While a worker holds an utterance, each of its changes is in the ledger before anything depends on it. */
import { describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { expect } from "vitest"
import { FailureReason } from "../../../src/domain/task/FailureReason.ts"
import { TaskId, type UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { folderShare } from "../../../src/fleet/shared/FolderShare.ts"
import { readLedger, takeEntry } from "../../../src/fleet/shared/Ledger.ts"
import { Share } from "../../../src/fleet/shared/Share.ts"
import { type Hold, fencedStore, type FencedStoreParts } from "../../../src/fleet/worker/FencedStore.ts"
import { passingState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { UtteranceTransfer } from "../../../src/store/tables/UtteranceTransfer.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { key, payload, planned, redisWithClient, utterance } from "../LedgerFixture.ts"
import { hasRedis } from "../RedisServer.ts"

/** A worker's store that has taken the utterance. */
const holding = Effect.gen(function* () {
  const { server, client } = yield* redisWithClient
  const shared = yield* Layer.build(folderShare(yield* temporaryFolder))
  const { holder } = yield* takeEntry(client, key)
  const parts: FencedStoreParts = {
    client,
    holds: new Map<UtteranceKey, Hold>([[key, { holder, payload }]])
  }
  const state = Layer.mergeAll(UtteranceStore.Default, UtteranceTransfer.Default).pipe(
    Layer.provideMerge(passingState(Context.get(shared, Share).clips))
  )
  const context = yield* Layer.build(
    Layer.provideMerge(fencedStore(parts), Layer.merge(state, Layer.succeedContext(shared)))
  )
  yield* Effect.provide(
    Effect.flatMap(UtteranceTransfer, (handover) => handover.takeOver([planned])),
    context
  )
  const written = Effect.promise(async () => (await readLedger(client, [key])).get(key)?.record)
  return { server, client, store: Context.get(context, UtteranceStore), written }
})

const task = TaskId.make("task-1")

describe.skipIf(!hasRedis)("a worker's fenced store", () => {
  it.scopedLive("writes each change, our task ids and announced utterances to Redis", () =>
    Effect.gen(function* () {
      const { client, store, written } = yield* holding
      yield* store.apply({ event: "announce", key })
      expect(yield* written).toMatchObject({ state: "announced", take: 1, tasks: [] })
      expect(yield* store.announcedLike(utterance)).toBe(1)
      const setback = FailureReason.make({ kind: "undecidable", words: "w" })
      yield* store.apply({ event: "fail", key, setback })
      expect(yield* store.announcedLike(utterance)).toBe(1)
      yield* store.apply({ event: "recall", key })
      yield* store.apply({ event: "accept", key, task, credits: 7 })
      expect(yield* written).toMatchObject({
        state: "submitted",
        task,
        tasks: [{ task, take: 1, credits: 7, adopted: false }]
      })
      expect(yield* store.announcedLike(utterance)).toBe(0)
      expect(yield* store.ours([task, TaskId.make("task-2")])).toEqual(new Set([task]))
      const names = yield* Effect.promise(() => client.keys("*"))
      expect(names.sort()).toEqual([`dubwright:ledger:${key}`, "dubwright:tasks"])
      for (const name of names)
        expect(yield* Effect.promise(() => client.ttl(name))).toBeGreaterThan(29 * 86_400)
    })
  )

  it.scopedLive("interrupts the work and sends nothing if another worker has taken the utterance over", () =>
    Effect.gen(function* () {
      const { client, store, written } = yield* holding
      yield* takeEntry(client, key)
      let isSent = false
      const sending = Effect.zipRight(
        store.apply({ event: "announce", key }),
        Effect.sync(() => {
          isSent = true
        })
      )
      const exit = yield* Effect.exit(sending)
      expect(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)).toBe(true)
      expect(isSent).toBe(false)
      expect(yield* written).toBeUndefined()
    })
  )

  it.scopedLive("leaves the response of its create to the worker that has taken the utterance over", () =>
    Effect.gen(function* () {
      const { client, store, written } = yield* holding
      yield* store.apply({ event: "announce", key })
      const next = yield* takeEntry(client, key)
      const exit = yield* Effect.exit(store.apply({ event: "accept", key, task, credits: 7 }))
      expect(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)).toBe(true)
      expect(yield* written).toMatchObject({ state: "announced", tasks: [] })
      expect(next.late).toBeUndefined()
      expect(yield* store.answeredElsewhere(key, 1)).toEqual({ task, credits: 7 })
      expect(yield* store.answeredElsewhere(key, 2)).toBeUndefined()
      expect((yield* takeEntry(client, key)).late).toEqual({ take: 1, task, credits: 7 })
    })
  )

  it.scopedLive("continues after a restart of Redis", () =>
    Effect.gen(function* () {
      const { server, store, written } = yield* holding
      yield* store.apply({ event: "announce", key })
      yield* Effect.promise(() => server.stop())
      const accepted = yield* Effect.fork(store.apply({ event: "accept", key, task, credits: 7 }))
      yield* Effect.promise(() => server.begin())
      yield* accepted
      expect(yield* written).toMatchObject({ state: "submitted", task })
    })
  )
})
