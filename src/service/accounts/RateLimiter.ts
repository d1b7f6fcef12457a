/** Rate limiter per account: a token bucket that holds ten seconds' worth of requests. */
import { Clock, Effect, Option } from "effect"
import { ServiceOptions } from "../config/ServiceOptions.ts"

/** Limits each account to `limits.requestsPerSecond`. */
export class RateLimiter extends Effect.Service<RateLimiter>()("service/RateLimiter", {
  effect: Effect.map(ServiceOptions, ({ config }) => {
    const perSecond = config.limits?.requestsPerSecond ?? Infinity
    const capacity = Math.max(1, perSecond * 10)
    const buckets = new Map<number, { tokens: number; at: number }>()
    return {
      /** Counts a request of an account. Returns the seconds to wait if it is over its rate. */
      take: (account: number): Effect.Effect<Option.Option<number>> =>
        perSecond === Infinity
          ? Effect.succeedNone
          : // A monotonic clock: the time of day may be set back.
            Effect.map(Clock.currentTimeNanos, (nanos) => {
              const now = Number(nanos / 1_000_000n)
              const bucket = buckets.get(account) ?? { tokens: capacity, at: now }
              buckets.set(account, bucket)
              bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
              bucket.at = now
              if (bucket.tokens < 1) return Option.some((1 - bucket.tokens) / perSecond)
              bucket.tokens -= 1
              return Option.none()
            })
    }
  })
}) {}
