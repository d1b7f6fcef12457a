/** Engines that step in for each other: order, weights, limits, and the breaker that sets a failing engine aside. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import { millis, SampleRate } from "../../../src/domain/time/Units.ts"
import type { EngineUnavailable } from "../../../src/engines/Engine.ts"
import { type Engine, type Speech, SpeechFailed } from "../../../src/engines/Engine.ts"
import { resolveCatalogue } from "../../../src/service/catalogue/CatalogueResolver.ts"
import { EngineSet } from "../../../src/service/catalogue/EngineSet.ts"
import type { ServiceConfig } from "../../../src/service/config/ServiceConfig.ts"
import { maxPause } from "../../../src/service/failover/EngineRota.ts"
import { EngineRota, type SpeakTask } from "../../../src/service/failover/EngineRota.ts"
import { ServiceHealth } from "../../../src/service/failover/ServiceHealth.ts"
import { ServiceMetrics } from "../../../src/service/failover/ServiceMetrics.ts"

type Failure = EngineUnavailable | SpeechFailed
const failed = (reason: SpeechFailed["reason"]) => new SpeechFailed({ engine: "a", reason, detail: reason })
const speech: Speech = {
  _tag: "Pcm",
  rate: SampleRate.make(8_000),
  samples: new Int16Array(8),
  words: [],
  sentences: [{ text: "x", start: millis(0), end: millis(1) }]
}

/** Engines whose behaviour a test sets, and the names of those that were asked to speak. */
const bench = (names: ReadonlyArray<string>) => {
  const asked: Array<string> = []
  const behaviour = new Map<string, Effect.Effect<Speech, Failure>>()
  const engines = new Map(
    names.map((name): [string, Engine] => [
      name,
      {
        name,
        controls: ["rate"],
        voices: Effect.succeed([{ id: "v", name: "v", languages: ["en"] }]),
        check: Effect.void,
        speak: () =>
          Effect.suspend(() => {
            asked.push(name)
            return behaviour.get(name) ?? Effect.succeed(speech)
          })
      }
    ])
  )
  return { asked, behaviour, engines }
}

/** Runs a test with the provider `p`, whose engines are as the settings say. */
const withRota = <A>(
  { engines }: ReturnType<typeof bench>,
  entries: NonNullable<NonNullable<ServiceConfig["providers"]>[string]["engines"]>,
  run: (task: Effect.Effect<string, unknown>, rota: EngineRota) => Effect.Effect<A, unknown>
) =>
  Effect.gen(function* () {
    const offer = yield* resolveCatalogue({ providers: { p: { engines: entries } } }, (key) => ({
      voices: engines.has(key) ? [{ id: "v", name: "v", languages: ["en"] }] : undefined,
      controls: ["rate"]
    }))
    const rota = yield* EngineRota
    const provider = offer.providers.get("p")
    const voice = offer.voices.get("p-v")
    if (provider === undefined || voice === undefined) return yield* Effect.die("no provider")
    const work: SpeakTask<void, Failure, never> = (engine, { speakerOf }) =>
      Effect.asVoid(engine.speak({ text: "x", ...speakerOf("x"), rate: 1, volume: 1, pitch: 0 }))
    return yield* run(
      Effect.map(rota.speak(provider, voice, work), ({ engine }) => engine),
      rota
    )
  }).pipe(
    Effect.provide(
      EngineRota.Default.pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(EngineSet, engines),
            ServiceMetrics.Default,
            Layer.mock(ServiceHealth, {
              _tag: "service/Health",
              engine: () => Effect.succeed({ ready: true, reason: undefined }),
              isRoomy: () => true
            })
          )
        )
      )
    )
  )

const both = [{ engine: "a" }, { engine: "b" }] as const
const times = <A, E>(count: number, task: Effect.Effect<A, E>) =>
  Effect.all(Array.from({ length: count }, () => task))

