/** Tasks and credits in a real database: in any order of events, no credit is lost or charged twice. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, FastCheck as fc, Option, Redacted, TestClock } from "effect"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import { KeyStore } from "../../../src/service/accounts/KeyStore.ts"
import { describeStorage, inFolder, sqliteStorage } from "../storage/Backends.ts"
import type { NewTask } from "../../../src/service/tasks/TaskRecord.ts"
import { expireNames } from "../../../src/service/tasks/IdempotentCreates.ts"
import { TaskQueue } from "../../../src/service/tasks/TaskQueue.ts"
import { TaskStore } from "../../../src/service/tasks/TaskStore.ts"

/** Creates an account with the given credits. */
const account = (credits: number) =>
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const key = yield* keys.create({ name: "test", credits })
    const holder = yield* keys.recognise(key)
    return Option.getOrThrow(holder).id
  })

let made = 0
const task = (owner: number, credits: number): NewTask => ({
  taskId: `00000000-0000-4000-8000-${String(made++).padStart(12, "0")}`,
  account: owner,
  provider: "p",
  model: "m",
  voice: "v",
  voiceName: undefined,
  text: "words",
  input: "text",
  wantSrt: false,
  wantJson: false,
  speed: 1,
  vol: 1,
  pitch: 0,
  characters: 5,
  credits
})

const outcome = { engine: "e", durationMs: 100, bytes: 700, format: "wav", hasSrt: false, hasJson: false }

