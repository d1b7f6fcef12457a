/** Rate limits per account and per key: token buckets that hold ten seconds' worth of requests. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { type Clock, Effect, Schema } from "effect"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import type { CurrentAccount } from "../../contract/Account.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { checkRows } from "../storage/CheckedRows.ts"
import { Replica } from "../storage/Replica.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"

/** The seconds' worth of requests that a bucket holds. */
const window = 10

/** The requests that a failed create counts as, besides its own. */
const failureCost = 10

/** The state of a limit. */
export interface RateLimit {
  readonly policy: "account" | "key"
  /** Requests that may be sent at once. */
  readonly quota: number
  /** Seconds in which the quota is renewed. */
  readonly window: number
  /** Requests left. */
  readonly left: number
  /** Seconds until the quota is full again. */
  readonly reset: number
}

/** A key that may have a limit, and its account. */
type LimitedKey = Pick<CurrentAccount["Type"], "id" | "key" | "requestsPerSecond">

/** A limit, and the bucket that counts it. */
interface Limit {
  readonly policy: "account" | "key"
  readonly rate: number
  readonly bucket: string
}

/** A bucket: its tokens at a time in milliseconds. */
interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** A counted request: the seconds to wait if it is over a limit, else 0. */
interface Counted {
  readonly limits: ReadonlyArray<RateLimit>
  readonly wait: number
}

/** Limits each account to `limits.requestsPerSecond`, and each key to its own limit. */
export class RateLimiter extends Effect.Service<RateLimiter>()("service/RateLimiter", {
  effect: Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const { sharing } = yield* Replica
    const clock = yield* Effect.clock
    const perAccount = config.limits?.requestsPerSecond
    const inMemory = bucketsInMemory(clock)
    const count =
      sharing === undefined
        ? (limits: ReadonlyArray<Limit>, cost: number) => Effect.sync(() => inMemory(limits, cost))
        : inDatabase(sharing.sql)
    const ofAccount = (account: number): ReadonlyArray<Limit> =>
      perAccount === undefined ? [] : [{ policy: "account", rate: perAccount, bucket: `account ${account}` }]
    return {
      /** Counts a create that failed, and so was free, as further requests of its account. */
      charge: (account: number): Effect.Effect<void> => {
        const limits = ofAccount(account)
        return limits.length === 0 ? Effect.void : Effect.asVoid(count(limits, failureCost))
      },
      /** Counts a request of a key. */
      take: ({ id: account, key, requestsPerSecond: perKey }: LimitedKey): Effect.Effect<Counted> => {
        const limits = [
          ...ofAccount(account),
          ...(perKey === undefined ? [] : [{ policy: "key" as const, rate: perKey, bucket: `key ${key}` }])
        ]
        return limits.length === 0 ? Effect.succeed({ limits: [], wait: 0 }) : count(limits, 1)
      }
    }
  })
}) {}

const bucketsInMemory = (clock: Clock.Clock) => {
  const buckets = new Map<string, Bucket>()
  return (limits: ReadonlyArray<Limit>, cost: number): Counted => {
    // A monotonic clock: the time of day may be set back.
    const now = steadyMillis(clock)
    const result = counted(limits, cost, now, buckets)
    for (const { bucket, tokens } of result.buckets) buckets.set(bucket, { tokens, at: now })
    return result
  }
}

const bucketRows = checkRows(
  "rate_buckets",
  Schema.Struct({
    name: Schema.String,
    tokens: Schema.NullOr(Schema.Number),
    at: Schema.Int,
    now: Schema.Int
  })
)

/** Buckets that replicas share. Their rows are locked in one order, and timed by the database's clock. */
const inDatabase = (sql: SqlClient) => (limits: ReadonlyArray<Limit>, cost: number) =>
  inWriteTransaction(sql)(
    Effect.gen(function* () {
      const names = limits.map(({ bucket }) => bucket).sort()
      yield* sql`INSERT INTO rate_buckets ${sql.insert(names.map((name) => ({ name, tokens: null, at: 0 })))}
        ON CONFLICT (name) DO NOTHING`
      const rows = yield* bucketRows(sql`SELECT name, tokens, at,
        CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now
        FROM rate_buckets WHERE ${sql.in("name", names)} ORDER BY name FOR UPDATE`)
      const now = Math.max(...rows.map((row) => row.now))
      const buckets = new Map(
        rows.flatMap(({ name, tokens, at }) => (tokens === null ? [] : [[name, { tokens, at }] as const]))
      )
      const result = counted(limits, cost, now, buckets)
      yield* Effect.forEach(
        result.buckets,
        ({ bucket, tokens }) =>
          sql`UPDATE rate_buckets SET tokens = ${tokens}, at = ${now} WHERE name = ${bucket}`,
        { discard: true }
      )
      return result
    })
  ).pipe(Effect.orDie)

/**
 * Counts a request of cost 1 if it is within all limits. A higher cost is counted in any case, as a debt of at most one
 * bucket. `now` is in milliseconds.
 */
const counted = (
  limits: ReadonlyArray<Limit>,
  cost: number,
  now: number,
  buckets: ReadonlyMap<string, Bucket>
) => {
  const filled = limits.map((limit) => {
    const capacity = Math.max(1, limit.rate * window)
    const { tokens, at } = buckets.get(limit.bucket) ?? { tokens: capacity, at: now }
    return {
      ...limit,
      capacity,
      tokens: Math.min(capacity, tokens + (Math.max(0, now - at) / 1000) * limit.rate)
    }
  })
  const wait = Math.max(...filled.map(({ rate, tokens }) => Math.max(0, (1 - tokens) / rate)))
  const left = filled.map((limit) => ({
    ...limit,
    tokens: wait === 0 || cost > 1 ? Math.max(-limit.capacity, limit.tokens - cost) : limit.tokens
  }))
  return {
    wait,
    buckets: left,
    limits: left.map(({ policy, rate, capacity, tokens }): RateLimit => ({
      policy,
      quota: Math.floor(capacity),
      window: Math.max(1, Math.round(capacity / rate)),
      left: Math.max(0, Math.floor(tokens)),
      reset: Math.ceil((capacity - tokens) / rate)
    }))
  }
}