describe("EngineRota", () => {
  it.effect.each(["quota", "crashed", "timeout", "busy", "bad-output"] as const)(
    "the next engine speaks after %s",
    (reason) =>
      Effect.gen(function* () {
        const tools = bench(["a", "b"])
        tools.behaviour.set("a", failed(reason))
        expect(yield* withRota(tools, both, (task) => task)).toBe("b")
        expect(tools.asked).toEqual(["a", "b"])
      })
  )

  it.effect.each(["refused", "too-long", "unknown-voice", "nothing-to-say"] as const)(
    "no other engine speaks after %s, which is a fault of the text",
    (reason) =>
      Effect.gen(function* () {
        const tools = bench(["a", "b"])
        tools.behaviour.set("a", failed(reason))
        expect(yield* Effect.flip(withRota(tools, both, (task) => task))).toMatchObject({ reason })
        expect(tools.asked).toEqual(["a"])
      })
  )

  it.effect(
    "an engine that keeps failing is set aside, tried by one task after a pause, and used again",
    () =>
      Effect.gen(function* () {
        const tools = bench(["a", "b"])
        tools.behaviour.set("a", failed("crashed"))
        yield* withRota(tools, both, (task) =>
          Effect.gen(function* () {
            yield* times(5, task)
            expect(tools.asked.filter((name) => name === "a")).toHaveLength(3)
            yield* TestClock.adjust("29 seconds")
            yield* task
            expect(tools.asked.filter((name) => name === "a")).toHaveLength(3)
            // Half open: while one task tries it, others use the next engine.
            const gate = yield* Deferred.make<void>()
            tools.behaviour.set("a", Effect.zipRight(Deferred.await(gate), failed("crashed")))
            yield* TestClock.adjust("1 second")
            const trial = yield* Effect.fork(task)
            yield* Effect.yieldNow()
            expect(yield* times(3, task)).toEqual(["b", "b", "b"])
            expect(tools.asked.filter((name) => name === "a")).toHaveLength(4)
            yield* Deferred.succeed(gate, undefined)
            expect(yield* Fiber.join(trial)).toBe("b")
            // The second pause is twice as long.
            tools.behaviour.delete("a")
            yield* TestClock.adjust("59 seconds")
            expect(yield* task).toBe("b")
            yield* TestClock.adjust("1 second")
            expect(yield* times(2, task)).toEqual(["a", "a"])
          })
        )
      })
  )

  it.effect("an interrupted trial leaves the engine to the next task", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "b"])
      tools.behaviour.set("a", failed("quota"))
      yield* withRota(tools, both, (task) =>
        Effect.gen(function* () {
          yield* task
          yield* TestClock.adjust("30 seconds")
          tools.behaviour.set("a", Effect.never)
          const trial = yield* Effect.fork(task)
          yield* Effect.yieldNow()
          yield* Fiber.interrupt(trial)
          tools.behaviour.delete("a")
          expect(yield* task).toBe("a")
        })
      )
    })
  )

  it.effect("a task waits if every engine is set aside, and the pause is bounded", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "b"])
      for (const name of ["a", "b"]) tools.behaviour.set(name, failed("quota"))
      yield* withRota(tools, both, (task) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(task)).toMatchObject({ reason: "quota" })
          expect(yield* Effect.flip(task)).toMatchObject({ _tag: "NoEngineLeft" })
          expect(tools.asked).toEqual(["a", "b"])
          for (let index = 0; index < 10; index++) {
            yield* TestClock.adjust(maxPause)
            yield* Effect.flip(task)
          }
          yield* TestClock.adjust(maxPause)
          tools.behaviour.clear()
          expect(yield* task).toBe("a")
        })
      )
    })
  )

  it.effect("a failure that may pass is reported rather than one that lasts", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "b"])
      tools.behaviour.set("a", failed("timeout"))
      tools.behaviour.set("b", failed("quota"))
      expect(yield* Effect.flip(withRota(tools, both, (task) => task))).toMatchObject({ reason: "timeout" })
    })
  )

  it.effect("engines of one order share tasks by weight; the next order is idle", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "b", "c"])
      const spoken = yield* withRota(
        tools,
        [{ engine: "a", order: 1, weight: 2 }, { engine: "b", order: 1 }, { engine: "c" }],
        (task) => times(30, task)
      )
      expect(spoken.filter((name) => name === "a")).toHaveLength(20)
      expect(spoken.filter((name) => name === "b")).toHaveLength(10)
    })
  )

  it.effect("each key has limits of its own, and a full one passes tasks to its peers", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "a SECOND"])
      const entries = [
        { engine: "a", order: 1, requestsPerMinute: 2 },
        { engine: "a", keyVariable: "SECOND", order: 1, requestsPerMinute: 3 }
      ] as const
      yield* withRota(tools, entries, (task) =>
        Effect.gen(function* () {
          expect([...(yield* times(5, task))].sort()).toEqual(["a", "a", "a-2", "a-2", "a-2"])
          // Both are full: the sixth waits for the minute's end.
          const sixth = yield* Effect.fork(task)
          yield* TestClock.adjust("59 seconds")
          expect(yield* Fiber.poll(sixth)).toMatchObject({ _tag: "None" })
          yield* TestClock.adjust("1 second")
          yield* Fiber.join(sixth)
        })
      )
    })
  )

  it.effect("no key speaks more tasks at once than it may", () =>
    Effect.gen(function* () {
      const tools = bench(["a", "b"])
      const gate = yield* Deferred.make<void>()
      for (const name of ["a", "b"]) tools.behaviour.set(name, Effect.as(Deferred.await(gate), speech))
      const entries = [
        { engine: "a", order: 1, concurrency: 1, weight: 100 },
        { engine: "b", order: 1, concurrency: 2 }
      ] as const
      yield* withRota(tools, entries, (task) =>
        Effect.gen(function* () {
          const running = yield* Effect.fork(
            Effect.all(
              Array.from({ length: 6 }, () => task),
              { concurrency: 6 }
            )
          )
          yield* TestClock.adjust("1 second")
          expect([...tools.asked].sort()).toEqual(["a", "b", "b"])
          yield* Deferred.succeed(gate, undefined)
          expect(yield* Fiber.join(running)).toHaveLength(6)
        })
      )
    })
  )
})

