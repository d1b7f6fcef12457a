/**
 * Detects text in scripts that eSpeak NG cannot read. It names such letters instead ("Chinese letter, Chinese letter
 * …"), which sounds like speech. For most other scripts it switches to a language that uses them.
 */
import { primaryLanguage } from "../../domain/values/Ids.ts"

/** Scripts that only voices of the given languages (primary tags) can read. */
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

/** Maximum share of foreign letters in a text, to allow for a name or two. */
const mayBeNamed = 0.25

/** Returns a message if a voice of the language (BCP 47) cannot read the text; else undefined. */
export const unsupportedLetters = (text: string, language: string): string | undefined => {
  const tag = primaryLanguage(language)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  for (const [script, pattern, languages] of readers) {
    if (languages.has(tag)) continue
    const foreign = text.match(pattern)?.length ?? 0
    // Japanese uses both kana and kanji, but its voice reads only kana.
    if (tag === "ja" && script === "Chinese" && foreign > 0)
      return "the voice reads kana but not kanji; write the text in kana (for example with a lexicon), or use another provider's voice"
    if (foreign > letters * mayBeNamed)
      return `the voice cannot read ${script} letters; use a text in its language (${language}), or a voice of the text's language`
  }
  return undefined
}
