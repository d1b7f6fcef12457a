/** A slot is given once and freed once, whatever comes in between the wish for it and the wait. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, type Scheduler, Utils } from "effect"
import { makeProviderQueue } from "../../../src/gateway/pacing/ProviderQueue.ts"
import { Slots } from "../../../src/gateway/pacing/Slots.ts"

/** Gives others a turn before one step of a fiber in 25, as if by chance. */
const restless = (): Scheduler.Scheduler => {
  const chance = new Utils.PCGRandom(7)
  return {
    shouldYield: () => (chance.number() < 0.04 ? 0 : false),
    scheduleTask: (task) => queueMicrotask(task)
  }
}

/** Three who want one of two slots, over and over; one of them is stopped on its way. */
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

it.scopedLive("of so many slots", () => crowded(new Slots(2).hold))

it.scopedLive("of a lane", () =>
  Effect.flatMap(makeProviderQueue({ concurrency: 2, perSecond: undefined }, Effect.succeed(true)), (lane) =>
    crowded((work) => lane.inSlot(work))
  )
)
