/** Accepted changes are delivered at once, one job at a time, and never lost. */
import { Deferred, Effect, Exit, Scope, TestClock, TestContext } from "effect"
import { expect, test } from "vitest"
import { makeDeliveries } from "../../../src/app/review/ReviewWork.ts"

/** Deliveries that a test ends: lists those begun, and ends the one in progress. */
const held = Effect.gen(function* () {
  const begun: Array<readonly [job: string, cues: ReadonlyArray<number>]> = []
  const ends: Array<Deferred.Deferred<string | undefined>> = []
  const deliveries = yield* makeDeliveries((job, cues) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<string | undefined>()
      begun.push([job, [...cues]])
      ends.push(end)
      return yield* Deferred.await(end)
    })
  )
  const end = (error?: string) =>
    Effect.suspend(() => {
      const last = ends.at(-1)
      return last === undefined ? Effect.void : Deferred.succeed(last, error)
    }).pipe(Effect.zipRight(TestClock.adjust("1 millis")))
  return { begun, deliveries, end }
})

const tried = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(effect.pipe(Effect.scoped, Effect.provide(TestContext.TestContext)))

test("delivers a change at once, and all that a job gets meanwhile together after it", () =>
  tried(
    Effect.gen(function* () {
      const { begun, deliveries, end } = yield* held
      for (const cue of [4, 3, 1, 3, 2]) {
        expect(yield* deliveries.request("film", [cue])).toEqual({ state: "delivering", ended: 0 })
        yield* TestClock.adjust("1 millis")
      }
      expect(begun).toEqual([["film", [4]]])
      yield* end()
      expect(begun).toEqual([
        ["film", [4]],
        ["film", [3, 1, 2]]
      ])
      yield* end()
      expect(deliveries.standing("film")).toEqual({ state: "delivered", ended: 2 })
      expect(deliveries.left()).toEqual([])
    })
  ))

test("delivers a change made during a delivery after it; jobs take turns", () =>
  tried(
    Effect.gen(function* () {
      const { begun, deliveries, end } = yield* held
      yield* deliveries.request("film", [1])
      yield* TestClock.adjust("1 millis")
      yield* deliveries.request("film", [2])
      yield* deliveries.request("trailer", [7])
      yield* TestClock.adjust("1 minute")
      expect(begun).toEqual([["film", [1]]])
      yield* end()
      expect(deliveries.standing("film"), "its second change is not yet delivered").toEqual({
        state: "delivering",
        ended: 1
      })
      yield* end()
      yield* end()
      expect(begun).toEqual([
        ["film", [1]],
        ["film", [2]],
        ["trailer", [7]]
      ])
      expect(["film", "trailer"].map(deliveries.standing)).toEqual([
        { state: "delivered", ended: 2 },
        { state: "delivered", ended: 1 }
      ])
    })
  ))

test("a failed delivery reports why, and the next one includes its changes", () =>
  tried(
    Effect.gen(function* () {
      const { begun, deliveries, end } = yield* held
      yield* deliveries.request("film", [1])
      yield* TestClock.adjust("1 millis")
      yield* end("the disk is full")
      expect(deliveries.standing("film")).toEqual({ state: "failed", ended: 1, words: "the disk is full" })
      expect(deliveries.left()).toEqual(["film"])
      yield* deliveries.request("film", [2])
      yield* TestClock.adjust("1 millis")
      expect(begun.at(-1)).toEqual(["film", [1, 2]])
    })
  ))

test("a delivery interrupted by the end of the review is reported as left", () =>
  tried(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      let interrupted = false
      const deliveries = yield* Scope.extend(
        makeDeliveries(() => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))),
        scope
      )
      yield* deliveries.request("film", [1])
      yield* TestClock.adjust("1 millis")
      yield* Scope.close(scope, Exit.void)
      expect([interrupted, deliveries.left()]).toEqual([true, ["film"]])
    })
  ))
