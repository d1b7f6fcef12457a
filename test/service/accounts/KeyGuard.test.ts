/** The service slows down the guessing of keys from each address, without locking out clients with a valid key. */
import { expect, it } from "@effect/vitest"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Option, TestClock } from "effect"
import { KeyGuard } from "../../../src/service/accounts/KeyGuard.ts"
import type { KeyHolder } from "../../../src/service/accounts/KeyRecord.ts"
import { KeyStore } from "../../../src/service/accounts/KeyStore.ts"
import { DataFolder } from "../../../src/service/storage/DataFolder.ts"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { Secret } from "../../../src/service/storage/Secret.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const holder = (imported: boolean): Option.Option<KeyHolder> =>
  Option.some({
    id: 1,
    name: "a",
    key: 1,
    scopes: ["read", "create"],
    requestsPerSecond: undefined,
    imported,
    expired: false
  })
const wrong = Option.none<KeyHolder>()

/** Runs a test with a guard and the audit log of its database. */
const guarded = <A>(run: (guard: KeyGuard, keys: KeyStore) => Effect.Effect<A, unknown, SqlClient>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    return yield* Effect.flatMap(KeyGuard, (guard) =>
      Effect.flatMap(KeyStore, (keys) => run(guard, keys))
    ).pipe(
      Effect.provide(
        Layer.merge(KeyGuard.Default, KeyStore.Default).pipe(
          Layer.provideMerge(Layer.merge(serviceDatabase, Secret.Default)),
          Layer.provide(DataFolder.shared({ path: folder, durable: false }))
        )
      )
    )
  })

const guesses = (guard: KeyGuard, address: string, count: number) =>
  Effect.all(Array.from({ length: count }, () => Effect.either(guard.judge(address, wrong))))

it.scoped("an address is blocked after ten wrong keys, for twice as long after each further one", () =>
  guarded((guard, keys) =>
    Effect.gen(function* () {
      const first = yield* guesses(guard, "192.0.2.1", 12)
      expect(first.map(({ _tag }) => _tag)).toEqual([...Array(10).fill("Right"), "Left", "Left"])
      expect(yield* Effect.flip(guard.judge("192.0.2.1", wrong))).toMatchObject({
        code: "key_guessing",
        retry_after: 1
      })
      // Another address is not affected.
      expect(yield* guard.judge("192.0.2.2", wrong)).toEqual(wrong)
      for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
        yield* TestClock.adjust(seconds * 1000 - 1)
        expect((yield* Effect.either(guard.judge("192.0.2.1", wrong)))._tag).toBe("Left")
        yield* TestClock.adjust(1)
        expect((yield* Effect.either(guard.judge("192.0.2.1", wrong)))._tag).toBe("Right")
      }
      const audited = yield* keys.audit(10)
      expect(audited).toMatchObject([{ event: "address_blocked", by: "192.0.2.1" }])
    })
  )
)

it.scoped("valid keys work from a blocked address, apart from an imported one that may be a guess", () =>
  guarded((guard) =>
    Effect.gen(function* () {
      yield* guard.judge("192.0.2.1", holder(true))
      yield* guesses(guard, "192.0.2.1", 12)
      yield* guesses(guard, "192.0.2.9", 12)
      expect(yield* guard.judge("192.0.2.1", holder(false))).toEqual(holder(false))
      expect(yield* guard.judge("192.0.2.1", holder(true))).toEqual(holder(true))
      expect(yield* Effect.flip(guard.judge("192.0.2.9", holder(true)))).toMatchObject({
        code: "key_guessing"
      })
      yield* TestClock.adjust("1 second")
      expect(yield* guard.judge("192.0.2.9", holder(true))).toEqual(holder(true))
    })
  )
)

it.scoped(
  "an imported key that was used from an address works from it after a restart, however many guesses come",
  () =>
    guarded((guard) =>
      Effect.gen(function* () {
        yield* guard.judge("192.0.2.1", holder(true))
        const restarted = yield* Effect.provide(KeyGuard, Layer.fresh(KeyGuard.Default))
        yield* guesses(restarted, "192.0.2.1", 12)
        yield* guesses(restarted, "192.0.2.9", 12)
        expect(yield* restarted.judge("192.0.2.1", holder(true))).toEqual(holder(true))
        expect((yield* Effect.either(restarted.judge("192.0.2.9", holder(true))))._tag).toBe("Left")
      })
    )
)

it.scoped("a client is a /64 of IPv6 addresses, and an IPv4 address in either notation", () =>
  guarded((guard) =>
    Effect.gen(function* () {
      for (let index = 0; index < 12; index++)
        yield* Effect.either(guard.judge(`2001:db8:0:7::${index.toString(16)}`, wrong))
      expect((yield* Effect.either(guard.judge("2001:db8:0:7:aaaa::1", wrong)))._tag).toBe("Left")
      expect((yield* Effect.either(guard.judge("2001:db8:0:8::1", wrong)))._tag).toBe("Right")
      yield* guesses(guard, "::ffff:192.0.2.1", 12)
      expect((yield* Effect.either(guard.judge("192.0.2.1", wrong)))._tag).toBe("Left")
    })
  )
)
