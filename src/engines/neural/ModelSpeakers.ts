/** The speakers of the model families that give them names, and the languages that they speak. */

/** One speaker of a model, in one language. */
export interface ModelSpeaker {
  /** Added to the voice's id; empty for the only speaker. */
  readonly suffix: string
  /** The speaker's number in the model. */
  readonly sid: number
  /** Display name, added to the voice's name; empty for the only speaker. */
  readonly name: string
  /** BCP 47; undefined if unknown. */
  readonly language?: string
  readonly gender?: "female" | "male"
  /** Passed to the model as the language of each text. */
  readonly spokenAs?: string
}

/** Kokoro's languages by the first letter of a speaker's name, with eSpeak NG's voice if it is not the model's own. */
const kokoroLanguages: Readonly<Record<string, readonly [language: string, spokenAs?: string]>> = {
  a: ["en-US"],
  // eSpeak NG calls its British voice "en".
  b: ["en-GB", "en"],
  e: ["es", "es"],
  f: ["fr-FR", "fr"],
  h: ["hi", "hi"],
  i: ["it", "it"],
  p: ["pt-BR", "pt-br"],
  z: ["zh"]
}

/** Kokoro's speakers, such as `af_heart`. Omits those whose language it cannot read here, such as Japanese. */
export const kokoroSpeakers = (
  names: ReadonlyArray<string>,
  count: number,
  isMultilingual: boolean
): ReadonlyArray<ModelSpeaker> =>
  listed(names, count).flatMap(({ name, sid }) => {
    const [, letter = "a", sex = ""] = /^([a-z])([fm])_/u.exec(name) ?? []
    const spoken = kokoroLanguages[letter]
    if (spoken === undefined) return []
    const [language, spokenAs] = spoken
    return {
      ...speaker(name, sid, sex),
      language,
      ...(isMultilingual && spokenAs !== undefined ? { spokenAs } : {})
    }
  })

/** Kitten's speakers, such as `expr-voice-2-f`; all speak English. */
export const kittenSpeakers = (names: ReadonlyArray<string>, count: number): ReadonlyArray<ModelSpeaker> =>
  listed(names, count).map(({ name, sid }) => ({
    ...speaker(name, sid, /-([fm])$/u.exec(name)?.[1] ?? ""),
    language: "en-US"
  }))

/** The languages of Supertonic 3. */
const supertonicLanguages =
  "en ko ja ar bg cs da de el es et fi fr hi hr hu id it lt lv nl pl pt ro ru sk sl sv tr uk vi".split(" ")

/** Supertonic's speakers, once for each language: the model does not detect a text's language. */
export const supertonicSpeakers = (count: number): ReadonlyArray<ModelSpeaker> =>
  supertonicLanguages.flatMap((language) =>
    Array.from({ length: count }, (_, sid) => {
      // Its ten styles are F1 to F5 and M1 to M5, in this order.
      const name = count === 10 ? `${sid < 5 ? "F" : "M"}${(sid % 5) + 1}` : String(sid)
      const own = speaker(name, sid, count === 10 ? (sid < 5 ? "f" : "m") : "")
      return { ...own, suffix: `${language}.${own.suffix}`, language, spokenAs: language }
    })
  )

const listed = (names: ReadonlyArray<string>, count: number) =>
  Array.from({ length: count }, (_, sid) => {
    const name = names[sid] ?? ""
    return { name: name === "" ? String(sid) : name, sid }
  })

const speaker = (name: string, sid: number, sex: string) => ({
  suffix: name.replace(/[^A-Za-z0-9_-]/gu, "-"),
  sid,
  name,
  ...(sex === "f" ? { gender: "female" as const } : sex === "m" ? { gender: "male" as const } : {})
})

/** Returns the canonical BCP 47 tag of a tag such as `vi_VN` or `en-us`; undefined if it is not a language tag. */
export const canonicalTag = (tag: string): string | undefined => {
  const written = tag.replaceAll("_", "-")
  if (!/^[A-Za-z]{2,3}(?:-|$)/u.test(written)) return undefined
  try {
    return Intl.getCanonicalLocales(written)[0]
  } catch {
    return undefined
  }
}
