import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { Progress } from "../../../src/pipeline/Progress.ts"
import { defaultSpeakSettings, SpeakConfig } from "../../../src/pipeline/speak/SpeakSettings.ts"
import { ServiceWatch } from "../../../src/pipeline/speak/services/ServiceWatch.ts"
import { SpeakCounters } from "../../../src/pipeline/speak/services/SpeakCounters.ts"
import { StopSignal } from "../../../src/pipeline/speak/services/StopSignal.ts"
import { gone } from "../StandIn.ts"

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
    const config = Layer.succeed(SpeakConfig, {
      ...defaultSpeakSettings,
      keys: [],
      profileOf: () => {
        throw new Error("not needed here")
      },
      utterances: 0
    })
    const parts = ServiceWatch.Default.pipe(
      Layer.provide(Layer.mergeAll(StopSignal.layer, SpeakCounters.Default)),
      Layer.provide(Layer.mergeAll(gone, progress, config))
    )
    return Effect.gen(function* () {
      const { timed } = yield* ServiceWatch
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
    }).pipe(Effect.provide(parts))
  }
)
