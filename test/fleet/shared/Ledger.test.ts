/** The ledger of a fleet in a real Redis: who may write, what a worker continues from, and when entries go. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Redis } from "ioredis"
import { expect, test } from "vitest"
import { edition } from "../../../src/fleet/shared/JobPayloads.ts"
import { dropEntries, readLedger, takeEntry, writeLedger } from "../../../src/fleet/shared/Ledger.ts"
import { continuedFrom, type LedgerEntry } from "../../../src/fleet/shared/LedgerEntry.ts"
import type { UtteranceRecord } from "../../../src/store/tables/UtteranceTransfer.ts"
import { key, payload, planned, redisWithClient, submitted, task } from "../LedgerFixture.ts"
import { hasRedis } from "../RedisServer.ts"

const announced: UtteranceRecord = { ...planned, state: "announced", announcedAt: 5 }
const failed: UtteranceRecord = { ...planned, state: "failed" }

const entryOf = (record: UtteranceRecord, dispatch = payload.dispatch): LedgerEntry => ({
  edition,
  dispatch,
  record,
  last: false
})

const write = (client: Redis, holder: string, record: UtteranceRecord) =>
  writeLedger(client, {
    holder,
    entry: entryOf(record),
    isAnnounced: record.state === "announced",
    task: undefined
  })

const nameOfEntry = `dubwright:ledger:${key}`

describe.skipIf(!hasRedis)("the ledger", () => {
  it.scopedLive("refuses a stale holder, and gives the next one what it wrote before", () =>
    Effect.gen(function* () {
      const { client } = yield* redisWithClient
      const one = yield* takeEntry(client, key)
      expect(one).toMatchObject({ entry: undefined, announcedFor: undefined })
      expect(yield* write(client, one.holder, announced)).toBe(true)
      const other = yield* takeEntry(client, key)
      expect(Number.parseInt(other.holder)).toBeGreaterThan(Number.parseInt(one.holder))
      expect(other.entry).toEqual(entryOf(announced))
      expect(other.announcedFor).toBeGreaterThanOrEqual(0)
      expect(yield* write(client, one.holder, submitted)).toBe(false)
      expect((yield* takeEntry(client, key)).entry).toEqual(entryOf(announced))
    })
  )

  it.scopedLive("tells a full Redis from an unreadable entry", () =>
    Effect.gen(function* () {
      const { client } = yield* redisWithClient
      yield* Effect.promise(() => client.config("SET", "maxmemory", "1"))
      const full = yield* Effect.flip(takeEntry(client, key))
      expect(full._tag).toBe("FleetUnusable")
      expect(full.message).toContain("Redis returned an error: OOM")
      yield* Effect.promise(() => client.config("SET", "maxmemory", "0"))
      yield* Effect.promise(() => client.set(nameOfEntry, "forged"))
      expect((yield* Effect.flip(takeEntry(client, key)))._tag).toBe("JobUnusable")
    })
  )

  it.scopedLive("accepts one of two holders if Redis has given the same fence out twice", () =>
    Effect.gen(function* () {
      const { client } = yield* redisWithClient
      const one = yield* takeEntry(client, key)
      yield* Effect.promise(() => client.del(nameOfEntry))
      const other = yield* takeEntry(client, key)
      expect(Number.parseInt(other.holder)).toBe(Number.parseInt(one.holder))
      expect(yield* write(client, one.holder, announced)).toBe(false)
      expect(yield* write(client, other.holder, announced)).toBe(true)
    })
  )

  it.scopedLive(
    "drops utterances that are over, and keeps those that are not, or that were taken again",
    () =>
      Effect.gen(function* () {
        const { client } = yield* redisWithClient
        const isKept = Effect.map(
          Effect.promise(async () => {
            await dropEntries(client, [key])
            return client.exists(nameOfEntry)
          }),
          Boolean
        )
        const { holder } = yield* takeEntry(client, key)
        expect(yield* isKept).toBe(true)
        yield* write(client, holder, submitted)
        expect(yield* isKept).toBe(true)
        yield* write(client, holder, failed)
        const again = yield* takeEntry(client, key)
        expect(yield* isKept).toBe(true)
        yield* write(client, again.holder, failed)
        expect(yield* isKept).toBe(false)
        // A worker that wakes now cannot announce anything.
        expect(yield* write(client, again.holder, announced)).toBe(false)
        expect(yield* isKept).toBe(false)
      })
  )

  it.scopedLive("fails for an entry that is unreadable, and tells another version's entry apart", () =>
    Effect.gen(function* () {
      const { client } = yield* redisWithClient
      const forged: ReadonlyArray<() => Promise<unknown>> = [
        () => client.set(nameOfEntry, "text"),
        () => client.hset(nameOfEntry, "fence", "many"),
        () => client.hset(nameOfEntry, "entry", "{"),
        () => client.hset(nameOfEntry, "entry", JSON.stringify({ edition, record: { state: "paid" } }))
      ]
      for (const forge of forged) {
        yield* Effect.promise(() => client.del(nameOfEntry))
        yield* Effect.promise(forge)
        expect(yield* Effect.flip(takeEntry(client, key))).toMatchObject({
          _tag: "JobUnusable",
          message: `Redis: ${nameOfEntry} is unreadable, and may record a paid task; delete the key to speak the line again`
        })
        expect((yield* Effect.promise(() => readLedger(client, [key]))).size).toBe(0)
        yield* Effect.promise(() => dropEntries(client, [key]))
      }
      yield* Effect.promise(() => client.del(nameOfEntry))
      yield* Effect.promise(() => client.hset(nameOfEntry, "entry", JSON.stringify({ edition: edition + 1 })))
      expect(yield* Effect.flip(takeEntry(client, key))).toMatchObject({ _tag: "FleetUnusable" })
    })
  )
})

const now = 1_000_000
const earlier = "another dispatch"
const second: UtteranceRecord = { ...planned, take: 2 }
test.each<[string, Parameters<typeof continuedFrom>[1], UtteranceRecord, UtteranceRecord]>([
  ["what it was sent", { entry: undefined, announcedFor: undefined, late: undefined }, planned, planned],
  [
    "what an earlier worker wrote",
    { entry: entryOf(failed), announcedFor: undefined, late: undefined },
    planned,
    failed
  ],
  [
    "a paid task of an earlier dispatch",
    { entry: entryOf(submitted, earlier), announcedFor: undefined, late: undefined },
    planned,
    submitted
  ],
  [
    "the run's decision if an earlier dispatch failed",
    { entry: entryOf(failed, earlier), announcedFor: undefined, late: undefined },
    second,
    second
  ],
  [
    "an announced create, timed by Redis",
    { entry: entryOf(announced), announcedFor: 700, late: undefined },
    planned,
    { ...announced, announcedAt: now - 700 }
  ],
  [
    "a create whose response came too late",
    { entry: entryOf(planned), announcedFor: 700, late: { take: 1, task } },
    planned,
    { ...announced, announcedAt: now }
  ],
  [
    "nothing of a late response of an earlier take",
    { entry: entryOf(second), announcedFor: 700, late: { take: 1, task } },
    second,
    second
  ]
])("a worker continues from %s", (_, taken, record, continued) => {
  expect(continuedFrom({ ...payload, record }, taken, now)).toEqual({ record: continued, last: false })
})
