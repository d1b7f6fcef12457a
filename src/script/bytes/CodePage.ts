/**
 * Guesses a file's legacy code page: by the letters of its language if that is known, else by chardet's statistics and
 * by plausibility checks on the decoded text.
 */
import chardet from "chardet"
import iconv from "iconv-lite"
import { primaryLanguage } from "../../domain/values/Ids.ts"

/**
 * Returns the likeliest code page of bytes that are not UTF-8, as an iconv-lite name; undefined if none is likely. Only
 * lines with non-ASCII bytes count, so that time lines do not outweigh the text. `fits` accepts or rejects the text as
 * decoded with a candidate.
 */
export const guessCodePage = (
  bytes: Uint8Array,
  language?: string,
  fits: (text: string) => boolean = () => true
): string | undefined => {
  const sample = telling(bytes)
  const known = pageOfLanguage(sample, language)
  if (known !== undefined && fits(iconv.decode(sample, known))) return known
  const page = likeliestPage(sample, fits)
  // A text without letters of its language is misread.
  const share = page === undefined ? 0 : (shareOfLanguage(iconv.decode(sample, page), language) ?? 1)
  return share > 0 ? page : undefined
}

const likeliestPage = (sample: Buffer, fits: (text: string) => boolean): string | undefined => {
  const scores = new Map<string, number>()
  const weigh = (name: string, score: number): void => {
    if (score > (scores.get(name) ?? 0)) scores.set(name, score)
  }
  for (const match of chardet.analyse(sample)) {
    const name = windowsName(match.name, sample)
    if (name !== undefined) weigh(name, match.confidence)
  }
  for (const [name, plausibility] of checks) weigh(name, 100 * plausibility(iconv.decode(sample, name)))
  let best: string | undefined
  let bestScore = 4
  for (const [name, score] of scores)
    if (score > bestScore) {
      const text = iconv.decode(sample, name)
      if (!readsCleanly(text) || !fits(text)) continue
      best = name
      bestScore = score
    }
  const broken = best === undefined ? 1 : brokenWords(iconv.decode(sample, best))
  if (broken < rarelyBroken) return best
  const old = oldPages.find((name) => {
    const text = iconv.decode(sample, name)
    const isLikely = readsCleanly(text) && isOfLetters(text) && fits(text)
    return isLikely && brokenWords(text) <= Math.min(rarelyBroken, broken / 10)
  })
  return old ?? best
}

/** The letters beyond ASCII of languages, in lower case. */
const letters: Readonly<Record<string, string>> = {
  fr: "àâæçéèêëîïôœùûüÿ",
  de: "äöüßé",
  es: "áéíñóúü",
  pt: "áâãàçéêíóôõúü",
  it: "àèéìíîòóùú",
  nl: "áäèéëïóöü",
  sv: "åäöéà",
  da: "æøåé",
  no: "æøåéòô",
  nb: "æøåéòô",
  fi: "äöåšž",
  et: "äõöüšž",
  pl: "ąćęłńóśźż",
  cs: "áčďéěíňóřšťúůýž",
  sk: "áäčďéíĺľňóôŕšťúýž",
  hu: "áéíóöőúüű",
  ro: "ăâîșțşţ",
  hr: "čćđšž",
  sl: "čšžćđ",
  bs: "čćđšž",
  tr: "çğıöşüâîû",
  ca: "àçèéíïòóúü",
  ru: "а-яё",
  uk: "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
  be: "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
  bg: "а-ъьюя",
  el: "αάβγδεέζηήθιίϊΐκλμνξοόπρσςτυύϋΰφχψωώ",
  he: "א-ת",
  ar: "\u0621-\u0652"
}

/** Where two pages read a text as the same, or equally well, the first counts. */
const pages =
  "windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1257 iso-8859-2 iso-8859-5 iso-8859-7 koi8-r koi8-u windows-1256 iso-8859-6 cp720 cp850 cp852 cp866 cp437 cp737 cp775 cp855 cp857 cp860 cp862 cp865 cp869 cp1125 macintosh maccenteuro maccyrillic macukraine macgreek macturkish maccroatian macromania".split(
    " "
  )

/** The most frequent letters of Cyrillic and Greek. Their other pages read letters, not signs, in place of these. */
const frequent = /[оеаинтсрвлαοιετσνηρκ]/gu

/**
 * Returns which share of a text's characters beyond ASCII are letters of a language, less those that break a word;
 * undefined if the language's letters are not known, or the text has none.
 */
export const shareOfLanguage = (text: string, language: string | undefined): number | undefined => {
  const own = letters[language === undefined ? "" : primaryLanguage(language)]
  const signs = signsIn(text)
  if (own === undefined || signs.length === 0) return undefined
  return (
    countOf(signs.replaceAll("İ", "ı").toLowerCase(), new RegExp(`[${own}]`, "gu")) / signs.length -
    brokenWords(text)
  )
}

const signsIn = (text: string): string =>
  text.normalize("NFC").replace(/[\p{ASCII}¿¡«»„“”‘’…–—♪№€°ºª\u00a0]/gu, "")

/** Returns the page that reads nearly all of a text as letters of its language, and as the likeliest ones. */
const pageOfLanguage = (sample: Buffer, language: string | undefined): string | undefined => {
  let best: string | undefined
  let most = 0
  for (const page of pages) {
    const text = iconv.decode(sample, page)
    const share = readsCleanly(text) ? (shareOfLanguage(text, language) ?? 0) : 0
    const signs = signsIn(text)
    const likely = countOf(signs.toLowerCase(), frequent) - countOf(signs, /\p{Lu}/gu) / 10
    const score = share + likely / Math.max(1, signs.length)
    if (share > mostlyOwn && score > most + 0.001) [best, most] = [page, score]
  }
  return best
}

