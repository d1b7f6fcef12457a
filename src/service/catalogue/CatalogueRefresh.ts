/** What is offered, kept up to date with what the engines can do. */
import { Effect, Schedule } from "effect"
import { type EngineFacts, resolveCatalogue } from "./CatalogueResolver.ts"
import type { EngineSet } from "./EngineSet.ts"
import type { ServiceConfig } from "../config/ServiceConfig.ts"

/**
 * The catalogue of what is offered. Engines that tell no voices now are asked again from time to time, until the scope
 * closes; what one has told stays, also where it does not answer when others are asked again.
 */
export const refreshCatalogue = (config: ServiceConfig, engines: EngineSet) =>
  Effect.gen(function* () {
    let facts = yield* factsOf(engines)
    let offer = yield* resolveCatalogue(config, (engine) => facts.get(engine) ?? nothingKnown)
    const again = Effect.gen(function* () {
      const before = facts
      facts = new Map(
        [...(yield* factsOf(engines))].map(([name, { voices, controls }]) => [
          name,
          { voices: voices ?? before.get(name)?.voices, controls }
        ])
      )
      offer = yield* resolveCatalogue(config, (engine) => facts.get(engine) ?? nothingKnown)
      return [...facts.values()].every(({ voices }) => voices !== undefined)
    }).pipe(
      Effect.catchAll((rejected) =>
        Effect.as(Effect.logWarning("the settings do not fit an engine's voices", rejected.message), true)
      )
    )
    if ([...facts.values()].some(({ voices }) => voices === undefined)) {
      yield* Effect.forkScoped(
        Effect.repeat(again, { schedule: Schedule.spaced("30 seconds"), until: (known) => known })
      )
    }
    return { offer: () => offer }
  })

const nothingKnown: EngineFacts = { voices: undefined, controls: [] }

/** What every engine can do; its voices are unknown where it does not answer now. */
const factsOf = (engines: EngineSet) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      engines,
      ([name, engine]) =>
        engine.voices.pipe(
          Effect.timeoutFail({
            duration: "5 seconds",
            onTimeout: () => ({ message: "it does not answer" })
          }),
          Effect.catchAll((failure) =>
            Effect.logWarning("an engine tells no voices").pipe(
              Effect.annotateLogs({ engine: name, reason: failure.message }),
              Effect.as(undefined)
            )
          ),
          Effect.map((voices) => [name, { voices, controls: engine.controls }] as const)
        ),
      { concurrency: "unbounded" }
    )
    return new Map<string, EngineFacts>(found)
  })