describeStorage("TaskStore", (inStorage) => {
  it.scoped("reserves credits on create, charges them when done, releases them on failure and deletion", () =>
    inStorage(() =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const queue = yield* TaskQueue
        const owner = yield* account(100)
        const [first, second, third] = [task(owner, 40), task(owner, 30), task(owner, 20)]
        for (const each of [first, second, third]) yield* store.create(each)
        expect(yield* store.balance(owner)).toEqual({ granted: 100, used: 0, reserved: 90 })
        expect(yield* Effect.flip(store.create(task(owner, 11)))).toMatchObject({ needed: 11, left: 10 })
        const claimed = yield* queue.claim("p")
        expect(Option.map(claimed, (each) => each.taskId)).toEqual(Option.some(first.taskId))
        expect(yield* queue.finish(first.taskId, outcome)).toBe(true)
        expect(yield* queue.finish(first.taskId, outcome)).toBe(false)
        yield* queue.claim("p")
        expect(yield* store.remove(owner, second.taskId)).toBe("under-way")
        yield* queue.fail(second.taskId, "code", "why")
        expect(yield* store.remove(owner, third.taskId)).toBe("deleted")
        expect(yield* store.remove(owner, third.taskId)).toBe("gone-already")
        expect(yield* store.remove(owner + 1, first.taskId)).toBe("unknown")
        expect(yield* store.balance(owner)).toEqual({ granted: 100, used: 40, reserved: 0 })
        const { tasks, total } = yield* store.page(owner, 1, 10)
        expect(total).toBe(2)
        expect(tasks.map((each) => [each.taskId, each.status])).toEqual([
          [second.taskId, "failed"],
          [first.taskId, "done"]
        ])
        expect(yield* queue.counts).toEqual({ queued: 0, processing: 0 })
      })
    )
  )

  it.scoped("keeps as many bytes of audio as an account may have, expected ones included", () =>
    inStorage(() =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const queue = yield* TaskQueue
        const owner = yield* account(100)
        const of = (bytes: number) => ({ ...task(owner, 1), bytes, room: 1_000 })
        const [done, failed, queued] = [of(400), of(400), of(200)]
        const isFull = (bytes: number) =>
          Effect.map(Effect.either(store.create(of(bytes))), (made) => made._tag === "Left" && made.left._tag)
        for (const each of [done, failed, queued]) yield* store.create(each)
        expect(yield* isFull(1)).toBe("StorageFull")
        yield* queue.claim("p")
        yield* queue.finish(done.taskId, outcome)
        yield* queue.claim("p")
        expect(yield* isFull(1)).toBe("StorageFull")
        yield* queue.fail(failed.taskId, "code", "why")
        expect(yield* isFull(101)).toBe("StorageFull")
        yield* store.remove(owner, failed.taskId)
        yield* store.remove(owner, queued.taskId)
        yield* store.grow(done.taskId, 100)
        expect(yield* isFull(201)).toBe("StorageFull")
        expect(yield* isFull(200)).toBe(false)
        yield* store.remove(owner, done.taskId)
        expect(yield* isFull(801)).toBe("StorageFull")
        expect(yield* isFull(800)).toBe(false)
        expect((yield* store.balance(owner)).reserved).toBe(2)
      })
    )
  )

  it.scoped("lets accounts take turns, each with its oldest task first", () =>
    inStorage(() =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const queue = yield* TaskQueue
        const [many, few] = [yield* account(100), yield* account(100)]
        const of = (owner: number) => task(owner, 1)
        const [first, second, third] = [of(many), of(many), of(many)]
        const [late, last] = [of(few), of(few)]
        for (const each of [first, second, third, late, last]) yield* store.create(each)
        expect([yield* store.queued(many), yield* store.rivals(many)]).toEqual([3, 1])
        expect([yield* store.queued(0), yield* store.rivals(0)]).toEqual([0, 2])
        const queued = [first, late, second, last, third]
        const turns = yield* Effect.forEach(queued, (each) => store.position(each.account, "p", each.taskId))
        expect(turns).toEqual([2, 2, 4, 4, 5])
        const taken: Array<string> = []
        for (let next = yield* queue.claim("p"); Option.isSome(next); next = yield* queue.claim("p")) {
          taken.push(next.value.taskId)
        }
        expect(taken).toEqual(queued.map(({ taskId }) => taskId))
      })
    )
  )

  it.scoped("queues interrupted tasks again after a restart, a limited number of times", () =>
    inStorage(() =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const queue = yield* TaskQueue
        const owner = yield* account(100)
        const one = task(owner, 10)
        yield* store.create(one)
        yield* queue.claim("p")
        expect(yield* queue.recover(2, ["p"])).toEqual({ failed: 0, again: 1 })
        yield* queue.claim("p")
        expect(yield* queue.recover(2, ["p"])).toEqual({ failed: 1, again: 0 })
        expect(yield* store.balance(owner)).toEqual({ granted: 100, used: 0, reserved: 0 })
        const read = yield* store.read(owner, one.taskId)
        expect(Option.map(read, (each) => [each.status, each.error?.code])).toEqual(
          Option.some(["failed", "crashed"])
        )
      })
    )
  )

  it.scoped("keeps the account's total constant in any order of events", () =>
    inStorage(() =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const queue = yield* TaskQueue
        const owner = yield* account(1_000)
        const runtime = yield* Effect.runtime<TaskStore>()
        const events = fc.array(
          fc.oneof(
            fc.record({ what: fc.constant("create" as const), credits: fc.integer({ min: 0, max: 120 }) }),
            fc.record({
              what: fc.constantFrom("claim", "finish", "fail", "giveBack", "remove", "recover"),
              which: fc.nat()
            })
          ),
          { maxLength: 60 }
        )
        const property = fc.asyncProperty(events, async (happened) => {
          const ids: Array<string> = []
          await Effect.gen(function* () {
            for (const event of happened) {
              if (event.what === "create") {
                const fresh = task(owner, "credits" in event ? event.credits : 0)
                if ((yield* Effect.either(store.create(fresh)))._tag === "Right") ids.push(fresh.taskId)
                continue
              }
              const id = ids["which" in event ? event.which % Math.max(1, ids.length) : 0] ?? "none"
              if (event.what === "claim") yield* queue.claim("p")
              if (event.what === "finish") yield* queue.finish(id, outcome)
              if (event.what === "fail") yield* queue.fail(id, "code", "why")
              if (event.what === "giveBack") yield* queue.giveBack(id)
              if (event.what === "remove") yield* store.remove(owner, id)
              if (event.what === "recover") yield* queue.recover(20, ["p"])
            }
            const { tasks, total } = yield* store.page(owner, 1, 100_000)
            expect(total).toBe(tasks.length)
            const held = tasks.filter((each) => each.status === "queued" || each.status === "processing")
            const balance = yield* store.balance(owner)
            expect(balance.reserved).toBe(held.reduce((sum, each) => sum + each.credits, 0))
            expect((balance.granted ?? 0) - balance.used - balance.reserved).toBeGreaterThanOrEqual(0)
            const done = tasks.filter((each) => each.status === "done")
            expect(balance.used).toBeGreaterThanOrEqual(done.reduce((sum, each) => sum + each.credits, 0))
          }).pipe(Effect.provide(runtime), Effect.runPromise)
        })
        yield* Effect.promise(() => fc.assert(property, { numRuns: 40 }))
      })
    )
  )
})

