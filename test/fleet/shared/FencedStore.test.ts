/** While a worker holds a job, each of its changes is written to the job before anything depends on it. */
import { describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Schema } from "effect"
import { Redis } from "ioredis"
import { expect } from "vitest"
import { TaskId, type UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { type Hold, fencedStore, type FencedStoreParts } from "../../../src/fleet/shared/FencedStore.ts"
import { SpeakPayload } from "../../../src/fleet/shared/JobPayloads.ts"
import { folderShare } from "../../../src/fleet/shared/FolderShare.ts"
import { Share } from "../../../src/fleet/shared/Share.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../../src/store/tables/UtteranceTransfer.ts"
import { passingState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { temporaryFolder, utterances } from "../../hostile/Batch.ts"
import { hasRedis, RedisServer } from "../RedisServer.ts"

const readParcel = Schema.decodeUnknownSync(Schema.parseJson(SpeakPayload))
const [utterance] = utterances(1)
if (utterance === undefined) throw new Error("expected one utterance")
const { key } = utterance

const record: UtteranceRecord = {
  utterance,
  label: "ep01 #1",
  state: "planned",
  take: 1,
  rerolls: 0,
  losses: 0,
  tasks: []
}

/** A store that holds one job, whose lock contains `token`. */
const inHand = (token: string) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => RedisServer.start()),
      (server) => Effect.promise(() => server.stop())
    )
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Redis(server.url)),
      (client) => Effect.sync(() => client.disconnect())
    )
    const shared = yield* Layer.build(folderShare(yield* temporaryFolder))
    const hold: Hold = {
      jobKey: "job",
      token: "mine",
      payload: { terms: "0".repeat(64), record, last: false }
    }
    const holds = new Map<UtteranceKey, Hold>([[key, hold]])
    const parts: FencedStoreParts = { client, takeover: 5_000, holds }
    const state = Layer.mergeAll(UtteranceStore.Default, UtteranceTransfer.Default).pipe(
      Layer.provideMerge(passingState(Context.get(shared, Share).clips))
    )
    const context = yield* Layer.build(
      Layer.provideMerge(fencedStore(parts), Layer.merge(state, Layer.succeedContext(shared)))
    )
    yield* Effect.provide(
      Effect.flatMap(UtteranceTransfer, (handover) => handover.takeOver([record])),
      context
    )
    yield* Effect.promise(() => client.set("job:lock", token, "PX", 60_000))
    const store = yield* Effect.provide(UtteranceStore, context)
    const written = Effect.promise(async () => {
      const data = await client.hget("job", "data")
      return data === null ? undefined : readParcel(data).record
    })
    return { client, store, written }
  })

describe.skipIf(!hasRedis)("a worker's fenced store", () => {
  it.scopedLive("writes each change, our task ids and announced utterances to Redis", () =>
    Effect.gen(function* () {
      const { client, store, written } = yield* inHand("mine")
      const task = TaskId.make("task-1")
      yield* store.apply({ event: "announce", key })
      expect(yield* written).toMatchObject({ state: "announced", take: 1, tasks: [] })
      expect(yield* store.announcedLike(utterance)).toBe(1)
      yield* store.apply({ event: "accept", key, task, credits: 7 })
      expect(yield* written).toMatchObject({
        state: "submitted",
        task,
        tasks: [{ task, take: 1, credits: 7, adopted: false }]
      })
      expect(yield* store.announcedLike(utterance)).toBe(0)
      expect(yield* store.ours([task, TaskId.make("task-2")])).toEqual(new Set([task]))
      // Each write extends the job's lock.
      expect(yield* Effect.promise(() => client.pttl("job:lock"))).toBeLessThanOrEqual(5_000)
    })
  )

  it.scopedLive("interrupts the work and writes nothing if another worker holds the job", () =>
    Effect.gen(function* () {
      const { store, written } = yield* inHand("another's")
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
})
