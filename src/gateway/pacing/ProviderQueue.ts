/**
 * The way of one provider's tasks to the service: so many in flight, so many starts a second, the urgent first, slower
 * where the service asks for it, halted while it is out of order. A slot is free again only when the effect that held
 * it has ended, its finalizers included.
 */
import { Clock, Deferred, Duration, Effect, Schedule, type Scope } from "effect"
import PQueue from "p-queue"
import { type Breaker, recordFailure, closedBreaker, isOpen, recordSuccess } from "./CircuitBreaker.ts"
import type { CallFault } from "../GatewayErrors.ts"
import { increase, fullConcurrency, type AdaptiveConcurrency, decrease } from "./AdaptiveConcurrency.ts"
import { type Free, holdSlot, Pending } from "./Slots.ts"

/** Limits of a lane. */
export interface ProviderQueueLimits {
  /** Tasks in flight at once. */
  readonly concurrency: number
  /** Starts in any one second; absent means no limit. */
  readonly perSecond: number | undefined
}

/** How a lane stands. */
export interface ProviderQueueStatus {
  readonly inFlight: number
  readonly limit: number
  /**
   * When starts go on, in milliseconds since 1970; 0 where they are not held back, or until the service is in order
   * again.
   */
  readonly heldUntil: number
}

/** A provider's lane. */
export interface ProviderQueue {
  /** Runs an effect in a slot; higher priorities go first. */
  readonly inSlot: <A, E, R>(effect: Effect.Effect<A, E, R>, priority?: number) => Effect.Effect<A, E, R>
  /** Waits until a create may be sent: past the pause asked for, the pace's gap and an open breaker. */
  readonly clearance: Effect.Effect<void>
  /** Whether there is nothing to wait for. */
  readonly isClear: () => boolean
  /** Tells the lane how a create went. */
  readonly told: (how: "taken" | "answered" | CallFault) => Effect.Effect<void>
  readonly status: Effect.Effect<ProviderQueueStatus>
}

/** How long the service is left alone before it is looked at again. */
const probing = Schedule.exponential("2 seconds", 2).pipe(
  Schedule.union(Schedule.spaced("1 minute")),
  Schedule.jittered
)

/** How long a service that asks to slow down without saying how long is left alone, in milliseconds. */
const usualPause = 500

/**
 * Makes a lane. `probe` succeeds when the service is in order again; it is asked while the breaker is open.
 */
export const makeProviderQueue = (
  limits: ProviderQueueLimits,
  probe: Effect.Effect<boolean>
): Effect.Effect<ProviderQueue, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = new PQueue({ concurrency: limits.concurrency, ...startsPerSecond(limits.perSecond) })
    const scope = yield* Effect.scope
    let pace: AdaptiveConcurrency = fullConcurrency(limits.concurrency)
    let breaker: Breaker = closedBreaker
    let mended: Deferred.Deferred<void> | undefined
    let heldUntil = 0
    let lastStart = 0

    const setPace = (next: AdaptiveConcurrency) => {
      pace = next
      const window = Math.floor(pace.window)
      if (queue.concurrency !== window) queue.concurrency = window
    }

    /** Halts starts until the service is in order again. */
    const trip = Effect.gen(function* () {
      const repair = yield* Deferred.make<void>()
      mended = repair
      yield* probe.pipe(
        Effect.delay("1 second"),
        Effect.repeat(Schedule.recurUntil((well: boolean) => well).pipe(Schedule.zipLeft(probing))),
        Effect.zipRight(
          Effect.sync(() => {
            breaker = closedBreaker
            mended = undefined
          })
        ),
        Effect.zipRight(Deferred.succeed(repair, undefined)),
        Effect.forkIn(scope)
      )
    })

    const taken = Effect.sync(() => {
      setPace(increase(pace, limits.concurrency))
      breaker = recordSuccess(breaker)
    })

    const told = (how: "taken" | "answered" | CallFault): Effect.Effect<void> => {
      if (how === "taken") return taken
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (how === "answered" || how._tag === "Refused") {
          breaker = recordSuccess(breaker)
          return Effect.void
        }
        if (how._tag === "SlowDown") {
          setPace(decrease(pace, now))
          heldUntil = Math.max(heldUntil, now + (how.retryAfter ?? usualPause))
          return Effect.void
        }
        breaker = recordFailure(breaker)
        return isOpen(breaker) && mended === undefined ? trip : Effect.void
      })
    }

    const clearance: Effect.Effect<void> = Effect.suspend(() => {
      if (mended !== undefined) return Effect.zipRight(Deferred.await(mended), clearance)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        // A clock that jumped must not hold starts back for longer than was ever asked for.
        const pause = Math.min(heldUntil - now, 3_600_000)
        const gap = Math.min(lastStart + pace.gap - now, pace.gap)
        const wait = Math.max(pause, gap)
        if (wait > 0) return Effect.zipRight(Effect.sleep(Duration.millis(wait)), clearance)
        lastStart = now
        heldUntil = 0
        return Effect.void
      })
    })

    return {
      inSlot: (effect, priority = 0) => holdSlot(() => slotOf(queue, priority), effect),
      clearance,
      isClear: () => mended === undefined && heldUntil === 0 && pace.gap === 0,
      told,
      status: Effect.sync(() => ({
        inFlight: queue.pending,
        limit: queue.concurrency,
        heldUntil: mended === undefined ? heldUntil : 0
      }))
    }
  })

/** p-queue counts whole starts an interval: a fraction a second becomes one start in a longer interval. */
const startsPerSecond = (perSecond: number | undefined) => {
  if (perSecond === undefined) return {}
  const intervalCap = Math.max(1, Math.floor(perSecond))
  return { intervalCap, interval: (intervalCap / perSecond) * 1000, strict: true }
}

/** A slot, now or when one is free. */
const slotOf = (queue: PQueue, priority: number): Free | Pending => {
  const slot = new Pending()
  const started = () =>
    new Promise<void>((free) => {
      if (!slot.give(free)) free()
    })
  void queue.add(started, { priority })
  return slot.free ?? slot
}
