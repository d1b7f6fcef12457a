/** Caches the result of an effect, but not its failures. */
import { type Duration, Effect } from "effect"

/** Caches an effect's success for `duration`; after a failure, the next call retries. Concurrent calls share a run. */
export const cacheSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>, duration: Duration.DurationInput) =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, duration), ([kept, forget]) =>
    Effect.tapErrorCause(kept, () => forget)
  )
