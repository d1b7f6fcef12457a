/** Default voices of the bundled service by language, for jobs and manifests that name none. */
import { primaryLanguage, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { espeakVoices, fliteVoices } from "../../engines/BundledVoices.ts"
import { defaultProviders } from "./DefaultProviders.ts"

export interface EmbeddedVoice {
  readonly provider: ProviderId
  readonly voice: VoiceId
  /** Why no bundled voice speaks the language; absent if one does. */
  readonly mute?: string
}

/**
 * Returns a voice for a language (a tag such as `vi` or `pt-BR`): one of provider_native's, else of
 * provider_expressive's, else provider_lowcost's voice of that language. `position` counts speakers from 0, so that
 * neighbours get different voices.
 */
export const embeddedVoice = (language: string | undefined, position = 0): EmbeddedVoice => {
  const primary = language === undefined ? undefined : primaryLanguage(language)
  const own = voicesOf("provider_native").filter(
    ({ id }) => primary !== undefined && id.startsWith(`${primary}-`)
  )
  const all = voicesOf("provider_expressive").filter(
    ({ voice }) => primary === undefined || (typeof voice === "object" && primary in voice)
  )
  const [provider, voices] =
    own.length > 0 ? (["provider_native", own] as const) : (["provider_expressive", all] as const)
  const chosen = voices[position % Math.max(1, voices.length)]
  if (chosen !== undefined) return { provider: ProviderId.make(provider), voice: VoiceId.make(chosen.id) }
  const plain =
    primary === undefined
      ? "en-us"
      : (
          espeakVoices.find(({ id }) => id === primary) ??
          espeakVoices.find(({ languages }) => languages.includes(primary))
        )?.id
  const lowCost = {
    provider: ProviderId.make("provider_lowcost"),
    voice: VoiceId.make(`lc-${plain ?? primary}`)
  }
  return plain === undefined && primary !== undefined ? { ...lowCost, mute: muteIn(primary) } : lowCost
}

/** Says which languages the bundled voices speak, and which one a country's code may mean. */
const muteIn = (primary: string): string => {
  const spoken = [...new Set(espeakVoices.flatMap(({ languages }) => languages.map(primaryLanguage)))].sort()
  const ofCountry = primary.length === 2 ? new Intl.Locale(`und-${primary}`).maximize().language : undefined
  const meant = ofCountry !== undefined && spoken.includes(ofCountry) ? ofCountry : undefined
  return (
    `no bundled voice speaks "${primary}"${meant === undefined ? "" : `; did you mean ${meant}, the language of ${primary.toUpperCase()}?`}; ` +
    `they speak ${spoken.join(", ")}; correct language, or name a voice of another language under voice`
  )
}

/** Returns one of Flite's voices, for an installation without eSpeak NG; undefined if the language is not English. */
export const fliteVoice = (language: string | undefined, position = 0): EmbeddedVoice | undefined => {
  const voice = fliteVoices[position % 3]
  return voice === undefined || (language !== undefined && primaryLanguage(language) !== "en")
    ? undefined
    : { provider: ProviderId.make("provider_opensource"), voice: VoiceId.make(`os-${voice.id}`) }
}

const voicesOf = (provider: string) => {
  const voices = defaultProviders[provider]?.voices
  return voices === undefined || voices === "all" ? [] : voices
}
