/** Rate limits per account and per key: token buckets that hold ten seconds' worth of requests. */
import { Clock, Effect } from "effect"
import { ServiceOptions } from "../config/ServiceOptions.ts"

/** The seconds' worth of requests that a bucket holds. */
const window = 10

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

/** Limits each account to `limits.requestsPerSecond`, and each key to its own limit. */
export class RateLimiter extends Effect.Service<RateLimiter>()("service/RateLimiter", {
  effect: Effect.map(ServiceOptions, ({ config }) => {
    const perAccount = config.limits?.requestsPerSecond
    const buckets = new Map<string, { tokens: number; at: number }>()
    return {
      /** Counts a request of a key. `wait` is the seconds to wait if it is over a limit, else 0. */
      take: (
        account: number,
        key: number,
        perKey: number | undefined
      ): Effect.Effect<{ readonly limits: ReadonlyArray<RateLimit>; readonly wait: number }> =>
        perAccount === undefined && perKey === undefined
          ? Effect.succeed(unlimited)
          : // A monotonic clock: the time of day may be set back.
            Effect.map(Clock.currentTimeNanos, (nanos) => {
              const now = Number(nanos / 1_000_000n)
              const limited = [
                ...(perAccount === undefined
                  ? []
                  : [{ policy: "account" as const, rate: perAccount, bucket: `account ${account}` }]),
                ...(perKey === undefined
                  ? []
                  : [{ policy: "key" as const, rate: perKey, bucket: `key ${key}` }])
              ].map(({ policy, rate, bucket: name }) => {
                const capacity = Math.max(1, rate * window)
                const bucket = buckets.get(name) ?? { tokens: capacity, at: now }
                buckets.set(name, bucket)
                bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * rate)
                bucket.at = now
                return { policy, rate, capacity, bucket }
              })
              const wait = Math.max(
                ...limited.map(({ rate, bucket }) => Math.max(0, (1 - bucket.tokens) / rate))
              )
              if (wait === 0) for (const { bucket } of limited) bucket.tokens -= 1
              return {
                wait,
                limits: limited.map(({ policy, rate, capacity, bucket }) => ({
                  policy,
                  quota: Math.floor(capacity),
                  window: Math.max(1, Math.round(capacity / rate)),
                  left: Math.floor(bucket.tokens),
                  reset: Math.ceil((capacity - bucket.tokens) / rate)
                }))
              }
            })
    }
  })
}) {}

const unlimited = { limits: [], wait: 0 }
