/** The limits of one engine or key: tasks at once, and requests in a minute. */
import { Effect } from "effect"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import type { Engine } from "../../engines/Engine.ts"

/** Limits in use. */
export interface EngineLimits {
  /** Whether a task could start now without waiting. */
  readonly free: Effect.Effect<boolean>
  /** Runs a task's work within the limit of tasks at once. */
  readonly hold: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The engine, whose requests wait so that no minute has more than the limit. */
  readonly engine: Engine
}

const minute = 60_000

/** Limits an engine. */
export const limitEngine = (
  engine: Engine,
  concurrency: number,
  requestsPerMinute: number
): Effect.Effect<EngineLimits> =>
  Effect.map(Effect.makeSemaphore(concurrency), (slots) => {
    /** When each request of the last minute started, or will; oldest first. */
    let starts: Array<number> = []
    let held = 0
    const now = Effect.map(Effect.clock, steadyMillis)
    /** Returns the milliseconds until the next request may start. */
    const waitAt = (at: number): number => {
      starts = starts.filter((start) => start > at - minute)
      const blocking = starts[starts.length - requestsPerMinute]
      return blocking === undefined ? 0 : blocking + minute - at
    }
    const turn = Effect.flatMap(now, (at) => {
      const wait = waitAt(at)
      starts.push(at + wait)
      return Effect.sleep(wait)
    })
    return {
      free: Effect.map(now, (at) => held < concurrency && waitAt(at) === 0),
      hold: (work) =>
        slots.withPermits(1)(
          Effect.acquireUseRelease(
            Effect.sync(() => held++),
            () => work,
            () => Effect.sync(() => held--)
          )
        ),
      engine:
        requestsPerMinute === Infinity
          ? engine
          : { ...engine, speak: (request) => Effect.zipRight(turn, engine.speak(request)) }
    }
  })
