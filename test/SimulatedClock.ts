/** A clock that a test moves: it jumps to the next wake-up as soon as nothing else happens, without waiting. */
import { Clock, Duration, Effect, Fiber } from "effect"

interface Sleep {
  readonly at: number
  readonly wake: () => void
}

export interface SimulatedClock {
  readonly clock: Clock.Clock
  /** Simulated milliseconds. */
  readonly now: () => number
  /** Moves to the next wake-up, if any, and wakes whoever sleeps until then. */
  readonly jump: () => void
  /** Sets the time of day forward, or back, which changes no sleep. */
  readonly setTime: (milliseconds: number) => void
}

export const makeSimulatedClock = (start = 0): SimulatedClock => {
  let now = start
  /** Milliseconds by which the time of day is wrong. */
  let wrong = 0
  const sleeps = new Set<Sleep>()
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now + wrong,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(now * 1e6)),
    currentTimeMillis: Effect.sync(() => now + wrong),
    currentTimeNanos: Effect.sync(() => BigInt(Math.round(now * 1e6))),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleep = {
          at: now + Duration.toMillis(duration),
          wake: () => {
            resume(Effect.void)
          }
        }
        sleeps.add(sleep)
        return Effect.sync(() => sleeps.delete(sleep))
      })
  }
  return {
    clock,
    now: () => now,
    setTime: (milliseconds) => {
      wrong += milliseconds
    },
    jump: () => {
      if (sleeps.size === 0) return
      now = Math.max(now, Math.min(...Array.from(sleeps, ({ at }) => at)))
      for (const sleep of sleeps) {
        if (sleep.at > now) continue
        sleeps.delete(sleep)
        sleep.wake()
      }
    }
  }
}

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Whether nothing happens outside of simulated time: no file is in use, and no real timer runs. */
const isIdle = () =>
  !process.getActiveResourcesInfo().some((name) => /^(FSReq|Timeout|Immediate)/u.test(name))

/** How an effect runs in simulated time. */
interface SimulatedRun {
  /** It dies if it has not ended within this many turns of the event loop. */
  readonly maxTurns?: number
  /** Turns without a file in use before the clock jumps. */
  readonly idleTurns?: number
  /** Interrupts it once this is true. */
  readonly isStopped?: () => boolean
}

/** Runs an effect in simulated time. */
export const inSimulatedTime = <A, E, R>(
  { clock, jump }: SimulatedClock,
  effect: Effect.Effect<A, E, R>,
  { maxTurns = 2_000_000, idleTurns = 20, isStopped = () => false }: SimulatedRun = {}
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.withClock(effect, clock))
    let idle = 0
    let stopped = false
    for (let turns = 0; fiber.unsafePoll() === null; turns++) {
      if (turns > maxTurns) return yield* Effect.dieMessage("the run does not end")
      if (!stopped && isStopped()) {
        stopped = true
        yield* Fiber.interruptFork(fiber)
      }
      yield* turn
      idle = isIdle() ? idle + 1 : 0
      if (idle < idleTurns) continue
      idle = 0
      jump()
    }
    return yield* fiber
  })
