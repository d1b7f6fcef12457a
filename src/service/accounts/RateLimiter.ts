/** Rate limiter per account: a token bucket that holds ten seconds' worth of requests. */
import { Clock, Effect, Option } from "effect"

/** Takes a token per request; returns the seconds to wait if none is left. Without a rate, never limits. */
export const makeRateLimiter = (perSecond: number | undefined) => {
  const buckets = new Map<number, { tokens: number; at: number }>()
  if (perSecond === undefined) return (_account: number) => Effect.succeed(Option.none<number>())
  const capacity = Math.max(1, perSecond * 10)
  return (account: number): Effect.Effect<Option.Option<number>> =>
    // A monotonic clock: the time of day may be set back.
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
