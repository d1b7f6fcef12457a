/**
 * The queue of one provider's tasks. It limits tasks in flight and starts per second, orders by priority, slows down
 * when rate-limited, and stops while the service is failing.
 *
 * A slot is freed only when the effect that holds it has ended, including its finalizers.
 */
import { type Clock, Deferred, Duration, Effect, FiberId, Schedule, type Scope } from "effect"
import PQueue from "p-queue"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import type { CallFault } from "../GatewayErrors.ts"
import { increase, fullConcurrency, type AdaptiveConcurrency, decrease } from "./AdaptiveConcurrency.ts"

/** Limits of a provider queue. */
export interface ProviderQueueLimits {
  /** Maximum tasks in flight. */
  readonly concurrency: number
  /** Maximum starts within one second. Undefined: no limit. */
  readonly perSecond: number | undefined
}

export type ProviderQueue = ReturnType<typeof makeProviderQueue>

/** Delays between probes while the service is failing, besides the 1 s before each: it is used again within 4 s. */
const probing = Schedule.exponential("1 second", 2).pipe(
  Schedule.union(Schedule.spaced("2 seconds")),
  Schedule.jittered
)

/** Consecutive failures that open the circuit breaker: starts wait until a probe succeeds. */
export const faultsToOpen = 5

/** Pause in milliseconds after a rate-limited request without Retry-After. */
const usualPause = 500

/**
 * Makes a provider queue. `probe` returns whether the service has recovered; it runs in the scope while the breaker is
 * open. Waits are measured by the steady time of `clock`, so setting the time of day does not change them.
 */
export const makeProviderQueue = (
  limits: ProviderQueueLimits,
  probe: Effect.Effect<boolean>,
  scope: Scope.Scope,
  clock: Clock.Clock
) => {
  const queue = new PQueue({ concurrency: limits.concurrency })
  const countStart = startLimit(queue, limits.perSecond, scope, clock)
  const now = () => steadyMillis(clock)
  let pace: AdaptiveConcurrency = fullConcurrency(limits.concurrency)
  let faults = 0
  let recovered: Deferred.Deferred<void> | undefined
  let pausedUntil = 0
  let lastStart = 0

  const setPace = (next: AdaptiveConcurrency) => {
    pace = next
    const window = Math.floor(pace.window)
    if (queue.concurrency !== window) queue.concurrency = window
  }

  /** Pauses starts until the service has recovered. */
  const trip = Effect.gen(function* () {
    const repair = yield* Deferred.make<void>()
    recovered = repair
    yield* probe.pipe(
      Effect.delay("1 second"),
      Effect.repeat(Schedule.recurUntil((well: boolean) => well).pipe(Schedule.zipLeft(probing))),
      Effect.zipRight(
        Effect.suspend(() => {
          faults = 0
          recovered = undefined
          return Deferred.succeed(repair, undefined)
        })
      ),
      Effect.forkIn(scope)
    )
  })

  /** Reports the result of a create. */
  const report = (how: "taken" | "answered" | CallFault): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isFault = how !== "taken" && how !== "answered"
      if (isFault && how._tag === "SlowDown") {
        setPace(decrease(pace, now()))
        pausedUntil = Math.max(pausedUntil, now() + (how.retryAfter ?? usualPause))
        return Effect.void
      }
      if (how === "taken") setPace(increase(pace, limits.concurrency))
      faults = isFault && how._tag !== "Refused" ? faults + 1 : 0
      return faults >= faultsToOpen && recovered === undefined ? trip : Effect.void
    })

  /** Waits until a create may be sent: after a requested pause, the gap between starts, and an open breaker. */
  const clearance: Effect.Effect<void> = Effect.suspend(() => {
    if (recovered !== undefined) return Effect.zipRight(Deferred.await(recovered), clearance)
    const wait = Math.max(pausedUntil, lastStart + pace.gap) - now()
    if (wait > 0) return Effect.zipRight(Effect.sleep(Duration.millis(wait)), clearance)
    lastStart = now()
    pausedUntil = 0
    return Effect.void
  })

  /**
   * Runs an effect in a slot; higher priorities run first. The slot is freed once: also if the effect is interrupted
   * while it is granted.
   */
  const inSlot = <A, E, R>(effect: Effect.Effect<A, E, R>, priority = 0): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const granted = Deferred.unsafeMake<void>(FiberId.none)
      let free = (): void => undefined
      let isOver = false
      const started = () =>
        new Promise<void>((ended) => {
          if (isOver) return ended()
          free = ended
          countStart()
          Deferred.unsafeDone(granted, Effect.void)
        })
      void queue.add(started, { priority })
      const over = Effect.sync(() => {
        isOver = true
        free()
      })
      return Effect.ensuring(restore(Effect.zipRight(Deferred.await(granted), effect)), over)
    })

  return {
    inSlot,
    clearance,
    /** Returns whether `clearance` would not wait. */
    isClear: () => recovered === undefined && pausedUntil === 0 && pace.gap === 0,
    report,
    status: () => ({
      inFlight: queue.pending,
      limit: queue.concurrency,
      /** Milliseconds until starts resume; 0 if they are not paused, or if they are paused until a probe succeeds. */
      pausedFor: recovered === undefined ? Math.max(0, pausedUntil - now()) : 0
    })
  }
}

/**
 * Pauses the queue after `perSecond` starts within one second; a fraction becomes one start in a longer interval. The
 * interval option of p-queue compares times of day: after they are set back by an hour, it waits for an hour. Call the
 * result at each start.
 */
const startLimit = (
  queue: PQueue,
  perSecond: number | undefined,
  scope: Scope.Scope,
  clock: Clock.Clock
): (() => void) => {
  if (perSecond === undefined) return () => undefined
  let left = Math.max(1, Math.floor(perSecond))
  // A timer may end up to 1 ms early.
  const interval = Duration.millis(Math.ceil((left / perSecond) * 1000) + 1)
  const regain = Effect.map(clock.sleep(interval), () => {
    left++
    queue.start()
  })
  return () => {
    if (--left === 0) queue.pause()
    Effect.runFork(regain, { scope })
  }
}
