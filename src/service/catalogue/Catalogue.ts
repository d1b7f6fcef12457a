/** The service's catalogue: providers with their rules, models and voices, and the engine's voice behind each voice. */
import { Context } from "effect"
import type { Model, Provider, ProviderFeatures, Voice } from "../../contract/ProviderCatalogue.ts"

/** A model, with the rate and pitch that it sets on the engine. */
export interface ServedModel {
  readonly wire: Model
  readonly rate: number
  readonly pitch: number
}

/** A voice, with the engine's voice behind it. */
export interface ServedVoice {
  readonly wire: Voice
  /** The ids of the engine's voices that speak it. */
  readonly behind: ReadonlyArray<string>
  /** Returns the engine's voice for a text, and the text's language if the voice speaks several. */
  readonly speakerOf: (text: string) => { readonly voice: string; readonly language?: string }
  readonly rate: number
  readonly pitch: number
  readonly volume: number
}

/** An engine of a provider. */
export interface ServedEngine {
  /** Its key in the `EngineSet`. */
  readonly key: string
  /** Its name in tasks and metrics. */
  readonly name: string
  readonly order: number
  readonly weight: number
  readonly concurrency: number
  readonly requestsPerMinute: number
  /** Returns a voice as this engine speaks it. Undefined if the engine has no such voice. */
  readonly voiceFor: (voice: ServedVoice) => ServedVoice | undefined
}

/** A provider with its rules. */
export interface ServedProvider {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Its engines, by order. The first one's voices and models are offered. */
  readonly engines: readonly [ServedEngine, ...ReadonlyArray<ServedEngine>]
  readonly concurrency: number
  readonly features: ProviderFeatures
  readonly models: readonly [ServedModel, ...ReadonlyArray<ServedModel>]
  readonly defaultModel: ServedModel
  readonly voices: ReadonlyArray<ServedVoice>
  /** False while the provider's voices come from an engine that has not listed them yet. */
  readonly complete: boolean
}

/** Everything the service offers. */
export interface Offer {
  /** In listing order. */
  readonly providers: ReadonlyMap<string, ServedProvider>
  readonly voices: ReadonlyMap<string, ServedVoice>
}

/** The current offer. It grows when an engine that could not list its voices becomes available. */
export class Catalogue extends Context.Tag("service/Catalogue")<
  Catalogue,
  { readonly offer: () => Offer }
>() {}

/** Converts a provider to the API's resource. */
export const wireProvider = (provider: ServedProvider, available: boolean): Provider => ({
  provider: provider.id,
  name: provider.name,
  description: provider.description,
  available,
  default_model_id: provider.defaultModel.wire.model_id,
  features: provider.features
})
