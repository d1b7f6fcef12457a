/** What the bundled service offers with its default settings, known without starting it or an engine. */
import { Either } from "effect"
import type { Model, Voice } from "../../contract/ProviderCatalogue.ts"
import { espeakVoices, fliteVoices } from "../../engines/BundledVoices.ts"
import { resolveCatalogue } from "./CatalogueResolver.ts"
import { searchVoices } from "./VoiceSearch.ts"

const offer = () =>
  Either.getOrThrow(
    resolveCatalogue({}, (engine) => ({
      voices: engine === "flite" ? fliteVoices : espeakVoices,
      controls: ["rate", "volume", "pitch"]
    }))
  )

/** The bundled service's models and voices; undefined if it has no such provider. */
export const bundledCatalogue = (provider: string | undefined) => {
  const { providers, voices } = offer()
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