/** The share of a language's letters from which a text is in it. */
export const mostlyOwn = 0.7

/** Code pages of DOS and of older Macs, which chardet does not know. Where they agree, the first counts. */
const oldPages = ["cp850", "cp852", "cp866", "macintosh", "maccenteuro", "maccyrillic"]

/** Share of the non-ASCII characters that break words up to which a guess is right. */
const rarelyBroken = 0.01

/** Returns which share of the non-ASCII characters break a word: they stand inside of it, and are not in lower case. */
const brokenWords = (text: string): number => {
  const words = text.match(/[\p{L}\p{M}\P{ASCII}]{3,}/gu) ?? []
  const broken = words.reduce((sum, word) => {
    const signs = Array.from(word)
    const inside = signs.slice(signs.findIndex(isLetter) + 1, signs.findLastIndex(isLetter) + 1)
    return sum + (/\p{Ll}/u.test(word) ? inside.filter((sign) => breaker.test(sign)).length : 0)
  }, 0)
  const mixed = countOf(text, /(?<=\p{Ll})\p{Lo}{1,2}(?=\p{Ll})/gu)
  return (broken + mixed) / Math.max(1, beyondAscii(text))
}

const isLetter = (sign: string): boolean => /\p{L}/u.test(sign)
const breaker = /[^\p{Ll}\p{Lo}\p{M}\p{ASCII}’\u00ad–—…]/u

/**
 * Whether there are non-ASCII letters enough to judge by, hardly any other non-ASCII characters, and as few among ASCII
 * letters as in a Latin language, or none but Cyrillic.
 */
const isOfLetters = (text: string): boolean => {
  const letters = countOf(text, /[^\P{L}\p{ASCII}]/gu)
  const cyrillic = countOf(text, /\p{sc=Cyrillic}/gu)
  const latin = countOf(text, /\p{sc=Latin}/gu)
  const isOfLanguage = cyrillic === letters || (cyrillic === 0 && letters < latin / 2)
  return letters >= 4 && letters >= 0.9 * countOf(text, /[^\p{ASCII}¿¡]/gu) && isOfLanguage
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
const beyondAscii = (text: string): number => countOf(text, /\P{ASCII}/gu)

const maxWeighed = 65_536

const telling = (bytes: Uint8Array): Buffer => {
  const lines: Array<Uint8Array> = []
  let size = 0
  let start = 0
  let high = false
  for (let i = 0; i <= bytes.length && size < maxWeighed; i++) {
    const byte = bytes[i]
    if (byte === 10 || byte === 13 || byte === undefined) {
      if (high) {
        lines.push(bytes.subarray(start, i), lineEnd)
        size += i - start + 1
      }
      start = i + 1
      high = false
    } else if (byte > 127) high = true
  }
  return Buffer.concat(lines)
}

const lineEnd = Uint8Array.of(10)

/** Pages that chardet may name, some with the Windows page that is a superset: programs save subtitles in that one. */
const windowsNames = new Map(
  (
    "iso-8859-1=windows-1252 iso-8859-5 iso-8859-6=windows-1256 iso-8859-7=windows-1253 iso-8859-8=windows-1255 " +
    "iso-8859-9=windows-1254 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 " +
    "windows-1256 windows-1257 koi8-r gb18030 big5=big5hkscs euc-kr=cp949 euc-jp shift_jis"
  )
    .split(" ")
    .map((names) => names.split("="))
    .map(([name = "", superset = name]) => [name, superset])
)

const windowsName = (name: string, sample: Buffer): string | undefined => {
  if (name === "ISO-8859-2")
    return sample.some((byte) => byte >= 0x80 && byte <= 0x9f) ? "windows-1250" : "iso-8859-2"
  // KOI8-R has frames in place of Ukrainian letters.
  if (name === "KOI8-R" && !readsCleanly(iconv.decode(sample, "koi8-r"))) return "koi8-u"
  return windowsNames.get(name.toLowerCase())
}

/**
 * Whether a decoded text has no unmapped bytes (U+FFFD), C1 controls or frames in its words, which a wrong guess
 * produces.
 */
const readsCleanly = (text: string): boolean =>
  !/[\ufffd\u0080-\u009f]|(?<=\p{L})[\u2500-\u259f]|[\u2500-\u259f](?=\p{L})/u.test(text)

/** Code pages that chardet detects poorly, each with a measure (0 to 1) of how much a text looks like its language. */
const checks: ReadonlyArray<readonly [string, (text: string) => number]> = [
  ["windows-1258", (text) => looksVietnamese(text.normalize("NFC"))],
  ["windows-874", (text) => looksThai(text)]
]

/** Vietnamese: over 5 % of the letters exist in no other language, and almost no combining mark is detached. */
const looksVietnamese = (text: string): number => {
  const letters = countOf(text, /\p{L}/gu)
  const own = countOf(text, /[\u1ea0-\u1ef9]/gu)
  const stray = countOf(text, /[\p{M}₫]/gu)
  return own > letters * 0.05 && stray <= own * 0.02 ? 0.97 : 0
}

const strayThai =
  /(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]|[\u0e40-\u0e44](?![\u0e01-\u0e2e])/gu

/** Thai: nearly all letters are Thai, and its marks and leading vowels are next to consonants. */
const looksThai = (text: string): number => {
  const foreign = countOf(text, /[^\p{ASCII}\s“”‘’…–—]/gu)
  const thai = countOf(text, /[\u0e01-\u0e5b]/gu)
  const latin = countOf(text, /[a-z]/giu)
  const misplaced = countOf(text, strayThai)
  return thai > latin / 2 && thai / foreign > 0.98 && misplaced / thai < 0.02 ? 0.97 : 0
}
