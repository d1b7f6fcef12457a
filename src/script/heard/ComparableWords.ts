/**
 * Splits a text into words to compare with a recogniser's. Ignores case, punctuation, tags and spellings that sound
 * alike. Keeps the tones and vowels of Vietnamese, because they distinguish words.
 */
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { frequentWords } from "../language/LanguageWords.ts"
import { toCardinal as cs } from "n2words/cs-CZ"
import { toCardinal as da } from "n2words/da-DK"
import { toCardinal as de } from "n2words/de-DE"
import { toCardinal as el } from "n2words/el-GR"
import { toCardinal as en } from "n2words/en-US"
import { toCardinal as es } from "n2words/es-ES"
import { toCardinal as fi } from "n2words/fi-FI"
import { toCardinal as fr } from "n2words/fr-FR"
import { toCardinal as hi } from "n2words/hi-IN"
import { toCardinal as hu } from "n2words/hu-HU"
import { toCardinal as id } from "n2words/id-ID"
import { toCardinal as it } from "n2words/it-IT"
import { toCardinal as ja } from "n2words/ja-JP"
import { toCardinal as ko } from "n2words/ko-KR"
import { toCardinal as nb } from "n2words/nb-NO"
import { toCardinal as nl } from "n2words/nl-NL"
import { toCardinal as pl } from "n2words/pl-PL"
import { toCardinal as pt } from "n2words/pt-PT"
import { toCardinal as ro } from "n2words/ro-RO"
import { toCardinal as ru } from "n2words/ru-RU"
import { toCardinal as sv } from "n2words/sv-SE"
import { toCardinal as th } from "n2words/th-TH"
import { toCardinal as tr } from "n2words/tr-TR"
import { toCardinal as uk } from "n2words/uk-UA"
import { toCardinal as vi } from "n2words/vi-VN"
import { toCardinal as zh } from "n2words/zh-Hans-CN"

/** A word to compare. */
export interface ComparableWord {
  /** The form that is compared. */
  readonly form: string
  /** The word as written, for messages. */
  readonly written: string
  /** Whether it is one character of a script without spaces between words. */
  readonly unspaced: boolean
  /** Whether it is the word for a sign, such as %, which transcripts often omit. */
  readonly optional: boolean
}

/** Markup that is never heard, and the notes that recognisers write instead of words: [music], (laughs), ♪, <|en|>. */
const markup = /<[^<>]{0,200}>|\{\\[^{}]{0,200}\}/gu
const notes = /\[[^[\]]{0,80}\]|\([^()]{0,80}\)|\*[^*]{1,40}\*|[♪♫♩♬]/gu

/**
 * Returns the words of a text. `heard` marks a transcript, whose notes in brackets are ignored. Numbers are written
 * out; of their readings, the one most like `other` is taken, so that both sides of a comparison agree.
 */
export const comparableWords = (
  text: string,
  language: string | undefined,
  { heard = false, other = "" }: { readonly heard?: boolean; readonly other?: string } = {}
): ReadonlyArray<ComparableWord> => {
  const tongue = primaryLanguage(language ?? "")
  const plain = (heard ? text.replace(notes, " ") : text).replace(markup, " ").normalize("NFKC")
  const known = new Set(
    Array.from(wordsIn(withSigns(other.normalize("NFKC"), tongue)), (word) => formOf(word, tongue))
  )
  return wordsIn(withSigns(plain, tongue)).flatMap((written) =>
    /\p{Nd}/u.test(written)
      ? bestReading(written, tongue, known).map((word) => wordOf(word, tongue, written))
      : [wordOf(written, tongue, written)]
  )
}

const wordOf = (word: string, tongue: string, written: string): ComparableWord => ({
  form: formOf(word, tongue),
  written: written.replace(fromSign, ""),
  unspaced: oneUnspaced.test(word.replace(fromSign, "")),
  optional: word.startsWith(fromSign)
})

/** Marks the words of signs until the text is split into words. */
const fromSign = "\ue000"

