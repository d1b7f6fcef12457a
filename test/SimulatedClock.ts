/** A clock that a test moves: it jumps to the next wake-up as soon as nothing else happens, without waiting. */
import { Clock, Duration, Effect } from "effect"

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
}

export const makeSimulatedClock = (start = 0): SimulatedClock => {
  let now = start
  const sleeps = new Set<Sleep>()
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(now * 1e6)),
    currentTimeMillis: Effect.sync(() => now),
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

/** Turns of the event loop without a file in use, after which nothing is believed to happen before the next wake-up. */
const idleTurns = 20

/** Runs an effect in simulated time. Dies if it does not end within `maxTurns` turns of the event loop. */
export const inSimulatedTime = <A, E, R>(
  { clock, jump }: SimulatedClock,
  effect: Effect.Effect<A, E, R>,
  maxTurns = 2_000_000
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.withClock(effect, clock))
    let idle = 0
    for (let turns = 0; fiber.unsafePoll() === null; turns++) {
      if (turns > maxTurns) return yield* Effect.dieMessage("the run does not end")
      yield* turn
      idle = isIdle() ? idle + 1 : 0
      if (idle < idleTurns) continue
      idle = 0
      jump()
    }
    return yield* fiber
  })
