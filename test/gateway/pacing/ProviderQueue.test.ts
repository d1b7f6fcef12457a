import { expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"
import { InvalidResponse, SlowDown } from "../../../src/gateway/GatewayErrors.ts"
import { faultsToOpen } from "../../../src/gateway/pacing/CircuitBreaker.ts"
import { makeProviderQueue } from "../../../src/gateway/pacing/ProviderQueue.ts"
import { millis } from "../../../src/domain/time/Units.ts"

const limits = { concurrency: 2, perSecond: undefined }
const turns = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))

it.scopedLive("frees a slot only when its effect has ended, including finalizers", () =>
  Effect.gen(function* () {
    const lane = makeProviderQueue(
      { concurrency: 1, perSecond: undefined },
      Effect.succeed(true),
      yield* Effect.scope
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
      yield* Effect.scope
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
    const lane = makeProviderQueue(limits, Effect.succeed(true), yield* Effect.scope)
    expect(lane.isClear()).toBe(true)
    yield* lane.report(new SlowDown({ words: "later", retryAfter: millis(30_000) }))
    expect({ clear: lane.isClear(), ...lane.status() }).toEqual({
      clear: false,
      inFlight: 0,
      limit: 1,
      pausedUntil: 30_000
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
      yield* Effect.scope
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