const unspacedLetter =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー々]\\p{M}*"
const oneUnspaced = new RegExp(`^${unspacedLetter}$`, "u")
const startsUnspaced = new RegExp(`^${unspacedLetter}`, "u")
const number = "\\p{Nd}+(?:[.,]\\p{Nd}+)*"
const letters =
  "(?:(?!\\p{sc=Han}|\\p{sc=Hiragana}|\\p{sc=Katakana}|\\p{sc=Thai}|\\p{sc=Lao}|\\p{sc=Khmer}|\\p{sc=Myanmar})[\\p{L}\\p{M}'’])+"
const wordPattern = new RegExp(`${number}|${fromSign}?(?:${unspacedLetter}|${letters})`, "gu")

const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.match(wordPattern) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word))

/** Words of signs, by language. Other languages drop the sign. */
const signs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { "%": "percent", "&": "and", "+": "plus", $: "dollars", "€": "euros", "£": "pounds" },
  de: { "%": "Prozent", "&": "und", "+": "plus", $: "Dollar", "€": "Euro", "£": "Pfund" },
  fr: { "%": "pour cent", "&": "et", "+": "plus", $: "dollars", "€": "euros", "£": "livres" },
  es: { "%": "por ciento", "&": "y", "+": "más", $: "dólares", "€": "euros", "£": "libras" },
  it: { "%": "per cento", "&": "e", "+": "più", $: "dollari", "€": "euro", "£": "sterline" },
  pt: { "%": "por cento", "&": "e", "+": "mais", $: "dólares", "€": "euros", "£": "libras" },
  nl: { "%": "procent", "&": "en", "+": "plus", $: "dollar", "€": "euro", "£": "pond" },
  vi: { "%": "phần trăm", "&": "và", "+": "cộng", $: "đô la", "€": "euro", "£": "bảng" },
  ja: { "%": "パーセント", "&": "アンド", "+": "プラス", $: "ドル", "€": "ユーロ", "£": "ポンド" }
}

/** Writes out signs; a currency's comes after its amount. */
const withSigns = (text: string, tongue: string): string =>
  text.replace(/([$€£])\s?(\p{Nd}+(?:[.,]\p{Nd}+)*)/gu, "$2 $1").replace(/[%&+$€£]/gu, (sign) => {
    const words = signs[tongue]?.[sign]?.split(" ") ?? []
    return ` ${words.map(marked).join(" ")} `
  })

/** Marks a word, or each character of a script without spaces. */
const marked = (word: string): string =>
  (startsUnspaced.test(word) ? Array.from(word) : [word]).map((piece) => fromSign + piece).join("")

/** Returns the words of the number's reading that has most words in common with the other text. */
const bestReading = (written: string, tongue: string, known: ReadonlySet<string>): ReadonlyArray<string> => {
  let best: ReadonlyArray<string> = [written]
  let most = -1
  for (const reading of numberReadings(plainNumber(written), tongue)) {
    const words = wordsIn(reading)
    const common = words.filter((word) => known.has(formOf(word, tongue))).length / Math.max(1, words.length)
    if (common > most) [best, most] = [words, common]
  }
  return best
}

/** Writes a number without thousands separators and with a dot before decimals. */
const plainNumber = (written: string): string => {
  const digits = written.replace(/\p{Nd}/gu, (digit) => asciiDigit(digit))
  const groups = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/u.exec(digits)
  const decimal = groups === null ? digits.replace(",", ".") : digits
  const point = groups === null ? Math.max(0, decimal.lastIndexOf(".")) : decimal.length
  return decimal.slice(0, point).replace(/[.,]/gu, "") + decimal.slice(point)
}