describeStorage("a revoked key", (inStorage) => {
  it.scoped(
    "fails its queued tasks and releases their credits; tasks of the account's other keys continue",
    () =>
      inStorage(() =>
        Effect.gen(function* () {
          const store = yield* TaskStore
          const queue = yield* TaskQueue
          const keys = yield* KeyStore
          const holderOf = (key: Redacted.Redacted<string>) =>
            Effect.map(keys.recognise(key), Option.getOrThrow)
          const leaked = yield* holderOf(yield* keys.create({ name: "leaked", credits: 100 }))
          const kept = yield* holderOf(yield* keys.create({ name: "kept", account: leaked.id }))
          const spoken = { ...task(leaked.id, 10), key: leaked.key }
          const queued = { ...task(leaked.id, 20), key: leaked.key }
          const other = { ...task(leaked.id, 30), key: kept.key }
          const older = task(leaked.id, 5)
          for (const each of [spoken, queued, other, older]) yield* store.create(each)
          yield* queue.claim("p")
          yield* keys.revoke("leaked")

          const statusOf = (taskId: string) =>
            Effect.map(store.read(leaked.id, taskId), (read) => {
              const { status, error } = Option.getOrThrow(read)
              return [status, error?.code]
            })
          expect(yield* statusOf(spoken.taskId)).toEqual(["processing", undefined])
          expect(yield* statusOf(queued.taskId)).toEqual(["failed", "key_revoked"])
          expect(yield* statusOf(other.taskId)).toEqual(["queued", undefined])
          expect(yield* statusOf(older.taskId)).toEqual(["queued", undefined])
          expect(yield* store.balance(leaked.id)).toEqual({ granted: 100, used: 0, reserved: 45 })
          expect(yield* Effect.flip(store.create({ ...task(leaked.id, 1), key: leaked.key }))).toMatchObject({
            _tag: "KeyRevoked"
          })

          yield* keys.revoke("kept")
          expect(yield* statusOf(other.taskId)).toEqual(["failed", "key_revoked"])
          expect(yield* statusOf(older.taskId)).toEqual(["failed", "key_revoked"])
          expect(yield* store.balance(leaked.id)).toEqual({ granted: 100, used: 0, reserved: 10 })
        })
      )
  )
})

