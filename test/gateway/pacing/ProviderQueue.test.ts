import { expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, TestClock } from "effect"
import { InvalidResponse, SlowDown } from "../../../src/gateway/GatewayErrors.ts"
import { faultsToOpen, makeProviderQueue } from "../../../src/gateway/pacing/ProviderQueue.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { settableClock } from "../../SettableClock.ts"

const limits = { concurrency: 2, perSecond: undefined }
const turns = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))

it.scopedLive("frees a slot only when its effect has ended, including finalizers", () =>
  Effect.gen(function* () {
    const lane = makeProviderQueue(
      { concurrency: 1, perSecond: undefined },
      Effect.succeed(true),
      yield* Effect.scope,
      yield* Effect.clock
    )
    let inside = 0
    let most = 0
    const held = Effect.acquireUseRelease(
      Effect.sync(() => (most = Math.max(most, ++inside))),
      () => Effect.sleep("20 millis"),
      () =>
        Effect.zipRight(
          Effect.sleep("20 millis"),
          Effect.sync(() => inside--)
        )
    )
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.fork(lane.inSlot(held)))
    yield* Effect.sleep("10 millis")
    // One running and two waiting effects are interrupted. None of them may admit another one too early, or keep a
    // slot.
    yield* Effect.forEach([0, 2, 3], (i) => Fiber.interruptFork(fibers[i] ?? Fiber.void))
    yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    expect({ most, inside }).toEqual({ most: 1, inside: 0 })
    expect(yield* lane.inSlot(Effect.succeed("free"))).toBe("free")
  })
)

it.scopedLive("runs higher priorities first", () =>
  Effect.gen(function* () {
    const lane = makeProviderQueue(
      { concurrency: 1, perSecond: undefined },
      Effect.succeed(true),
      yield* Effect.scope,
      yield* Effect.clock
    )
    const order: Array<string> = []
    const note = (name: string, priority: number) =>
      Effect.fork(
        lane.inSlot(
          Effect.sync(() => order.push(name)),
          priority
        )
      )
    const first = yield* Effect.fork(lane.inSlot(Effect.sleep("20 millis")))
    yield* turns
    const others = [yield* note("late", 0), yield* note("urgent", 1)]
    yield* Fiber.join(first)
    yield* Effect.forEach(others, (fiber) => Fiber.await(fiber))
    expect(order).toEqual(["urgent", "late"])
  })
)

it.scoped("waits as long as Retry-After says", () =>
  Effect.gen(function* () {
    const lane = makeProviderQueue(limits, Effect.succeed(true), yield* Effect.scope, yield* Effect.clock)
    expect(lane.isClear()).toBe(true)
    yield* lane.report(new SlowDown({ words: "later", retryAfter: millis(30_000) }))
    expect({ clear: lane.isClear(), ...lane.status() }).toEqual({
      clear: false,
      inFlight: 0,
      limit: 1,
      pausedFor: 30_000
    })
    const start = yield* Effect.fork(lane.clearance)
    yield* TestClock.adjust("29 seconds")
    expect(start.unsafePoll()).toBe(null)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(start)
    expect(lane.isClear()).toBe(true)
  })
)

it.scoped("sends nothing to a failing service until it has recovered", () =>
  Effect.gen(function* () {
    let well = false
    let probes = 0
    const lane = makeProviderQueue(
      limits,
      Effect.sync(() => (probes++, well)),
      yield* Effect.scope,
      yield* Effect.clock
    )
    const broken = new InvalidResponse({ words: "500" })
    for (let i = 1; i < faultsToOpen; i++) yield* lane.report(broken)
    yield* lane.report("answered")
    for (let i = 1; i < faultsToOpen; i++) yield* lane.report(broken)
    expect(lane.isClear()).toBe(true)
    yield* lane.report(broken)
    const start = yield* Effect.fork(lane.clearance)
    yield* TestClock.adjust("10 minutes")
    expect(start.unsafePoll()).toBe(null)
    // Each wait is up to twice the previous one, up to 2.4 s, after 1 s.
    expect(probes).toBeGreaterThan(170)
    expect(probes).toBeLessThan(240)
    well = true
    yield* TestClock.adjust(Duration.seconds(4))
    yield* Fiber.join(start)
    expect(lane.isClear()).toBe(true)
  })
)

it.scoped("waits for a pause, and between starts, no longer if the clock is set back meanwhile", () =>
  Effect.gen(function* () {
    const { clock, set } = yield* settableClock
    const scope = yield* Effect.scope
    const lane = makeProviderQueue(
      { concurrency: 1, perSecond: undefined },
      Effect.succeed(true),
      scope,
      clock
    )
    // One task at a time is still too fast: starts are also spaced out, by 100 ms.
    yield* lane.report(new SlowDown({ words: "later", retryAfter: millis(1_000) }))
    const started: Array<number> = []
    const start = Effect.zipRight(lane.clearance, Clock.currentTimeNanos).pipe(
      Effect.map((nanos) => started.push(Number(nanos) / 1e6)),
      Effect.withClock(clock)
    )
    for (const wait of [1_000, 100, 100]) {
      set(-5 * 3_600_000)
      expect(lane.status().pausedFor).toBe(started.length === 0 ? 1_000 : 0)
      yield* Effect.fork(start)
      yield* TestClock.adjust(wait)
    }
    expect(started).toEqual([1_000, 1_100, 1_200])
  })
)

it.scoped("starts a limited number per second, by priority, also if the clock is set back", () =>
  Effect.gen(function* () {
    const { clock, set } = yield* settableClock
    const scope = yield* Effect.scope
    const lane = makeProviderQueue({ concurrency: 4, perSecond: 2 }, Effect.succeed(true), scope, clock)
    const started: Array<readonly [string, number]> = []
    const start = (name: string, priority: number) =>
      Effect.map(Clock.currentTimeNanos, (nanos) => started.push([name, Number(nanos) / 1e6])).pipe(
        (work) => lane.inSlot(work, priority),
        Effect.fork
      )
    yield* start("first", 0)
    yield* TestClock.adjust(400)
    yield* start("second", 0)
    const withdrawn = yield* start("withdrawn", 2)
    yield* start("third", 0)
    yield* start("urgent", 1)
    yield* start("fourth", 0)
    yield* turns
    yield* Fiber.interrupt(withdrawn)
    set(-3_600_000)
    for (let i = 0; i < 30; i++) yield* TestClock.adjust(100)
    expect(started).toEqual([
      ["first", 0],
      ["second", 400],
      ["urgent", 1_001],
      ["third", 1_401],
      ["fourth", 2_002]
    ])
  })
)

it.scoped("starts fewer than one task per second", () =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const limit = { concurrency: 4, perSecond: 0.5 }
    const lane = makeProviderQueue(limit, Effect.succeed(true), scope, yield* Effect.clock)
    let started = 0
    const work = lane.inSlot(Effect.sync(() => started++))
    yield* Effect.fork(Effect.all([work, work, work], { concurrency: "unbounded" }))
    yield* turns
    expect(started).toBe(1)
    yield* TestClock.adjust("2 seconds")
    expect(started).toBe(1)
    yield* TestClock.adjust("1 millis")
    expect(started).toBe(2)
    yield* TestClock.adjust("2001 millis")
    expect(started).toBe(3)
  })
)
