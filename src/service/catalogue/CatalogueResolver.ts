/** Resolves settings and engines to the catalogue: applies defaults, looks up voices, reports conflicts by path. */
import { Either, Schema } from "effect"
import { controlNames } from "../../domain/speech/Casting.ts"
import type { Engine, EngineVoice } from "../../engines/Engine.ts"
import type { Offer, ServedModel, ServedProvider, ServedVoice } from "./Catalogue.ts"
import { defaultProviders, plainProvider } from "../config/DefaultProviders.ts"
import { languageOf } from "../../script/language/LanguageGuess.ts"
import type {
  ModelSettings,
  ProviderSettings,
  ServiceConfig,
  VoiceSettings
} from "../config/ServiceConfig.ts"

/** The settings contradict themselves or the engines. Each problem starts with its path. */
export class CatalogueRejected extends Schema.TaggedError<CatalogueRejected>()("CatalogueRejected", {
  problems: Schema.NonEmptyArray(Schema.String)
}) {
  override get message(): string {
    return this.problems.join("\n")
  }
}

/** Returns the settings of every enabled provider: the built-in five, as the file changes them, then the others. */
export const providerSettings = (config: ServiceConfig): ReadonlyMap<string, ProviderSettings> => {
  const named = config.providers ?? {}
  const ids = new Set([...Object.keys(defaultProviders), ...Object.keys(named)])
  const settings = [...ids].map((id): readonly [string, ProviderSettings] => {
    const own = named[id] ?? {}
    const base = defaultProviders[id] ?? {}
    // Another engine has other voices: the default ones do not apply.
    const { voices, ...rest } = base
    const keepsVoices = own.engine === undefined || own.engine === base.engine
    return [
      id,
      { ...plainProvider, ...rest, ...(keepsVoices && voices !== undefined ? { voices } : {}), ...own }
    ]
  })
  return new Map(settings.filter(([, each]) => each.enabled !== false))
}

/** Returns the engines that providers use, by name, each with its maximum number of concurrent tasks. */
export const enginesNeeded = (config: ServiceConfig): ReadonlyMap<string, number> => {
  const needed = new Map<string, number>()
  for (const { engine = plainProvider.engine, concurrency = plainProvider.concurrency } of providerSettings(
    config
  ).values()) {
    needed.set(engine, (needed.get(engine) ?? 0) + concurrency)
  }
  return needed
}

/** What the catalogue needs to know about an engine. */
export interface EngineFacts {
  /** Undefined while unknown. */
  readonly voices: ReadonlyArray<EngineVoice> | undefined
  readonly controls: Engine["controls"]
  readonly defaults?: Engine["defaults"]
}

/** Builds the catalogue. `factsOf` looks up an engine by its name in the settings. */
export const resolveCatalogue = (
  config: ServiceConfig,
  factsOf: (engine: string) => EngineFacts
): Either.Either<Offer, CatalogueRejected> => {
  const problems: Array<string> = []
  const providers = new Map<string, ServedProvider>()
  const voices = new Map<string, ServedVoice>()
  for (const [id, settings] of providerSettings(config)) {
    const provider = resolveProvider(id, settings, config.providers?.[id] ?? {}, factsOf, problems)
    providers.set(id, provider)
    for (const voice of provider.voices) {
      const other = voices.get(voice.wire.voice_id)
      if (other !== undefined) {
        problems.push(
          `providers.${id}.voices: voice id "${voice.wire.voice_id}" is already used by ${other.wire.provider}; voice ids are part of URLs and must be unique, choose another`
        )
      }
      voices.set(voice.wire.voice_id, voice)
    }
  }
  const [first, ...others] = problems
  return first === undefined
    ? Either.right({ providers, voices })
    : Either.left(new CatalogueRejected({ problems: [first, ...others] }))
}

