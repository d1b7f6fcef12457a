/** A slot is granted once and freed once, whatever happens between the request and the wait for it. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, type Scheduler, Utils } from "effect"
import { makeProviderQueue } from "../../../src/gateway/pacing/ProviderQueue.ts"

/** Yields to other fibers before one step in 25, pseudorandomly. */
const restless = (): Scheduler.Scheduler => {
  const chance = new Utils.PCGRandom(7)
  return {
    shouldYield: () => (chance.number() < 0.04 ? 0 : false),
    scheduleTask: (task) => queueMicrotask(task)
  }
}

/** Three fibers repeatedly request one of two slots; one of them is interrupted. */
const crowded = (hold: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    let inside = 0
    let most = 0
    let done = 0
    const work = Effect.acquireUseRelease(
      Effect.sync(() => {
        most = Math.max(most, ++inside)
      }),
      () =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => done++)
        ),
      () => Effect.sync(() => inside--)
    )
    const rounds = 300
    for (let round = 0; round < rounds; round++) {
      const [one, other, third] = yield* Effect.all([
        Effect.fork(hold(work)),
        Effect.fork(hold(work)),
        Effect.fork(hold(work))
      ])
      yield* Fiber.interruptFork(round % 2 === 0 ? other : third)
      yield* Effect.forEach([one, other, third], Fiber.await)
    }
    expect(done).toBeGreaterThanOrEqual(2 * rounds)
    // Both slots are free again.
    yield* hold(hold(Effect.void))
    expect(most).toBe(2)
  }).pipe(Effect.withScheduler(restless()))

it.scopedLive("grants and frees each slot of a provider queue once", () =>
  Effect.gen(function* () {
    const limits = { concurrency: 2, perSecond: undefined }
    const lane = makeProviderQueue(limits, Effect.succeed(true), yield* Effect.scope, yield* Effect.clock)
    yield* crowded((work) => lane.inSlot(work))
  })
)
