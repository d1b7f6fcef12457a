/** How many requests an account may make: a bucket each that fills evenly and holds ten seconds' worth. */
import { Clock, Effect, Option } from "effect"

/**
 * Counts a request; seconds until the next is allowed where this one came too early. Without a rate nothing is refused.
 */
export const makeRateLimiter = (perSecond: number | undefined) => {
  const buckets = new Map<number, { tokens: number; at: number }>()
  if (perSecond === undefined) return (_account: number) => Effect.succeed(Option.none<number>())
  const capacity = Math.max(1, perSecond * 10)
  return (account: number): Effect.Effect<Option.Option<number>> =>
    // Not the time of day, which may be put back.
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
