/** What the service offers: its providers with their rules, models and voices, each voice with the engine behind it. */
import { Context } from "effect"
import type { Model, Provider, ProviderFeatures, Voice } from "../../contract/ProviderCatalogue.ts"

/** A model with what it does to an engine. */
export interface ServedModel {
  readonly wire: Model
  readonly rate: number
  readonly pitch: number
}

/** A voice with what stands behind it. */
export interface ServedVoice {
  readonly wire: Voice
  /** The engine's voice for a text, and the text's language where the voice speaks several. */
  readonly speakerOf: (text: string) => { readonly voice: string; readonly language?: string }
  readonly rate: number
  readonly pitch: number
  readonly volume: number
}

/** A provider with its rules. */
export interface ServedProvider {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The engine's name in the settings. */
  readonly engine: string
  readonly concurrency: number
  readonly features: ProviderFeatures
  readonly models: readonly [ServedModel, ...ReadonlyArray<ServedModel>]
  readonly defaultModel: ServedModel
  readonly voices: ReadonlyArray<ServedVoice>
  /** False where its engine has not told its voices yet, and no voice is known without. */
  readonly complete: boolean
}

/** Everything the service offers. */
export interface Offer {
  /** In the order in which they are listed. */
  readonly providers: ReadonlyMap<string, ServedProvider>
  readonly voices: ReadonlyMap<string, ServedVoice>
}

/** What is offered now: it grows when an engine that could not tell its voices comes back. */
export class Catalogue extends Context.Tag("service/Catalogue")<
  Catalogue,
  { readonly offer: () => Offer }
>() {}

/** A provider as the interface lists it. */
export const wireProvider = (provider: ServedProvider, available: boolean): Provider => ({
  provider: provider.id,
  name: provider.name,
  description: provider.description,
  available,
  default_model_id: provider.defaultModel.wire.model_id,
  features: provider.features
})
