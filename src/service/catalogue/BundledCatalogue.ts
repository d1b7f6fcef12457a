/** The catalogue of the bundled service, available without starting it or an engine. */
import { Either } from "effect"
import type { Model, Voice } from "../../contract/ProviderCatalogue.ts"
import { espeakVoices, fliteVoices } from "../../engines/BundledVoices.ts"
import type { EngineVoice } from "../../engines/Engine.ts"
import type { ServiceConfig } from "../config/ServiceConfig.ts"
import { resolveCatalogue } from "./CatalogueResolver.ts"
import { searchVoices } from "./VoiceSearch.ts"

/** The settings, and the voices of the engine `neural`. */
interface BundledSettings {
  readonly config: ServiceConfig
  readonly neural: ReadonlyArray<EngineVoice>
}

const offer = ({ config, neural }: BundledSettings) =>
  Either.getOrThrow(
    resolveCatalogue(config, (engine) =>
      engine === "neural"
        ? { voices: neural, controls: ["rate"] }
        : { voices: engine === "flite" ? fliteVoices : espeakVoices, controls: ["rate", "volume", "pitch"] }
    )
  )

/** The bundled service's models and voices; undefined if it has no such provider. */
export const bundledCatalogue = (provider: string | undefined, settings: BundledSettings) => {
  const { providers, voices } = offer(settings)
  if (provider !== undefined && !providers.has(provider)) return undefined
  return {
    models: [...providers.values()]
      .filter(({ id }) => provider === undefined || id === provider)
      .flatMap(({ models }) => models.map(({ wire }): Model => wire)),
    /** The voices that match a search. */
    voices: (search: string | undefined): ReadonlyArray<Voice> =>
      searchVoices([...voices.values()], provider, search)
  }
}
