/** Prepares jobs for their first edit in the background, but never during a delivery. */
import { Effect, FiberMap } from "effect"

/** Starts what prepares; it ends with the scope, which interrupts a preparation. */
export const makeSpares = Effect.gen(function* () {
  const preparing = yield* FiberMap.make<string>()
  let deliveries = 0
  return {
    /** Prepares a job, but neither twice nor during a delivery. A failure only costs the next edit time. */
    prepare: <E, R>(job: string, preparation: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
      Effect.suspend(() =>
        deliveries > 0
          ? Effect.void
          : FiberMap.run(
              preparing,
              job,
              Effect.catchAllCause(preparation, (cause) =>
                Effect.logDebug(`${job}: no copy for the next edit`, cause)
              ),
              { onlyIfMissing: true }
            )
      ),
    /** Delivers, after preparations in progress are interrupted. */
    around: <A, E, R>(delivery: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => void deliveries++),
        () => Effect.zipRight(FiberMap.clear(preparing), delivery),
        () => Effect.sync(() => void deliveries--)
      )
  }
})
