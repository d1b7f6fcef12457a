/** Transactions wait until they are on disk, without keeping others from the database. */
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, Exit, Fiber } from "effect"
import { describe } from "vitest"
import { withSyncedTransactions } from "../../../src/service/storage/Database.ts"

interface Sync {
  readonly done: () => void
  readonly failed: (cause: Error) => void
}

/** A database in memory, and the syncs that its transactions have begun. */
const opened = Effect.gen(function* () {
  const syncs: Array<Sync> = []
  const sql = withSyncedTransactions(
    yield* SqlClient,
    () => new Promise<void>((done, failed) => syncs.push({ done, failed }))
  )
  yield* sql`CREATE TABLE words (word TEXT)`
  const insert = (word: string) => sql.withTransaction(sql`INSERT INTO words ${sql.insert({ word })}`)
  const count = Effect.map(sql<{ n: number }>`SELECT COUNT(*) AS n FROM words`, ([row]) => row?.n)
  return { sql, syncs, insert, count }
})

/** Lets fibers and promises run until they wait for something else. */
const settled = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

const inMemory = <A, E>(test: Effect.Effect<A, E, SqlClient>) =>
  Effect.provide(test, SqliteClient.layer({ filename: ":memory:", disableWAL: true }))

describe("a transaction with a slow disk", () => {
  it.live("ends when it is on disk, and others go on meanwhile", () =>
    inMemory(
      Effect.gen(function* () {
        const { syncs, insert, count } = yield* opened
        const first = yield* Effect.fork(insert("one"))
        yield* settled
        expect([yield* count, syncs.length, first.unsafePoll()]).toEqual([1, 1, null])
        syncs[0]?.done()
        expect(Exit.isSuccess(yield* Fiber.await(first))).toBe(true)
      })
    )
  )

  it.live("shares the sync after the one that is under way", () =>
    inMemory(
      Effect.gen(function* () {
        const { syncs, insert } = yield* opened
        const first = yield* Effect.fork(insert("one"))
        yield* settled
        const later = yield* Effect.forEach(["two", "three"], (word) => Effect.fork(insert(word)))
        yield* settled
        syncs[0]?.done()
        yield* Fiber.join(first)
        yield* settled
        expect([syncs.length, ...later.map((fiber) => fiber.unsafePoll())]).toEqual([2, null, null])
        syncs[1]?.done()
        yield* Effect.forEach(later, Fiber.join)
        expect(syncs).toHaveLength(2)
      })
    )
  )

  it.live("fails if the disk does, and the next one is synced again", () =>
    inMemory(
      Effect.gen(function* () {
        const { syncs, insert } = yield* opened
        const first = yield* Effect.fork(insert("one"))
        yield* settled
        syncs[0]?.failed(new Error("EIO"))
        expect(yield* Effect.flip(Fiber.join(first))).toMatchObject({
          _tag: "SqlError",
          message: "cannot sync the database to disk"
        })
        const second = yield* Effect.fork(insert("two"))
        yield* settled
        syncs[1]?.done()
        yield* Fiber.join(second)
      })
    )
  )

  it.live("waits once if it has another inside, and not if it is rolled back", () =>
    inMemory(
      Effect.gen(function* () {
        const { sql, syncs, insert, count } = yield* opened
        const nested = yield* Effect.fork(sql.withTransaction(Effect.zipRight(insert("one"), insert("two"))))
        yield* settled
        expect(syncs).toHaveLength(1)
        syncs[0]?.done()
        yield* Fiber.join(nested)
        yield* Effect.flip(sql.withTransaction(Effect.zipRight(insert("three"), Effect.fail("no"))))
        expect([yield* count, syncs.length]).toEqual([2, 1])
      })
    )
  )
})
