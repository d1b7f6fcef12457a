/** Answers that are worth keeping, and failures that are not. */
import { type Duration, Effect } from "effect"

/**
 * An effect that runs once and is remembered for a while; a failure is not, whoever comes next tries again. Several
 * that come at once share one run.
 */
export const cacheSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>, duration: Duration.DurationInput) =>
  Effect.map(Effect.cachedInvalidateWithTTL(effect, duration), ([kept, forget]) =>
    Effect.tapErrorCause(kept, () => forget)
  )