const resolveProvider = (
  id: string,
  settings: ProviderSettings,
  own: ProviderSettings,
  factsOf: (engine: string) => EngineFacts,
  problems: Array<string>
): ServedProvider => {
  const engine = settings.engine ?? plainProvider.engine
  const { voices: known, controls: heeded, defaults } = factsOf(engine)
  for (const control of controlNames) {
    if (own.controls?.[control] !== undefined && !heeded.includes(behindControl[control])) {
      problems.push(
        `providers.${id}.controls.${control}: engine ${engine} does not support this control; remove it`
      )
    }
  }
  const named = settings.voices === "all" ? undefined : settings.voices
  const voices =
    named === undefined
      ? (known ?? [])
          // Only base voices: their variants number in the thousands.
          .filter((voice) => !voice.id.includes("+"))
          .map((voice) => engineVoice(id, settings.voicePrefix ?? `${id}-`, voice))
      : named.map((voice, index) =>
          namedVoice(id, voice, `providers.${id}.voices[${index}]`, engine, known, problems)
        )
  const languages = [...new Set(voices.flatMap((voice) => voice.wire.languages))].sort()
  // A built-in provider's models and description are those of its own engine.
  const offered =
    defaults === undefined ? settings : { ...own, models: own.models ?? [modelNamed(defaults.model)] }
  const [firstModel, ...otherModels] = offered.models ?? [{ id: `${id}-1` }]
  const price = defaults?.creditsPerCharacter
  const models = [
    servedModel(id, firstModel, languages, price),
    ...otherModels.map((model) => servedModel(id, model, languages, price))
  ] as const
  const wanted = offered.defaultModel
  const defaultModel =
    wanted === undefined ? models[0] : models.find((model) => model.wire.model_id === wanted)
  if (defaultModel === undefined) {
    problems.push(
      `providers.${id}.defaultModel: unknown model "${wanted}"; expected one of ${models.map((model) => model.wire.model_id).join(", ")}`
    )
  }
  if (new Set(models.map((model) => model.wire.model_id)).size < models.length) {
    problems.push(`providers.${id}.models: two models have the same id; make the ids unique`)
  }
  const minCharacters = settings.minCharacters ?? 0
  const maxCharacters =
    own.maxCharacters ??
    Math.min(settings.maxCharacters ?? plainProvider.maxCharacters, defaults?.maxCharacters ?? Infinity)
  if (minCharacters > maxCharacters) {
    problems.push(
      `providers.${id}.minCharacters: ${minCharacters} is more than maxCharacters (${maxCharacters}); lower it`
    )
  }
  return {
    id,
    name: settings.name ?? id,
    description: offered.description ?? "",
    engine,
    concurrency: settings.concurrency ?? plainProvider.concurrency,
    features: {
      transcript: settings.transcript ?? "none",
      srt_input: settings.srtInput ?? false,
      min_characters: minCharacters,
      max_characters: maxCharacters,
      controls: Object.fromEntries(
        // A default control does not apply if the engine does not support it.
        controlNames.flatMap((control) => {
          const range = settings.controls?.[control]
          return range !== undefined && heeded.includes(behindControl[control]) ? [[control, range]] : []
        })
      )
    },
    models,
    defaultModel: defaultModel ?? models[0],
    voices,
    complete: named !== undefined || known !== undefined
  }
}

/** Models have a name that is safe in URLs. */
const modelNamed = (name: string): ModelSettings => ({ id: name.replace(/[^A-Za-z0-9._+-]+/gu, "-"), name })

/** The engine's name for each control. */
const behindControl = { speed: "rate", vol: "volume", pitch: "pitch" } as const

const servedModel = (
  provider: string,
  model: ModelSettings,
  languages: ReadonlyArray<string>,
  price = 1
): ServedModel => ({
  wire: {
    model_id: model.id,
    name: model.name ?? model.id,
    provider,
    description: model.description ?? "",
    languages: model.languages ?? languages,
    credits_per_character: model.creditsPerCharacter ?? price
  },
  rate: model.rate ?? 1,
  pitch: model.pitch ?? 0
})

const engineVoice = (provider: string, prefix: string, voice: EngineVoice): ServedVoice => ({
  wire: {
    voice_id: `${prefix}${voice.id}`,
    name: voice.name,
    provider,
    languages: voice.languages,
    ...(voice.gender === undefined ? {} : { gender: voice.gender }),
    description: ""
  },
  speakerOf: () => ({ voice: voice.id }),
  rate: 1,
  pitch: 0,
  volume: 1
})

const namedVoice = (
  provider: string,
  settings: VoiceSettings,
  path: string,
  engine: string,
  known: ReadonlyArray<EngineVoice> | undefined,
  problems: Array<string>
): ServedVoice => {
  const behind = typeof settings.voice === "string" ? [settings.voice] : Object.values(settings.voice)
  // A variant such as vi+f3 exists if its base voice does.
  const found = behind.map((id) =>
    known?.find((voice) => voice.id === id || voice.id === id.replace(/\+.*$/u, ""))
  )
  behind.forEach((id, index) => {
    if (known !== undefined && found[index] === undefined) {
      problems.push(`${path}.voice: engine ${engine} has no voice "${id}"; use one of its voices`)
    }
  })
  if (behind.length === 0) problems.push(`${path}.voice: expected at least one language`)
  return {
    wire: {
      voice_id: settings.id,
      name: settings.name ?? settings.id,
      provider,
      languages:
        settings.languages ??
        (typeof settings.voice === "string" ? (found[0]?.languages ?? []) : Object.keys(settings.voice)),
      ...(settings.gender === undefined ? {} : { gender: settings.gender }),
      description: settings.description ?? ""
    },
    speakerOf: speakerOf(settings.voice),
    rate: settings.rate ?? 1,
    pitch: settings.pitch ?? 0,
    volume: settings.volume ?? 1
  }
}

const speakerOf = (voice: VoiceSettings["voice"]): ServedVoice["speakerOf"] => {
  if (typeof voice === "string") return () => ({ voice })
  const languages = Object.keys(voice)
  return (text) => {
    const language = languageOf(text, languages)
    return { voice: voice[language] ?? "", language }
  }
}
