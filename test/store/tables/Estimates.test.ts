import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Estimate } from "../../../src/domain/values/Estimate.ts"
import { ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Estimates } from "../../../src/store/tables/Estimates.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const provider = ProviderId.make("a provider with spaces")
const casting = Casting.make({ provider, voice: VoiceId.make("v 1") })

it.scopedLive("keeps estimates from run to run", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const run = <A, E>(work: (learned: Estimates) => Effect.Effect<A, E>) =>
      Effect.flatMap(Estimates, work).pipe(
        Effect.provide(Estimates.Default.pipe(Layer.provide(writableState(folder))))
      )
    const figures = (learned: Estimates) => ({
      settle: learned.settleTime(provider, 60),
      other: learned.settleTime(provider, 600),
      speech: learned.speechTime(casting)?.mean,
      price: learned.price(casting)?.mean,
      longest: learned.longest(provider)
    })
    expect(yield* run((learned) => Effect.sync(() => figures(learned)))).toEqual({
      settle: undefined,
      other: undefined,
      speech: undefined,
      price: undefined,
      longest: undefined
    })
    const before = yield* run((learned) =>
      Effect.gen(function* () {
        for (const time of [400, 420, 380]) learned.settled(provider, 60, time)
        learned.spoke(casting, 100, 6_000)
        learned.paid(casting, 100, 150)
        for (const length of [3_000, 2_000, 2_500]) learned.refusedLength(provider, length)
        return figures(learned)
      })
    )
    expect(before).toEqual({
      settle: Estimate.make({ count: 3, mean: 400, spread: 50 }),
      other: undefined,
      speech: 60,
      price: 1.5,
      longest: 1_999
    })
    expect(yield* run((learned) => Effect.sync(() => figures(learned)))).toEqual(before)
  })
)

it.scopedLive("is not skewed by a machine that slept, and follows a service that got slower", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const learned = yield* Estimates
      const usual = () => learned.settleTime(provider, 60)?.mean ?? 0
      const hours = 2 * 3_600_000
      learned.settled(provider, 60, hours)
      expect(usual()).toBeLessThanOrEqual(10_000)
      for (let task = 0; task < 10; task++) learned.settled(provider, 60, 400)
      for (let task = 0; task < 8; task++) learned.settled(provider, 60, hours)
      expect(usual()).toBeLessThanOrEqual(15_000)
      for (let task = 0; task < 30; task++) learned.settled(provider, 60, 120_000)
      expect(usual()).toBeGreaterThan(100_000)
    }).pipe(Effect.provide(Estimates.Default.pipe(Layer.provide(writableState(folder)))))
  })
)
