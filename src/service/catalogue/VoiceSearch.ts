/** Text search over voices. */
import type { Voice } from "../../contract/ProviderCatalogue.ts"
import type { ServedVoice } from "./Catalogue.ts"

/**
 * Returns the voices of a provider (default: all) that contain every word of the search. Searches the id, name,
 * description, gender, language tags and their English names. Ignores case and accents.
 */
export const searchVoices = (
  voices: ReadonlyArray<ServedVoice>,
  provider: string | undefined,
  search: string | undefined
): ReadonlyArray<Voice> => {
  const words = plain(search ?? "")
    .split(/\s+/u)
    .filter((word) => word !== "")
  return voices
    .map((voice) => voice.wire)
    .filter(
      (voice) =>
        (provider === undefined || voice.provider === provider) &&
        words.every((word) => haystackOf(voice).includes(word))
    )
}

const haystacks = new WeakMap<Voice, string>()

const haystackOf = (voice: Voice): string => {
  const known = haystacks.get(voice)
  if (known !== undefined) return known
  const made = plain(
    [
      voice.voice_id,
      voice.name,
      voice.description,
      voice.gender ?? "",
      ...voice.languages,
      ...voice.languages.map(languageName)
    ].join("\n")
  )
  haystacks.set(voice, made)
  return made
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

const languageName = (tag: string): string => {
  try {
    return names.of(tag) ?? ""
  } catch {
    return ""
  }
}

/** Returns lower case without accents. The Vietnamese đ does not decompose, so it is replaced by hand. */
const plain = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("đ", "d")
