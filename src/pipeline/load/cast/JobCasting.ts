/** The part of a cast that one job uses: the voices of its language. */
import { Either } from "effect"
import type { CastVoice } from "../../../domain/manifest/CastSettings.ts"
import type { SpeakerSettings } from "../../../domain/manifest/ScriptSettings.ts"
import type { LanguageTag, SpeakerName, VoiceId } from "../../../domain/values/Ids.ts"
import { languageNamed } from "../../../domain/values/LanguageName.ts"
import type { JobCast } from "../Job.ts"
import type { WrittenCast } from "./CastFile.ts"

/** The voices that earlier runs chose from pools. `speaker` is compared without case. */
export type ChosenVoices = (
  file: string,
  language: LanguageTag | undefined,
  speaker: SpeakerName
) => VoiceId | undefined

/** A cast in a job's language, with the voice of lines without a speaker. */
export interface LanguageCast {
  readonly cast: JobCast
  readonly voice: SpeakerSettings | undefined
}

/** Returns a cast's voices in a language: those of the tag, else of a shorter one (pt for pt-BR), else of `*`. */
export const castIn = (
  { settings, file, isInManifest }: WrittenCast,
  language: LanguageTag | undefined,
  chosen: ChosenVoices
): LanguageCast => {
  const speakers = Object.entries(settings.speakers ?? {}).flatMap(([name, voices]) => {
    const voice = inLanguage(voices, language)
    return voice === undefined ? [] : [[name, settingsOf(voice)] as const]
  })
  const usual = inLanguage(settings.default ?? {}, language)
  return {
    cast: {
      names: Object.keys(settings.speakers ?? {}),
      speakers: Object.fromEntries(speakers),
      pool: (inLanguage(settings.pool ?? {}, language) ?? []).map(settingsOf),
      file,
      isInManifest,
      chosen: (speaker) => chosen(file, language, speaker)
    },
    voice: usual === undefined ? undefined : settingsOf(usual)
  }
}

const settingsOf = (voice: CastVoice): SpeakerSettings => (typeof voice === "string" ? { voice } : voice)

const inLanguage = <A>(
  byLanguage: Readonly<Record<string, A>>,
  language: LanguageTag | undefined
): A | undefined => {
  const tags = new Map(
    Object.entries(byLanguage).map(([written, value]) => [
      Either.getOrElse(languageNamed(written), () => written).toLowerCase(),
      value
    ])
  )
  let tag = language?.toLowerCase() ?? ""
  while (tag !== "" && !tags.has(tag)) tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))
  return tags.get(tag === "" ? "*" : tag)
}