describe("Keys", () => {
  const newFolder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-keys-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

  it.scoped("shows a key once, stores only a digest, and recognises it until it is revoked", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const key = yield* Keys.createKey(folder, { name: "nightly", credits: 500 })
      expect(Redacted.value(key)).toMatch(/^nativeapikey_[A-Za-z0-9_-]{43}$/u)
      const old = Redacted.make("an-older-key-0001")
      yield* Keys.importKey(folder, old, { name: "older" })
      const [first, second] = yield* Keys.listKeys(folder)
      expect(first).toMatchObject({
        name: "nightly",
        granted: 500,
        used: 0,
        imported: false,
        revokedAt: undefined
      })
      expect(second).toMatchObject({ name: "older", granted: undefined, imported: true })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        const keys = yield* KeyStore
        expect((yield* keys.recognise(key))._tag).toBe("Some")
        expect((yield* keys.recognise(old))._tag).toBe("Some")
        expect((yield* keys.recognise(Redacted.make("an-older-key-0002")))._tag).toBe("None")
        yield* Keys.revokeKey(folder, "nightly")
        expect((yield* keys.recognise(key))._tag).toBe("None")
        const stored = JSON.stringify(yield* sql`SELECT * FROM keys`)
        expect(stored).not.toContain(Redacted.value(key).slice(17))
        expect(stored).not.toContain(Redacted.value(old))
      }).pipe(Effect.provide(sqliteStorage(folder)))
    })
  )

  it.scoped("fail for a folder without a database, and do not create one", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const mistyped = join(folder, "mistyped")
        for (const asked of [
          Effect.asVoid(Keys.listKeys(mistyped)),
          Effect.asVoid(Keys.grantCredits(mistyped, 1, 1)),
          Effect.asVoid(Keys.revokeKey(mistyped, "1"))
        ]) {
          expect((yield* Effect.flip(asked)).message).toBe(
            `${mistyped}: no service data here; set the service's folder with --data`
          )
        }
        expect(existsSync(mistyped)).toBe(false)
      })
    )
  )

  it.scoped("rejects invalid names, ids, credits and keys with a reason", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* Keys.createKey(folder, { name: "twin" })
      yield* Keys.createKey(folder, { name: "twin" })
      const said = (effect: Effect.Effect<unknown, Error>) =>
        Effect.map(Effect.flip(effect), (error) => error.message)
      expect(yield* said(Keys.revokeKey(folder, "twin"))).toBe(
        'several keys are named "twin"; choose one by id: 1, 2'
      )
      expect((yield* Keys.revokeKey(folder, "2")).id).toBe(2)
      expect(yield* said(Keys.revokeKey(folder, "2"))).toContain('no valid key "2"')
      expect(yield* said(Keys.createKey(folder, { name: "x", credits: -1 }))).toContain("credits -1")
      expect(yield* said(Keys.createKey(folder, { name: "" }))).toContain("1 to 100 characters")
      expect(yield* said(Keys.createKey(folder, { name: "x", account: 99 }))).toContain("no account 99")
      const key = Redacted.make("the-same-key-twice")
      yield* Keys.importKey(folder, key, { name: "once" })
      expect(yield* said(Keys.importKey(folder, key, { name: "twice" }))).toContain("already exists")
      expect(yield* said(Keys.importKey(folder, Redacted.make("a b"), { name: "bad" }))).toContain("8 to 512")
      expect((yield* Keys.listKeys(folder)).length).toBe(3)
    })
  )

  it.scoped("adds keys to an existing account", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      yield* Keys.createKey(folder, { name: "first", credits: 10 })
      yield* Keys.createKey(folder, { name: "second", account: 1, credits: 5 })
      expect((yield* Keys.listKeys(folder)).map((key) => [key.name, key.account, key.granted])).toEqual([
        ["first", 1, 15],
        ["second", 1, 15]
      ])
      expect(yield* Keys.grantCredits(folder, 1, 5)).toBe(20)
      yield* Keys.createKey(folder, { name: "endless" })
      expect((yield* Effect.flip(Keys.grantCredits(folder, 2, 5))).message).toContain(
        "account 2 has unlimited credits"
      )
      expect(yield* Keys.grantCredits(folder, 2, 0)).toBe(undefined)
      expect((yield* Effect.flip(Keys.grantCredits(folder, 9, 5))).message).toContain("no account 9")
    })
  )
})

it.scoped("keeps an idempotency key if the clock jumps ahead", () =>
  inFolder(() =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const owner = yield* account(100)
      const idempotency = { key: "k", digest: Buffer.alloc(32) }
      const first = { ...task(owner, 10), idempotency }
      yield* store.create(first)
      yield* TestClock.adjust("40 days")
      expect((yield* Effect.flip(store.create({ ...task(owner, 10), idempotency })))._tag).toBe("NameTaken")
      expect(Option.map(yield* store.replay(owner, idempotency), ({ taskId }) => taskId)).toEqual(
        Option.some(first.taskId)
      )
      expect((yield* store.balance(owner)).reserved).toBe(10)
    })
  )
)

it.scoped("keeps an idempotency key for 7 days after its last use", () =>
  inFolder(() =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const owner = yield* account(100)
      const idempotency = { key: "k", digest: Buffer.alloc(32) }
      const first = { ...task(owner, 10), idempotency }
      yield* store.create(first)
      for (let use = 0; use < 3; use++) {
        yield* TestClock.adjust("6 days")
        expect(Option.map(yield* store.replay(owner, idempotency), ({ taskId }) => taskId)).toEqual(
          Option.some(first.taskId)
        )
      }
      expect((yield* Effect.flip(store.create({ ...task(owner, 10), idempotency })))._tag).toBe("NameTaken")
      const sql = yield* SqlClient
      yield* TestClock.adjust("6 days")
      yield* expireNames(sql, yield* Clock.currentTimeMillis)
      expect(Option.isSome(yield* store.replay(owner, idempotency))).toBe(true)
      yield* TestClock.adjust("8 days")
      yield* expireNames(sql, yield* Clock.currentTimeMillis)
      expect(yield* store.replay(owner, idempotency)).toEqual(Option.none())
      yield* store.create({ ...task(owner, 10), idempotency })
      expect((yield* store.balance(owner)).reserved).toBe(20)
    })
  )
)
