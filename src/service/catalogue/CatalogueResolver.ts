/** Resolves settings and engines to the catalogue: applies defaults, looks up voices, reports conflicts by path. */
import { Either, Schema } from "effect"
import { controlNames } from "../../domain/speech/Casting.ts"
import type { Engine, EngineVoice } from "../../engines/Engine.ts"
import type { ServedProvider, ServedVoice } from "./Catalogue.ts"
import { defaultProviders, plainProvider } from "../config/DefaultProviders.ts"
import type {
  ModelSettings,
  ProviderSettings,
  ServiceConfig,
  VoiceSettings
} from "../config/ServiceConfig.ts"
import {
  engineProblems,
  idsIn,
  type NamedEngine,
  namedEngines,
  servedEngine,
  speakerOf,
  voiceNamed
} from "./ProviderEngines.ts"

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
    const given = named[id] ?? {}
    // The models, controls and voices are those of the first engine.
    const own = given.engines === undefined ? given : { ...given, engine: given.engines[0].engine }
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

/** An engine that providers use, and its maximum number of concurrent tasks. */
export type NeededEngine = Pick<NamedEngine, "engine" | "keyVariable" | "concurrency">

/** Returns the engines that providers use, by their keys. */
export const enginesNeeded = (config: ServiceConfig): ReadonlyMap<string, NeededEngine> => {
  const needed = new Map<string, NeededEngine>()
  for (const { key, engine, keyVariable, concurrency } of [...providerSettings(config).values()].flatMap(
    namedEngines
  )) {
    const others = needed.get(key)?.concurrency ?? 0
    needed.set(key, { engine, keyVariable, concurrency: others + concurrency })
  }
  return needed
}

/** The facts about an engine that the catalogue uses. */
export interface EngineFacts {
  /** Undefined while unknown. */
  readonly voices: ReadonlyArray<EngineVoice> | undefined
  readonly controls: Engine["controls"]
  readonly defaults?: Engine["defaults"]
}

/** Builds the catalogue. `factsOf` looks up an engine by its key. */
export const resolveCatalogue = (config: ServiceConfig, factsOf: (engine: string) => EngineFacts) => {
  const problems: Array<string> = []
  const providers = new Map<string, ServedProvider>()
  const voices = new Map<string, ServedVoice>()
  for (const [id, settings] of providerSettings(config)) {
    const provider = resolveProvider(id, settings, config.providers?.[id] ?? {}, factsOf, problems)
    providers.set(id, provider)
    for (const voice of provider.voices) {
      const other = voices.get(voice.wire.voice_id)
      if (other !== undefined)
        problems.push(
          `providers.${id}.voices: ${other.wire.provider} already has the voice id "${voice.wire.voice_id}"; choose another, because URLs contain voice ids`
        )
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
  const [main, ...others] = namedEngines(settings)
  const { engine } = main
  const { voices: known, controls, defaults } = factsOf(main.key)
  // Any of the engines may speak: a control applies if all of them support it.
  const heeded = controls.filter((control) =>
    others.every(({ key }) => factsOf(key).controls.includes(control))
  )
  for (const control of controlNames) {
    if (own.controls?.[control] !== undefined && !heeded.includes(behindControl[control]))
      problems.push(
        others.length === 0
          ? `providers.${id}.controls.${control}: engine ${engine} does not support this control; remove it`
          : `providers.${id}.controls.${control}: not all of its engines support this control; remove it`
      )
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
  if (defaultModel === undefined)
    problems.push(
      `providers.${id}.defaultModel: unknown model "${wanted}"; expected one of ${models.map((model) => model.wire.model_id).join(", ")}`
    )
  if (new Set(models.map((model) => model.wire.model_id)).size < models.length)
    problems.push(`providers.${id}.models: two models have the same id; make the ids unique`)
  const minCharacters = settings.minCharacters ?? 0
  const maxCharacters =
    own.maxCharacters ??
    Math.min(
      settings.maxCharacters ?? plainProvider.maxCharacters,
      ...[main, ...others].map(({ key }) => factsOf(key).defaults?.maxCharacters ?? Infinity)
    )
  if (minCharacters > maxCharacters)
    problems.push(
      `providers.${id}.minCharacters: ${minCharacters} is more than maxCharacters (${maxCharacters}); lower it`
    )
  problems.push(
    ...engineProblems(`providers.${id}`, own, [main, ...others], (key) => factsOf(key).voices, voices)
  )
  const served = (each: NamedEngine) => servedEngine(each, factsOf(each.key).voices)
  return {
    id,
    name: settings.name ?? id,
    description: offered.description ?? "",
    engines: [served(main), ...others.map(served)],
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
) => ({
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
  behind: [voice.id],
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
  const behind = idsIn(settings.voice)
  const found = behind.map((id) => (known === undefined ? undefined : voiceNamed(known, id)))
  behind.forEach((id, index) => {
    if (known !== undefined && found[index] === undefined)
      problems.push(`${path}.voice: engine ${engine} has no voice "${id}"; use one of its voices`)
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
    behind,
    speakerOf: speakerOf(settings.voice),
    rate: settings.rate ?? 1,
    pitch: settings.pitch ?? 0,
    volume: settings.volume ?? 1
  }
}