describe("Settings of several engines", () => {
  const resolve = (provider: NonNullable<ServiceConfig["providers"]>[string]) =>
    resolveCatalogue({ providers: { p: provider } }, (key) => ({
      voices: key.length > 1 ? undefined : [{ id: key === "a" ? "v" : "w", name: "v", languages: ["en"] }],
      controls: key === "b" ? [] : ["rate"]
    }))

  it.each([
    [{ engine: "a", engines: [{ engine: "a" }] }, "providers.p.engine: engines is also set"],
    [
      {
        engines: [
          { engine: "a", name: "x" },
          { engine: "b", name: "x" }
        ]
      },
      "two engines have the same name"
    ],
    [{ engines: [{ engine: "a" }, { engine: "b", voices: { "p-v": "u" } }] }, 'engine b has no voice "u"'],
    [
      { engines: [{ engine: "a" }, { engine: "b", voices: { "p-u": "w" } }] },
      'the provider has no voice "p-u"'
    ],
    [
      { engines: [{ engine: "a" }, { engine: "b" }], controls: { speed: { min: 1, max: 2, default: 1 } } },
      "not all of its engines support this control"
    ]
  ] as const)("%j", (provider, words) => {
    expect(Either.getOrThrow(Either.flip(resolve(provider))).message).toContain(words)
  })

  it("an engine without the voice is passed over, one with a mapped voice is not", () => {
    const { providers, voices } = Either.getOrThrow(
      resolve({ engines: [{ engine: "a" }, { engine: "b" }, { engine: "b", voices: { "*": "w" } }] })
    )
    const voice = voices.get("p-v")
    const speakers = providers
      .get("p")
      ?.engines.map(({ name, voiceFor }) => [name, voice && voiceFor(voice)?.speakerOf("x").voice])
    expect(speakers).toEqual([
      ["a", "v"],
      ["b", undefined],
      ["b-2", "w"]
    ])
  })
})
