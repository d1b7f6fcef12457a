/** The engines that a provider names: one, or several. If one fails, the next one speaks. */
import { Array } from "effect"
import type { EngineVoice } from "../../engines/Engine.ts"
import { languageOf } from "../../script/language/LanguageGuess.ts"
import { plainProvider } from "../config/DefaultProviders.ts"
import type { EngineEntry, ProviderSettings, VoiceSettings } from "../config/ServiceConfig.ts"
import type { ServedEngine, ServedVoice } from "./Catalogue.ts"

/** An entry of a provider's engines, with defaults applied. */
export interface NamedEngine {
  /** Its key in the `EngineSet`: the same engine with another key counts as another engine. */
  readonly key: string
  /** The engine's name under `engines`. */
  readonly engine: string
  readonly keyVariable: string | undefined
  readonly name: string
  readonly order: number
  readonly weight: number
  readonly concurrency: number
  readonly requestsPerMinute: number
  readonly voices: EngineEntry["voices"]
}

/** Returns a provider's engines, in the settings' order. */
export const namedEngines = (settings: ProviderSettings): Array.NonEmptyArray<NamedEngine> => {
  const { engine = plainProvider.engine, concurrency = plainProvider.concurrency } = settings
  const seen = new Map<string, number>()
  return Array.map(settings.engines ?? Array.make<[EngineEntry]>({ engine }), (entry, index): NamedEngine => {
    const uses = (seen.get(entry.engine) ?? 0) + 1
    seen.set(entry.engine, uses)
    return {
      key: entry.keyVariable === undefined ? entry.engine : `${entry.engine} ${entry.keyVariable}`,
      engine: entry.engine,
      keyVariable: entry.keyVariable,
      name: entry.name ?? (uses === 1 ? entry.engine : `${entry.engine}-${uses}`),
      order: entry.order ?? index + 1,
      weight: entry.weight ?? 1,
      concurrency: entry.concurrency ?? concurrency,
      requestsPerMinute: entry.requestsPerMinute ?? Infinity,
      voices: entry.voices
    }
  })
}

/** Returns an engine as a provider uses it. `known` are the engine's voices; undefined while they are unknown. */
export const servedEngine = (
  { voices = {}, ...engine }: NamedEngine,
  known: ReadonlyArray<EngineVoice> | undefined
): ServedEngine => {
  const mapped = new Map(Object.entries(voices))
  return {
    ...engine,
    voiceFor: (voice) => {
      const own = mapped.get(voice.wire.voice_id) ?? mapped.get("*")
      if (own !== undefined) return { ...voice, behind: idsIn(own), speakerOf: speakerOf(own) }
      return known === undefined || voice.behind.every((id) => knows(known, id)) ? voice : undefined
    }
  }
}

/** Returns the contradictions in the settings of a provider's engines. `path` is the provider's. */
export const engineProblems = (
  path: string,
  own: ProviderSettings,
  named: ReadonlyArray<NamedEngine>,
  voicesOf: (key: string) => ReadonlyArray<EngineVoice> | undefined,
  offered: ReadonlyArray<ServedVoice>
): ReadonlyArray<string> => [
  ...(own.engine !== undefined && own.engines !== undefined
    ? [`${path}.engine: engines is also set; remove one of the two`]
    : []),
  ...(new Set(named.map(({ name }) => name)).size < named.length
    ? [`${path}.engines: two engines have the same name; make the names unique`]
    : []),
  ...named.flatMap(({ key, engine, voices = {} }, index) => {
    const known = voicesOf(key)
    return Object.entries(voices).flatMap(([id, voice]) => [
      ...(id === "*" || offered.length === 0 || offered.some(({ wire }) => wire.voice_id === id)
        ? []
        : [
            `${path}.engines[${index}].voices: the provider has no voice "${id}"; use one of its voice ids, or "*"`
          ]),
      ...idsIn(voice)
        .filter((each) => known !== undefined && !knows(known, each))
        .map(
          (each) =>
            `${path}.engines[${index}].voices.${id}: engine ${engine} has no voice "${each}"; use one of its voices`
        )
    ])
  })
]

/** The ids of the engine's voices behind a voice. */
export const idsIn = (voice: VoiceSettings["voice"]): ReadonlyArray<string> =>
  typeof voice === "string" ? [voice] : Object.values(voice)

/** Finds an engine's voice. A variant such as vi+f3 exists if its base voice does. */
export const voiceNamed = (known: ReadonlyArray<EngineVoice>, id: string): EngineVoice | undefined =>
  known.find((voice) => voice.id === id || voice.id === id.replace(/\+.*$/u, ""))

const knows = (known: ReadonlyArray<EngineVoice>, id: string): boolean => voiceNamed(known, id) !== undefined

/** Returns how a voice selects the engine's voice for a text. */
export const speakerOf = (voice: VoiceSettings["voice"]): ServedVoice["speakerOf"] => {
  if (typeof voice === "string") return () => ({ voice })
  const languages = Object.keys(voice)
  return (text) => {
    const language = languageOf(text, languages)
    return { voice: voice[language] ?? "", language }
  }
}
