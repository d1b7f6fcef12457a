/**
 * Letters that eSpeak NG cannot read and names instead: of a sentence in another script it says "Chinese letter,
 * Chinese letter …", which sounds like speech and says nothing. From most other scripts it goes over to a language
 * written in them.
 */
import { primaryTag } from "./TextNormalization.ts"

/** Scripts that are read by voices of these languages (primary tags) and by no other. */
const readers: ReadonlyArray<readonly [script: string, letters: RegExp, languages: ReadonlySet<string>]> = [
  ["Chinese", /\p{Script=Han}/gu, new Set(["cmn", "zh", "yue", "hak"])],
  ["Japanese", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, new Set(["ja"])],
  [
    "Cyrillic",
    /\p{Script=Cyrillic}/gu,
    new Set("ru uk be bg mk sr hr bs kk ky tt ba cv uz tk mn".split(" "))
  ],
  ["Arabic", /\p{Script=Arabic}/gu, new Set("ar fa ur ug sd".split(" "))],
  ["Hebrew", /\p{Script=Hebrew}/gu, new Set(["he"])],
  ["Thai", /\p{Script=Thai}/gu, new Set(["th"])],
  ["Lao", /\p{Script=Lao}/gu, new Set()],
  ["Khmer", /\p{Script=Khmer}/gu, new Set()]
]

/** The share of a text's letters up to which a foreign name or two may be spelled. */
const mayBeNamed = 0.25

/** Why a voice of such a language (BCP 47) cannot read a text, in words; undefined where it can. */
export const unsupportedLetters = (text: string, language: string): string | undefined => {
  const tag = primaryTag(language)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  for (const [script, pattern, languages] of readers) {
    if (languages.has(tag)) continue
    const foreign = text.match(pattern)?.length ?? 0
    // Japanese is written in both scripts, of which its voice reads one.
    if (tag === "ja" && script === "Chinese" && foreign > 0)
      return "the voice reads kana and no kanji: expected the text in kana, which a lexicon can give, or a voice of another provider"
    if (foreign > letters * mayBeNamed)
      return `the voice reads no ${script} letters: expected a text in its own language (${language}), or a voice of the text's`
  }
  return undefined
}
