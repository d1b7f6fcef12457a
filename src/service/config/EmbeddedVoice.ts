/** The bundled service's voices by language, for jobs and manifests that name none, and what is known about them. */
import { Array } from "effect"
import type { VoiceTraits } from "../../domain/speech/VoiceTraits.ts"
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
 * Returns the voices for a language (a tag such as `vi` or `pt-BR`): provider_native's, then provider_expressive's,
 * else provider_lowcost's voice of that language. Voices that sound like an earlier one come last.
 */
export const embeddedVoices = (language: string | undefined): Array.NonEmptyReadonlyArray<EmbeddedVoice> => {
  const primary = language === undefined ? undefined : primaryLanguage(language)
  const own = voicesOf("provider_native").filter(
    ({ id }) => primary !== undefined && id.startsWith(`${primary}-`)
  )
  const sounds = new Set<unknown>(own.map(({ voice }) => voice))
  const all = voicesOf("provider_expressive").flatMap(({ id, voice }) => {
    const sound = typeof voice === "object" ? voice[primary ?? "en"] : undefined
    return sound === undefined ? [] : [{ id, isKnown: sounds.has(sound) }]
  })
  const [distinct, alike] = Array.partition(all, ({ isKnown }) => isKnown)
  const found = [
    ...own.map(({ id }) => embedded("provider_native", id)),
    ...[...distinct, ...alike].map(({ id }) => embedded("provider_expressive", id))
  ]
  if (Array.isNonEmptyReadonlyArray(found)) return found
  const plain =
    primary === undefined
      ? "en-us"
      : (
          espeakVoices.find(({ id }) => id === primary) ??
          espeakVoices.find(({ languages }) => languages.includes(primary))
        )?.id
  const lowCost = embedded("provider_lowcost", `lc-${plain ?? primary}`)
  return [plain === undefined && primary !== undefined ? { ...lowCost, mute: muteIn(primary) } : lowCost]
}

/** Says which languages the bundled voices speak, and which one a country's code may mean. */
const muteIn = (primary: string): string => {
  const spoken = [...new Set(espeakVoices.flatMap(({ languages }) => languages.map(primaryLanguage)))].sort()
  // Other codes of countries are those of languages, too.
  const isCountry = /^(?:br|cn|cz|dk|gr|jp|kr|tw|ua|us|vn)$/u.test(primary)
  const meant = isCountry ? new Intl.Locale(`und-${primary}`).maximize().language : undefined
  return (
    `no bundled voice speaks "${primary}"${meant === undefined ? "" : `; did you mean ${meant}, the language of ${primary.toUpperCase()}?`}; ` +
    `they speak ${spoken.join(", ")}; correct language, or name a voice of another language under voice`
  )
}

/** Returns Flite's voices, for an installation without eSpeak NG; none if the language is not English. */
export const fliteVoicesFor = (language: string | undefined): ReadonlyArray<EmbeddedVoice> =>
  language !== undefined && primaryLanguage(language) !== "en"
    ? []
    : fliteVoices.slice(0, 3).map(({ id }) => embedded("provider_opensource", `os-${id}`))

const embedded = (provider: string, voice: string): EmbeddedVoice => ({
  provider: ProviderId.make(provider),
  voice: VoiceId.make(voice)
})

/** Returns what the built-in providers' lists say about a voice; undefined if they lack it. */
export const embeddedTraits = (provider: string, id: string): VoiceTraits | undefined => {
  const { voices, voicePrefix = "", engine } = defaultProviders[provider] ?? {}
  const known = engine === "flite" ? fliteVoices : espeakVoices
  if (voices === "all") return known.find((voice) => voicePrefix + voice.id === id)
  const found = voices?.find((voice) => voice.id === id)
  if (found === undefined) return undefined
  const { voice, gender } = found
  if (typeof voice === "object") return { languages: Object.keys(voice), gender }
  const languages = known.find((base) => base.id === voice.replace(/\+.*$/u, ""))?.languages ?? []
  return { languages: found.languages ?? languages, gender }
}

const voicesOf = (provider: string) => {
  const voices = defaultProviders[provider]?.voices
  return voices === undefined || voices === "all" ? [] : voices
}
