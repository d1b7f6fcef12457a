/** Keeps the catalogue up to date with the engines' voices. */
import { type Context, Effect, Layer, Schedule } from "effect"
import { Catalogue } from "./Catalogue.ts"
import { type EngineFacts, resolveCatalogue } from "./CatalogueResolver.ts"
import { EngineSet } from "./EngineSet.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"

/**
 * Builds the catalogue. While any engine has not listed its voices, asks all engines again every 30 s until the scope
 * closes. Known voices stay, even if their engine does not respond to a later request.
 */
export const catalogueLayer = Layer.scoped(
  Catalogue,
  Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const engines = yield* EngineSet
    let facts = yield* factsOf(engines)
    let offer = yield* resolveCatalogue(config, (engine) => facts.get(engine) ?? nothingKnown)
    const again = Effect.gen(function* () {
      const before = facts
      facts = new Map(
        [...(yield* factsOf(engines))].map(([name, { voices, ...rest }]) => [
          name,
          { ...rest, voices: voices ?? before.get(name)?.voices }
        ])
      )
      offer = yield* resolveCatalogue(config, (engine) => facts.get(engine) ?? nothingKnown)
      return [...facts.values()].every(({ voices }) => voices !== undefined)
    }).pipe(
      Effect.catchAll((rejected) =>
        Effect.as(Effect.logWarning("the settings do not match an engine's voices", rejected.message), true)
      )
    )
    if ([...facts.values()].some(({ voices }) => voices === undefined))
      yield* Effect.forkScoped(
        Effect.repeat(again, { schedule: Schedule.spaced("30 seconds"), until: (known) => known })
      )
    return { offer: () => offer }
  })
)

const nothingKnown: EngineFacts = { voices: undefined, controls: [] }

/** Reads every engine's voices and controls. Voices are undefined if the engine fails or does not respond in 5 s. */
const factsOf = (engines: Context.Tag.Service<EngineSet>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(
      engines,
      ([name, engine]) =>
        engine.voices.pipe(
          Effect.timeoutFail({
            duration: "5 seconds",
            onTimeout: () => ({ message: "no response within 5 s" })
          }),
          Effect.catchAll((failure) =>
            Effect.logWarning("cannot list an engine's voices").pipe(
              Effect.annotateLogs({ engine: name, reason: failure.message }),
              Effect.as(undefined)
            )
          ),
          Effect.map((voices) => {
            const { controls, defaults } = engine
            return [name, { voices, controls, ...(defaults === undefined ? {} : { defaults }) }] as const
          })
        ),
      { concurrency: "unbounded" }
    )
    return new Map<string, EngineFacts>(found)
  })
