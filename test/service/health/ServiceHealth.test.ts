/** Caching and timeouts of health checks and voice lists; the rate limiter's clock. */
import { tmpdir } from "node:os"
import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, HashMap, Layer, Option, TestClock } from "effect"
import type { Engine } from "../../../src/engines/Engine.ts"
import { EngineUnavailable } from "../../../src/engines/Engine.ts"
import { RateLimiter } from "../../../src/service/accounts/RateLimiter.ts"
import { Catalogue } from "../../../src/service/catalogue/Catalogue.ts"
import { catalogueLayer } from "../../../src/service/catalogue/CatalogueRefresh.ts"
import { EngineSet } from "../../../src/service/catalogue/EngineSet.ts"
import type { ServiceConfig } from "../../../src/service/config/ServiceConfig.ts"
import { ServiceOptions } from "../../../src/service/config/ServiceOptions.ts"
import { ServiceHealth } from "../../../src/service/failover/ServiceHealth.ts"
import { DataFolder } from "../../../src/service/storage/DataFolder.ts"
import { type FileStore, folderStore } from "../../../src/service/storage/FileStore.ts"
import { Replica } from "../../../src/service/storage/Replica.ts"

const away = new EngineUnavailable({ engine: "far", detail: "away" })

const engine = (how: Partial<Engine>): Engine => ({
  name: "far",
  controls: [],
  voices: Effect.succeed([]),
  speak: () => away,
  check: Effect.void,
  ...how
})

/** Builds a part of a service with the given engines and settings. */
const built = <A, E>(
  part: Layer.Layer<A, E, EngineSet | ServiceOptions | DataFolder | FileStore | Replica>,
  engines: ReadonlyArray<readonly [string, Engine]>,
  config: ServiceConfig
) =>
  Layer.build(
    part.pipe(
      Layer.provide(Layer.succeed(EngineSet, new Map(engines))),
      Layer.provide(Layer.succeed(ServiceOptions, { host: "127.0.0.1", port: 0, config, candid: false })),
      Layer.provide(Layer.succeed(Replica, { id: "only", sharing: undefined })),
      Layer.provide(folderStore),
      Layer.provide(Layer.succeed(DataFolder, { path: tmpdir(), durable: false }))
    )
  )

it.scoped("callers wait 1 s for a hanging engine, which is reported unavailable after 10 s", () =>
  Effect.gen(function* () {
    let asked = 0
    const check = Effect.suspend(() => (++asked === 1 ? Effect.void : Effect.never))
    const part = built(ServiceHealth.Default, [["far", engine({ check })]], { limits: { freeDisk: 0 } })
    const health = Context.get(yield* part, ServiceHealth)
    expect(yield* health.engine("far")).toEqual({ ready: true, reason: undefined })
    yield* TestClock.adjust("11 seconds")
    const waiting = yield* Effect.fork(health.engine("far"))
    const leaving = yield* Effect.fork(health.engine("far"))
    yield* TestClock.adjust("500 millis")
    yield* Fiber.interrupt(leaving)
    yield* TestClock.adjust("500 millis")
    expect(Option.map(yield* Fiber.poll(waiting), (exit) => exit._tag)).toEqual(Option.some("Success"))
    expect(yield* Fiber.join(waiting)).toEqual({ ready: true, reason: undefined })
    yield* TestClock.adjust("9 seconds")
    expect(yield* health.engine("far")).toEqual({ ready: false, reason: "no response within 10 s" })
    expect(asked).toBe(2)
  })
)

it.scoped("a request that waits for another one's check keeps its own span and annotations", () =>
  Effect.gen(function* () {
    const check = Effect.sleep("1 second")
    const part = built(ServiceHealth.Default, [["far", engine({ check })]], { limits: { freeDisk: 0 } })
    const health = Context.get(yield* part, ServiceHealth)
    const request = (name: string) =>
      Effect.zipRight(
        health.engine("far"),
        Effect.all([
          Effect.map(Effect.currentSpan, (span) => span.name),
          Effect.map(Effect.spanAnnotations, HashMap.toEntries),
          Effect.map(Effect.logAnnotations, HashMap.toEntries)
        ])
      ).pipe(
        Effect.withSpan(name),
        Effect.annotateSpans("utterance", name),
        Effect.annotateLogs("utterance", name)
      )
    const both = yield* Effect.fork(
      Effect.all([request("first"), request("second")], { concurrency: "unbounded" })
    )
    yield* TestClock.adjust("1 second")
    const of = (name: string) => [name, [["utterance", name]], [["utterance", name]]]
    expect(yield* Fiber.join(both)).toEqual([of("first"), of("second")])
  })
)

