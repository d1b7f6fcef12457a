/** How long and how often a read is tried again. */
import { Duration, Effect, Schedule } from "effect"
import { type CallFault, isTransientFault } from "../GatewayErrors.ts"

/**
 * Waits that double from half a second to half a minute, each shifted by chance so that many waiters do not come at
 * once.
 */
export const backoff = Schedule.exponential("500 millis", 2).pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)

/** How often a read is tried again. */
const mostRetries = 6

/** Retries of reads: never before the time that the service asked to wait, never after a refusal. */
export const retryPatiently: Schedule.Schedule<CallFault, CallFault> = backoff.pipe(
  Schedule.passthrough<Duration.Duration | [Duration.Duration, number] | unknown, CallFault, never>,
  Schedule.modifyDelay((fault, delay) => Duration.max(delay, retryRead(fault))),
  Schedule.whileInput(isTransientFault),
  Schedule.intersect(Schedule.recurs(mostRetries)),
  Schedule.map(([fault]) => fault)
)

/**
 * Tries by a schedule. Mostly the first try serves, of ten thousand and more: the schedule is set up only once one has
 * failed.
 */
export const retryPersistently = <A, E, R, Out>(
  work: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<Out, E>
): Effect.Effect<A, E, R> =>
  Effect.catchAll(work, (fault) => {
    let tried = false
    return Effect.suspend(() => {
      if (tried) return work
      tried = true
      return Effect.fail(fault)
    }).pipe(Effect.retry(schedule))
  })

/** How long the service asked to wait. */
export const retryRead = (fault: CallFault): Duration.Duration =>
  fault._tag === "SlowDown" && fault.retryAfter !== undefined
    ? Duration.millis(fault.retryAfter)
    : Duration.zero
