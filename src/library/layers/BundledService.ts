/** The bundled service: its settings and its voices, with the neural voices that the user has installed. */
import { Effect, Array } from "effect"
import { neuralProvider, primaryLanguage, VoiceId } from "../../domain/values/Ids.ts"
import type { EngineVoice } from "../../engines/Engine.ts"
import { sherpaAdvice, sherpaPackages } from "../../engines/neural/SherpaPackage.ts"
import { installedVoices, type InstalledVoice } from "../../engines/voices/InstalledVoices.ts"
import type { LocalVoices } from "../../pipeline/plan/SpeechAccess.ts"
import { neuralConfig, neuralPrefix, neuralPrice } from "../../service/config/NeuralProvider.ts"
import type { ServiceConfig } from "../../service/config/ServiceConfig.ts"
import { espeakAdvice, espeakPackage } from "../../engines/EspeakPackage.ts"
import { voiceCatalogue } from "../../engines/voices/VoiceCatalogue.ts"
import { megabytes } from "../../engines/voices/VoiceFault.ts"
import { defaultProviders, plainProvider } from "../../service/config/DefaultProviders.ts"
import { embeddedTraits, embeddedVoices, fliteVoicesFor } from "../../service/config/EmbeddedVoice.ts"

export interface BundledService {
  readonly config: ServiceConfig
  readonly local: LocalVoices
  /** Its providers besides the built-in five. */
  readonly providers: ReadonlyArray<string>
  /** Its neural voices, as their engine lists them. */
  readonly neural: ReadonlyArray<EngineVoice>
}

/** Reads which neural voices are installed. Without sherpa-onnx, they are left out. */
export const bundledService: Effect.Effect<BundledService> = Effect.map(installedVoices, (installed) => {
  const isUsable = installed.length > 0 && sherpaPackages().length > 0
  const neural = isUsable ? speakersOf(installed) : []
  const advice = installed.length > 0 && !isUsable ? sherpaAdvice : undefined
  return {
    config: neural.length > 0 ? neuralConfig : {},
    local: localVoices(neural, advice, isUsable ? faultsOf(installed) : Effect.succeed(new Map())),
    providers: neural.length > 0 ? [neuralProvider] : [],
    neural
  }
})

/** The neural voices that cannot speak, by their ids in this service: why, and what to do. */
const faultsOf = (installed: ReadonlyArray<InstalledVoice>): LocalVoices["unusable"] =>
  Effect.gen(function* () {
    const { unusableVoices } = yield* Effect.promise(() => import("../../engines/voices/UnusableVoices.ts"))
    const entries = (yield* unusableVoices(installed)).flatMap(({ record: { id, speakers }, fault }) =>
      speakers.map((speaker) => {
        const voice = neuralPrefix + speaker.id
        const advice = `mend its files, or run dubwright voices remove ${id}`
        return [voice, `${voice} cannot speak: ${fault}; ${advice}`] as const
      })
    )
    return new Map(entries)
  })

/** Voices with the fewest languages come first, because they are made for these languages. */
const speakersOf = (installed: ReadonlyArray<InstalledVoice>): ReadonlyArray<EngineVoice> =>
  installed
    .toSorted((one, other) => one.record.languages.length - other.record.languages.length)
    .flatMap(({ record }) => record.speakers)
    .map(({ gender, ...speaker }) => (gender === undefined ? speaker : { ...speaker, gender }))

/** The providers that an installation without eSpeak NG lacks. */
const withoutEspeak = Object.entries(defaultProviders).flatMap(([provider, { engine }]) =>
  (engine ?? plainProvider.engine) === "espeak"
    ? [
        [
          provider,
          `${provider} speaks with eSpeak NG, which is not installed; run ${espeakAdvice}, or use provider_opensource for English`
        ] as const
      ]
    : []
)

/**
 * Returns the voices of the bundled service for jobs that name none: an installed neural voice of the language, else
 * Flite without eSpeak NG, else eSpeak NG. `advice` tells how to get neural voices to speak, `faults` which of them
 * cannot, by their ids here.
 */
const localVoices = (
  neural: ReadonlyArray<EngineVoice>,
  advice: string | undefined,
  faults: LocalVoices["unusable"]
): LocalVoices => {
  const speaking = (language: string | undefined) => {
    if (language === undefined) return []
    const exact = neural.filter(({ languages }) => languages.includes(language))
    return exact.length > 0
      ? exact
      : neural.filter(({ languages }) =>
          languages.some((tag) => primaryLanguage(tag) === primaryLanguage(language))
        )
  }
  const voicesFor: LocalVoices["voicesFor"] = (language) => {
    const own = speaking(language).map(({ id }) => ({
      provider: neuralProvider,
      voice: VoiceId.make(neuralPrefix + id)
    }))
    const flite = espeakPackage() === undefined ? fliteVoicesFor(language) : []
    const first = own.length > 0 ? own : flite
    return Array.isNonEmptyReadonlyArray(first) ? first : embeddedVoices(language)
  }
  return {
    voicesFor,
    traitsOf: ({ provider, voice }) => {
      if (provider === undefined || voice === undefined) return undefined
      return provider === neuralProvider
        ? neural.find(({ id }) => neuralPrefix + id === voice)
        : embeddedTraits(provider, voice)
    },
    offers: ({ provider, voice }) => {
      if (provider === neuralProvider) return neural.some(({ id }) => neuralPrefix + id === voice)
      const voices = defaultProviders[provider]?.voices
      return typeof voices === "object" && voices.some(({ id }) => id === voice)
    },
    unusable: Effect.map(
      faults,
      (found) => new Map([...found, ...(espeakPackage() === undefined ? withoutEspeak : [])])
    ),
    unread: Effect.map(
      Effect.promise(() => import("./UnreadTexts.ts")),
      ({ unreadText }) =>
        (casting, part, whole) =>
          unreadText(casting, part, whole, neural)
    ),
    // Without a model, the provider's first one counts, as in the service's settings.
    priceOf: ({ provider, model }) => {
      if (provider === neuralProvider) return neuralPrice
      const models = defaultProviders[provider]?.models
      const chosen = model === undefined ? models?.[0] : models?.find(({ id }) => id === model)
      return chosen === undefined ? undefined : (chosen.creditsPerCharacter ?? 1)
    },
    remarks: (languages) =>
      languages.flatMap((language) => {
        if (language === undefined) return []
        const own = speaking(language)
        const [{ voice, mute }] = voicesFor(language)
        if (mute !== undefined) return []
        if (own.length > 0) return [`${voice}, a neural voice on this machine, speaks ${language}`]
        const better = voiceCatalogue.find(
          ({ proposed, languages }) =>
            proposed && languages.some((tag) => primaryLanguage(tag) === primaryLanguage(language))
        )
        const next =
          advice ??
          (better === undefined
            ? undefined
            : `for a neural voice, run dubwright voices add ${better.id} (${megabytes(better.bytes)})`)
        return next === undefined ? [] : [`${voice}, a simple synthetic voice, speaks ${language}; ${next}`]
      })
  }
}