it.scoped("an engine that may be slow to start is unavailable only after its own time", () =>
  Effect.gen(function* () {
    const check = Effect.sleep("59 seconds")
    const part = built(
      ServiceHealth.Default,
      [
        ["slow", engine({ check, checkWithin: 60 })],
        ["slower", engine({ check, checkWithin: 58 })]
      ],
      { limits: { freeDisk: 0 } }
    )
    const health = Context.get(yield* part, ServiceHealth)
    const slow = yield* Effect.fork(health.engine("slow"))
    const slower = yield* Effect.fork(health.engine("slower"))
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(slow)).toEqual({ ready: true, reason: undefined })
    expect(yield* Fiber.join(slower)).toEqual({ ready: false, reason: "no response within 58 s" })
  })
)

it.scoped("an engine is checked again before its result is too old, and nobody waits for that", () =>
  Effect.gen(function* () {
    let asked = 0
    const check = Effect.suspend(() =>
      ++asked === 1 ? Effect.void : Effect.zipRight(Effect.sleep("3 seconds"), away)
    )
    const part = built(ServiceHealth.Default, [["far", engine({ check })]], { limits: { freeDisk: 0 } })
    const { engine: healthOf } = Context.get(yield* part, ServiceHealth)
    const well = { ready: true, reason: undefined }
    expect(yield* healthOf("far")).toEqual(well)
    yield* TestClock.adjust("4 seconds")
    expect([yield* healthOf("far"), asked]).toEqual([well, 1])
    yield* TestClock.adjust("2 seconds")
    expect([yield* healthOf("far"), yield* healthOf("far")]).toEqual([well, well])
    yield* TestClock.adjust("3 seconds")
    expect([yield* healthOf("far"), asked]).toEqual([{ ready: false, reason: away.message }, 2])
  })
)

it.scoped("known voices stay while another engine is asked again", () =>
  Effect.gen(function* () {
    let asked = 0
    const near = engine({
      voices: Effect.suspend(() =>
        ++asked === 2 ? Effect.fail(away) : Effect.succeed([{ id: "one", name: "One", languages: [] }])
      )
    })
    let there = false
    const far = engine({ voices: Effect.suspend(() => (there ? Effect.succeed([]) : Effect.fail(away))) })
    const off = { enabled: false }
    const part = built(
      catalogueLayer,
      [
        ["near", near],
        ["far", far]
      ],
      {
        engines: {
          near: { kind: "flite" },
          far: { kind: "flite" }
        },
        providers: {
          provider_expressive: off,
          provider_fast: off,
          provider_lowcost: off,
          provider_native: { engine: "near", voicePrefix: "near-" },
          provider_opensource: { engine: "far" }
        }
      }
    )
    const catalogue = Context.get(yield* part, Catalogue)
    const complete = () => [...catalogue.offer().providers.values()].map((provider) => provider.complete)
    expect(complete()).toEqual([true, false])
    yield* TestClock.adjust("1 second")
    expect(asked).toBe(2)
    expect([...catalogue.offer().voices.keys()]).toEqual(["near-one"])
    expect(complete()).toEqual([true, false])
    there = true
    yield* TestClock.adjust("30 seconds")
    expect(complete()).toEqual([true, true])
  })
)

it.scoped("the rate limiter ignores changes of the system time", () =>
  Effect.gen(function* () {
    const real = Clock.make()
    const steady = yield* real.currentTimeNanos
    let day = 1_000_000_000
    const moved: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      sleep: (duration) => real.sleep(duration),
      unsafeCurrentTimeMillis: () => day,
      currentTimeMillis: Effect.sync(() => day),
      unsafeCurrentTimeNanos: () => steady,
      currentTimeNanos: Effect.succeed(steady)
    }
    const part = built(RateLimiter.Default, [], { limits: { requestsPerSecond: 1 } })
    const limiter = Context.get(yield* Effect.withClock(part, moved), RateLimiter)
    const count = limiter.take({ id: 1, key: 1, requestsPerSecond: undefined })
    expect(yield* count).toMatchObject({ wait: 0 })
    day -= 3_600_000
    expect(yield* count).toMatchObject({ wait: 0 })
  })
)
