import { expect, it } from "@effect/vitest"
import { Context, Duration, Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { Progress, silent } from "../../../src/pipeline/Progress.ts"
import { defaultSpeakSettings, SpeakConfig } from "../../../src/pipeline/speak/SpeakSettings.ts"
import { ServiceWatch } from "../../../src/pipeline/speak/services/ServiceWatch.ts"
import { SpeakCounters } from "../../../src/pipeline/speak/services/SpeakCounters.ts"
import { StopSignal } from "../../../src/pipeline/speak/services/StopSignal.ts"
import { settableClock } from "../../SettableClock.ts"
import { gone } from "../StandIn.ts"

const config = Layer.succeed(SpeakConfig, {
  ...defaultSpeakSettings,
  patience: "2 minutes",
  keys: [],
  profileOf: () => {
    throw new Error("not needed here")
  },
  utterances: 0
})

/** Watches a service that is unreachable. */
const watching = (progress: Layer.Layer<Progress>) =>
  ServiceWatch.Default.pipe(
    Layer.provideMerge(Layer.mergeAll(StopSignal.layer, SpeakCounters.Default)),
    Layer.provide(Layer.mergeAll(gone, progress, config))
  )

it.scoped(
  "warns once a minute of audio that takes longer than 15 seconds, until it arrives or is given up",
  () => {
    const told: Array<string> = []
    const progress = Layer.succeed(Progress, {
      emit: (event) =>
        Effect.sync(() => {
          // The unreachable service of this test is reported, too.
          if (event._tag === "Warning" && event.message.includes("audio")) told.push(event.message)
        })
    })
    const parts = watching(progress)
    return Effect.gen(function* () {
      const { timed, explain } = yield* ServiceWatch
      const audio = yield* Deferred.make<string>()
      const fetch = (label: string) => Effect.fork(timed(label, Deferred.await(audio)))
      const first = yield* fetch("ep1 #1")
      yield* TestClock.adjust("14 seconds")
      const second = yield* fetch("ep1 #2")
      expect(told).toEqual([])
      yield* TestClock.adjust("6 seconds")
      const word = (label: string) =>
        `${label}: its audio has not arrived after 15s; a stalled download is retried`
      expect(told).toEqual([word("ep1 #1")])
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("65 seconds")
      expect(told).toEqual([word("ep1 #1"), word("ep1 #2")])
      yield* Deferred.succeed(audio, "arrived")
      expect(yield* Fiber.join(second)).toBe("arrived")
      yield* TestClock.adjust("2 minutes")
      expect(told).toHaveLength(2)
      // A wait that the service asks for is the reason.
      const last = yield* Effect.fork(timed("ep1 #3", Effect.never))
      yield* TestClock.adjust("1 second")
      explain("ep1 #3", "the audio's URL returned HTTP 429; waits 3,600 s, as the service asks")
      yield* TestClock.adjust("19 seconds")
      expect(told[2]).toBe("ep1 #3: the audio's URL returned HTTP 429; waits 3,600 s, as the service asks")
      yield* Fiber.interrupt(last)
    }).pipe(Effect.provide(parts))
  }
)

it.scoped("has patience with one wait that the service asks for", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(watching(silent))
    const { asked } = Context.get(context, ServiceWatch)
    const { halted } = Context.get(context, StopSignal)
    yield* TestClock.adjust("1 minute")
    asked(Duration.hours(1))
    yield* TestClock.adjust("60 minutes")
    expect(halted()).toBe(undefined)
    asked(Duration.hours(1))
    yield* TestClock.adjust("2 minutes")
    expect(halted()).toMatchObject({ words: expect.stringContaining("no request succeeded for 1h 2m") })
  })
)

it.scoped("stops a run without a success when its patience has passed, however the clock is set", () =>
  Effect.gen(function* () {
    const { clock, set } = yield* settableClock
    const context = yield* Effect.withClock(Layer.build(watching(silent)), clock)
    const { halted } = Context.get(context, StopSignal)
    set(5 * 3_600_000)
    yield* TestClock.adjust("110 seconds")
    expect(halted()).toBe(undefined)
    set(-10 * 3_600_000)
    yield* TestClock.adjust("10 seconds")
    expect(halted()).toEqual({
      reason: "unreachable",
      words: "no request succeeded for 2m; all work is saved; run again when the service is back"
    })
  })
)
