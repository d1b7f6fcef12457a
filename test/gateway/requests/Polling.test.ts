import { expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { type Estimate, learn } from "../../../src/domain/values/Estimate.ts"
import { TaskId } from "../../../src/domain/values/Ids.ts"
import { InvalidResponse, Refused, Vanished } from "../../../src/gateway/GatewayErrors.ts"
import { LatencyEstimator, pollPlan, pollUntilSettled } from "../../../src/gateway/requests/Polling.ts"
import type { DoneTask, TaskSnapshot } from "../../../src/gateway/exchange/TaskSnapshot.ts"
import { chance } from "../../hostile/Chance.ts"

const task = TaskId.make("t")
const done: DoneTask = {
  _tag: "Done",
  task,
  audio: "a",
  srt: undefined,
  json: undefined,
  label: undefined,
  seconds: undefined,
  took: undefined,
  engine: undefined
}
const waiting: TaskSnapshot = { _tag: "Waiting", label: undefined }

/** A poll of a task that is done this many milliseconds from now. */
const doneAfter = (time: number) =>
  Effect.map(Clock.currentTimeMillis, (from) =>
    Effect.map(Clock.currentTimeMillis, (now): TaskSnapshot => (now - from >= time ? done : waiting))
  )

/** Runs on the test clock, which jumps from the end of one wait to the next. */
const inTime = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust(0)
    while (fiber.unsafePoll() === null) {
      const sleeps = yield* TestClock.sleeps()
      yield* TestClock.setTime(Math.min(...sleeps))
    }
    return yield* Fiber.join(fiber)
  })

/** Polls per task, and the mean time from done to noticed, after the service's latency was learned. */
const learned = (times: (random: () => number) => number) =>
  Effect.gen(function* () {
    const random = chance(5)
    const how = new LatencyEstimator()
    let usual: Estimate | undefined
    let looks = 0
    let late = 0
    const [before, count] = [60, 100]
    for (let i = 0; i < before + count; i++) {
      const time = times(random)
      const from = yield* Clock.currentTimeMillis
      const look = yield* doneAfter(time)
      const settled = yield* inTime(pollUntilSettled(look, task, pollPlan(usual, 60), from))
      usual = learn(usual, how.learnedFrom(settled, yield* Clock.currentTimeMillis))
      if (i < before) continue
      looks += settled.looks
      late += settled.doneAt - time
    }
    return { looks: looks / count, late: late / count }
  })

// The test clock is slow with many polls in sequence, so they run in parallel.
const besideOthers = { concurrent: true }

it.effect(
  "polls tasks of 400 ms about twice, and notices them within 5 % of their time",
  () =>
    Effect.gen(function* () {
      const { looks, late } = yield* learned(() => 400)
      expect(looks).toBeLessThanOrEqual(2.5)
      expect(late).toBeLessThanOrEqual(20)
    }),
  besideOthers
)

it.effect(
  "polls tasks of varying latency as rarely, and loses time in proportion",
  () =>
    Effect.gen(function* () {
      const { looks, late } = yield* learned((random) => 200 + random() * 400)
      expect(looks).toBeLessThanOrEqual(2.5)
      expect(late).toBeLessThanOrEqual(120)
    }),
  besideOthers
)

it.effect("learns from the service's own clock if it is reported", () =>
  Effect.sync(() => {
    const times = new LatencyEstimator()
    const settled = { done, undoneAt: 100, doneAt: 900, looks: 2 }
    expect([410, 50, 5_000].map((took) => times.learnedFrom({ ...settled, took }, 0))).toEqual([
      410, 100, 900
    ])
    expect(times.learnedFrom({ ...settled, took: undefined }, 0)).toBe(500)
  })
)

it.effect("retries failed polls, and fails with the task's error", () =>
  Effect.gen(function* () {
    const plan = { first: 100, step: 100, growth: 1.5, deadline: 60_000 }
    const sights: Array<Effect.Effect<TaskSnapshot, InvalidResponse | Vanished>> = [
      new InvalidResponse({ words: "reset" }),
      new Vanished({ task }),
      Effect.succeed(waiting),
      new Vanished({ task }),
      Effect.succeed({ _tag: "GivenUp", words: "no voice", lasting: true })
    ]
    const look = Effect.suspend(() => sights.shift() ?? Effect.succeed(waiting))
    const fault = yield* Effect.flip(inTime(pollUntilSettled(look, task, plan, 0)))
    expect(fault).toMatchObject({ _tag: "FailedAtService", task, words: "no voice", lasting: true })
  })
)

it.effect("treats a task as vanished if it stays unknown, and fails at the deadline", () =>
  Effect.gen(function* () {
    const plan = { first: 100, step: 100, growth: 1.5, deadline: 60_000 }
    let looks = 0
    const gone = Effect.suspend(() => (looks++, new Vanished({ task })))
    expect(yield* Effect.flip(inTime(pollUntilSettled(gone, task, plan, 0)))).toMatchObject({
      _tag: "Vanished"
    })
    expect(looks).toBeGreaterThanOrEqual(4)
    expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(8_000)
    const now = yield* Clock.currentTimeMillis
    expect(
      yield* Effect.flip(inTime(pollUntilSettled(Effect.succeed(waiting), task, plan, now)))
    ).toMatchObject({
      _tag: "NeverSettled",
      waited: 60_000
    })
    const muddled = new InvalidResponse({ words: "not JSON" })
    const untold = yield* Effect.flip(
      inTime(pollUntilSettled(muddled, task, plan, yield* Clock.currentTimeMillis))
    )
    expect(untold.message).toMatch(/within 60 s: no usable response from the service: not JSON$/u)
    expect(
      yield* Effect.flip(inTime(pollUntilSettled(new Refused({ reason: "key", words: "no" }), task, plan, 0)))
    ).toMatchObject({ _tag: "Refused", reason: "key" })
  })
)

it.effect("polls a task of an earlier run at once", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 hour")
    const fiber = yield* Effect.fork(
      pollUntilSettled(Effect.succeed<TaskSnapshot>(done), task, pollPlan(undefined, 60), 0)
    )
    yield* TestClock.adjust(0)
    expect((yield* Fiber.join(fiber)).looks).toBe(1)
  })
)
