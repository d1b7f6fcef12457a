/** Detects a text's language among those a voice speaks, by its script, letters and most common words. */
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
  const words = sample.match(/\p{L}[\p{L}\p{M}']*/gu) ?? []
  const scores = candidates.map((language) => scoreOf(language, sample, words))
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

const scoreOf = (language: string, sample: string, words: ReadonlyArray<string>): number => {
  const common = commonWords[language]
  const letters = rareLetters[language]
  const hits = common === undefined ? 0 : words.filter((word) => common.has(word)).length
  return hits + (letters === undefined ? 0 : 2 * (sample.match(letters)?.length ?? 0))
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
  ja: "Kana",
  ko: "Hangul",
  ru: "Cyrillic",
  uk: "Cyrillic",
  bg: "Cyrillic",
  be: "Cyrillic",
  kk: "Cyrillic",
  el: "Greek",
  ar: "Arabic",
  fa: "Arabic",
  he: "Hebrew",
  hi: "Devanagari",
  bn: "Bengali",
  ta: "Tamil",
  th: "Thai",
  zh: "Han"
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

const list = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const commonWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: list(
    "the and you that is are was were of to in it for with this have not what be on i my your we they he she"
  ),
  vi: list("không và của là có cho với người những tôi anh em một được trong này các thì đã"),
  es: list("el los las que de y en un una por con para no es está pero como más del yo muy"),
  fr: list("le les des et est dans que qui une pour pas avec vous nous je il elle ce sur mais du"),
  de: list("der die das und ist nicht ich sie wir mit ein eine den dem zu auf für von es er war"),
  it: list("il gli che di è un una per non con sono della ma del come più questo ho i nel"),
  pt: list("o os as que de e em um uma por com para não é está mas como mais do da eu você"),
  nl: list("de het een en van is niet dat ik je we met voor op te zijn maar wat ook naar"),
  pl: list("nie jest się na to że w i z do jak ale co tak jestem po już był"),
  cs: list("je se na že to v a s do jak ale co tak jsem po už byl není"),
  sv: list("och det att är inte jag som en ett på för med den har men vi du var"),
  tr: list("ve bir bu da de için ne çok ben sen var değil ama gibi mi daha"),
  id: list("yang dan di ini itu tidak dengan untuk dari saya kamu ada akan ke bisa kita"),
  ru: list("и в не на что я он она это как но мы вы из у"),
  uk: list("і в не на що я він вона це як але ми ви з у та")
}

/** The languages that `languageOf` can distinguish; English first, as the default. */
export const knownLanguages: ReadonlyArray<string> = [
  ...new Set([...Object.keys(commonWords), ...Object.keys(scriptOf)])
]
