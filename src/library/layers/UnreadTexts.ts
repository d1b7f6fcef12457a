/** Why a bundled voice cannot read a text, found without its engine. Loaded lazily: only plans need it. */
import type { Casting } from "../../domain/speech/Casting.ts"
import { neuralProvider } from "../../domain/values/Ids.ts"
import { espeakVoices } from "../../engines/BundledVoices.ts"
import type { EngineVoice } from "../../engines/Engine.ts"
import { unsupportedLetters } from "../../engines/text/UnsupportedScript.ts"
import { speakerOf, voiceNamed } from "../../service/catalogue/ProviderEngines.ts"
import { defaultProviders, plainProvider } from "../../service/config/DefaultProviders.ts"
import { neuralPrefix } from "../../service/config/NeuralProvider.ts"

/**
 * Returns why the bundled service's voice cannot read a part of a text; undefined if it can, or if that is unknown. A
 * multilingual voice follows the language of the whole text. `neural` are the installed neural voices.
 */
export const unreadText = (
  casting: Casting,
  part: string,
  whole: string,
  neural: ReadonlyArray<EngineVoice>
): string | undefined => {
  const language = engineVoiceOf(casting, whole, neural)?.languages[0]
  return language === undefined ? undefined : unsupportedLetters(part, language)
}

/** The voice of eSpeak NG or of a neural model that speaks a text; undefined for Flite. */
const engineVoiceOf = ({ provider, voice }: Casting, text: string, neural: ReadonlyArray<EngineVoice>) => {
  if (provider === neuralProvider) return neural.find(({ id }) => neuralPrefix + id === voice)
  const {
    engine = plainProvider.engine,
    voices = plainProvider.voices,
    voicePrefix = ""
  } = defaultProviders[provider] ?? {}
  if (engine !== "espeak") return undefined
  const named =
    voices === "all" ? voice.slice(voicePrefix.length) : voices.find(({ id }) => id === voice)?.voice
  return named === undefined ? undefined : voiceNamed(espeakVoices, speakerOf(named)(text).voice)
}
