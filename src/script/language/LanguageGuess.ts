/** Detects a text's language among those a voice speaks, by its script, letters and most common words. */
import { frequent, frequentWords } from "./LanguageWords.ts"
import { mostFrequent } from "./WritingSystems.ts"

/**
 * Returns the most likely of `languages` (primary tags such as `vi`, at least one), or the first if nothing decides.
 * The script decides first. Languages of the same script are scored by distinctive letters and common words.
 */
export const languageOf = (text: string, languages: ReadonlyArray<string>): string => {
  const [first = "en"] = languages
  const sample = text.slice(0, 4_000).normalize("NFC").toLowerCase()
  const script = scriptOfMost(sample)
  const candidates = languages.filter((language) => (scriptOf[language] ?? "Latin") === script)
  const [only, ...others] = candidates
  if (only === undefined) return first
  if (others.length === 0) return only
  const words = frequentWords(sample)
  const scores = candidates.map((language) => {
    const letters = rareLetters[language]
    return (words.get(language) ?? 0) + (letters === undefined ? 0 : 2 * (sample.match(letters)?.length ?? 0))
  })
  const best = Math.max(...scores)
  return best === 0 ? (candidates.includes(first) ? first : only) : (candidates[scores.indexOf(best)] ?? only)
}

/** Maximum share of other letters in a text of Latin script. Texts of other scripts have many Latin names. */
const maxForeign = 0.15

const scriptOfMost = (sample: string): string => {
  const other = mostFrequent(sample, otherScripts)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const latin = sample.match(/\p{Script=Latin}/gu)?.length ?? 0
  return other === undefined || letters - latin <= letters * maxForeign ? "Latin" : other
}

/** Kana comes before Han, so it wins a tie: Japanese mixes both, and a text with kana is Japanese. */
const otherScripts: ReadonlyArray<readonly [string, RegExp]> = [
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Hangul", /\p{Script=Hangul}/gu],
  ["Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Arabic", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Devanagari", /\p{Script=Devanagari}/gu],
  ["Bengali", /\p{Script=Bengali}/gu],
  ["Tamil", /\p{Script=Tamil}/gu],
  ["Thai", /\p{Script=Thai}/gu],
  // A sentence of kanji with a few kana is Japanese, so Han counts half: one per two characters.
  ["Han", /\p{Script=Han}{2}/gu]
]

const scriptOf: Readonly<Record<string, string>> = {
  ...{ ja: "Kana", ko: "Hangul", zh: "Han", el: "Greek", he: "Hebrew", ar: "Arabic", fa: "Arabic" },
  ...{ ru: "Cyrillic", uk: "Cyrillic", bg: "Cyrillic", be: "Cyrillic", kk: "Cyrillic" },
  ...{ hi: "Devanagari", bn: "Bengali", ta: "Tamil", th: "Thai" }
}

const rareLetters: Readonly<Record<string, RegExp>> = {
  vi: /[ăơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/gu,
  de: /[äöüß]/gu,
  es: /[ñ¿¡]/gu,
  fr: /[çêëîïœùû]/gu,
  pt: /[ãõ]/gu,
  it: /[ìò]/gu,
  pl: /[ąęłńśźż]/gu,
  cs: /[ěřůďťň]/gu,
  sv: /[åäö]/gu,
  tr: /[ğışç]/gu,
  // Persian has its own k and y, and four letters that Arabic lacks.
  fa: /[پچژگکی]/gu,
  nl: /ĳ/gu,
  uk: /[іїєґ]/gu,
  ru: /[ыэёъ]/gu,
  // These two share letters with Russian and Ukrainian, and win only by those that one of the two lacks.
  be: /[іўыэё]/gu,
  kk: /[іыәғқңөұүһ]/gu
}

/** The languages that `languageOf` can distinguish; English first, as the default. */
export const knownLanguages: ReadonlyArray<string> = [
  ...new Set([...Object.keys(frequent), ...Object.keys(scriptOf)])
]