/** Decimal digits of every script come in runs of ten. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return digit
  let zero = code
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}

/** Normalizes a word for comparison: lower case, one kana, and no accents except in Vietnamese. */
const formOf = (word: string, tongue: string): string => {
  const small = tongue === "tr" ? word.toLocaleLowerCase("tr") : word.toLowerCase()
  const lower = small.replace(/['’\ue000]/gu, "")
  if (tongue === "vi") return vietnameseForm(lower)
  if (/^[a-z\d]*$/u.test(lower)) return lower
  return lower
    .replace(/[\u30a1-\u30f6]/gu, (kana) => String.fromCodePoint((kana.codePointAt(0) ?? 0) - 0x60))
    .replace(/\p{sc=Latin}\p{M}*|\p{sc=Greek}\p{M}*|\p{sc=Cyrillic}\p{M}*/gu, (letter) =>
      letter.normalize("NFD").replace(/\p{M}/gu, "")
    )
    .replace(/[\u0591-\u05c7\u064b-\u0652\u0640]/gu, "")
    .replace(/[ßœæøłđð]/gu, (letter) => unaccented[letter] ?? letter)
    .normalize("NFC")
}

const unaccented: Readonly<Record<string, string>> = {
  ß: "ss",
  œ: "oe",
  æ: "ae",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d"
}

/** Grave, acute, tilde, hook above and dot below, as combining marks. */
const tones = "\u0300\u0301\u0303\u0309\u0323"
const tone = new RegExp(`[${tones}]`, "gu")

/**
 * Returns a Vietnamese syllable with its tone as a digit at the end: "hoà" and "hòa" are one word, "ma" and "má" are
 * two. Final y after consonants is spelt i as often ("kỹ", "kĩ").
 */
const vietnameseForm = (syllable: string): string => {
  const parts = syllable.normalize("NFD")
  const mark = parts.match(tone)?.[0]
  const base = parts
    .replace(tone, "")
    .normalize("NFC")
    .replace(/^(qu|[hklmstđ])y$/u, "$1i")
  return mark === undefined ? base : `${base}${tones.indexOf(mark) + 1}`
}

/**
 * Returns the language of a text by its script or its common words; undefined if the text does not show it. It needs
 * `lead` common words more than any other language has.
 */
export const languageShown = (text: string, lead: number): string | undefined => {
  const script = scripts.find(([, pattern]) => pattern.test(text))
  if (script !== undefined) return script[0]
  const [first, second] = [...frequentWords(text)].sort((a, b) => b[1] - a[1])
  return first !== undefined && first[1] - (second?.[1] ?? 0) >= lead ? first[0] : undefined
}

const scripts: ReadonlyArray<readonly [string, RegExp]> = [
  ["ja", /[\p{sc=Hiragana}\p{sc=Katakana}]/u],
  ["ko", /\p{sc=Hangul}/u],
  ["zh", /\p{sc=Han}/u],
  ["th", /\p{sc=Thai}/u],
  ["hi", /\p{sc=Devanagari}/u],
  ["el", /\p{sc=Greek}/u],
  ["he", /\p{sc=Hebrew}/u]
]

type Reader = (value: string) => string

const readers: Readonly<Record<string, Reader>> = {
  ...{ cs, da, de, el, en, es, fi, fr, hi, hu, id, it, ja, ko },
  ...{ nb, no: nb, nl, pl, pt, ro, ru, sv, th, tr, uk, vi },
  zh: (value) => zh(value, { formal: false })
}

/** Longer numbers are read digit by digit only. */
const maxDigits = 12

/**
 * Returns the ways to read digits with an optional decimal part after a dot. They are read as a cardinal, as a year or
 * in pairs (1984: nineteen eighty-four), and digit by digit. Without a reader for the language, returns the digits.
 */
const numberReadings = (digits: string, language: string): ReadonlyArray<string> => {
  const read = readers[language]
  if (read === undefined) return [digits]
  const spelled = Array.from(digits.replace(/\D/gu, ""), (digit) => read(digit)).join(" ")
  if (digits.length > maxDigits || !/^\d+(?:\.\d+)?$/u.test(digits)) return [spelled]
  const pairs = /^(\d\d)(\d\d)$/u.exec(digits)
  const [first = "", second = ""] = pairs?.slice(1) ?? []
  return [
    read(digits),
    ...(pairs === null || first === "00"
      ? []
      : language === "de"
        ? [`${read(first)}hundert${Number(second) === 0 ? "" : read(second)}`]
        : [
            Number(second) === 0 && language === "en"
              ? `${read(first)} hundred`
              : `${read(first)} ${read(second)}`,
            `${read(first)} oh ${read(second)}`
          ]),
    ...(digits.length > 1 ? [spelled] : [])
  ]
}
