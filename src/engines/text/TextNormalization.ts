/** Normalizes a text for an engine, token by token, so that spoken times map back to the words as written. */
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { pronounceable, spelledNumbers, splitWord } from "./Pronounceable.ts"
import { readings, type Token } from "./Token.ts"
import { writtenWords, type Word } from "./WrittenWords.ts"
import { ownsDot } from "./vietnamese/Abbreviations.ts"
import { mergedNumbers, westernDigits } from "./vietnamese/Digits.ts"
import { digitByDigit } from "./vietnamese/Numbers.ts"
import { readCore, type Neighbours } from "./vietnamese/WordReading.ts"

/**
 * Returns the tokens of a text in a language (BCP 47). Writes out numbers, dates, units and abbreviations in
 * Vietnamese, and in English only what engines misread. Leaves other languages to the engine.
 */
export const normalizeText = (text: string, language: string): ReadonlyArray<Token> => {
  const words = writtenWords(text, language)
  switch (primaryLanguage(language)) {
    case "vi":
      return withPauses(speakVietnamese(words))
    case "en":
      return withPauses(speakEnglish(words))
    default:
      return withPauses(
        words.map(({ gap, original }) => ({ gap, original, spoken: spelledNumbers(pronounceable(original)) }))
      )
  }
}

/**
 * Attaches free-standing punctuation ("Quoi ?", "one – two") to the word before it: `!` and `?` unchanged, other marks
 * as a comma.
 */
const withPauses = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> =>
  tokens.map((token, index) => {
    const next = tokens[index + 1]
    if (next === undefined || next.spoken !== "" || !/[\p{L}\p{N}]$/u.test(token.spoken)) return token
    if (/^[!?]+$/u.test(next.original)) return { ...token, spoken: token.spoken + next.original }
    return /^[-–—―…,;:.]+$/u.test(next.original) ? { ...token, spoken: `${token.spoken},` } : token
  })

/** Writes out words. The spoken forms contain no digits. */
const speakVietnamese = (words: ReadonlyArray<Word>): ReadonlyArray<Token> => {
  const merged = mergedNumbers(words)
  const cores = merged.map(({ original }) => splitWord(westernDigits(pronounceable(original))).core)
  const shouted = cores.every((core) => core === core.toUpperCase())
  return merged.map(({ gap, original }, index) => {
    const around: Neighbours = {
      before: cores[index - 1] ?? "",
      twoBefore: cores[index - 2] ?? "",
      after: cores[index + 1] ?? "",
      shouted
    }
    return { gap, original, spoken: spokenWord(original, around) }
  })
}

const spokenWord = (original: string, around: Neighbours): string => {
  if (/^[-–—−~]$/u.test(original) && /\d\S*$/u.test(around.before) && /^\d/u.test(around.after)) return "đến"
  const { before, core, after } = splitWord(westernDigits(pronounceable(original)))
  if (core === "") return ""
  const dot = after.startsWith(".")
  const read = readCore(core, dot, around)
  const minus = /^[-−–]$/u.test(before) && /^\d/u.test(core) && /^(?:°|độ|%|phần)/u.test(around.after)
  const closing = dot && ownsDot(core) && around.after !== "" ? after.slice(1) : after
  return `${minus ? "âm " : before.replace(/[-–—*_]/gu, "")}${withoutDigits(read)}${closing}`.trim()
}

/** Reads the remaining digits, which no rule matched, one by one. */
const withoutDigits = (read: string): string =>
  read
    .replace(/\p{Nd}+/gu, (digits) => ` ${digitByDigit(westernDigits(digits))} `)
    .replace(/\s+/gu, " ")
    .trim()

/** Abbreviations written out, since engines take their dot for the end of a sentence. */
const abbreviations = readings(`
  mr. = Mister; mrs. = Missus; ms. = Miz; dr. = Doctor; prof. = Professor; sgt. = Sergeant;
  capt. = Captain; lt. = Lieutenant; col. = Colonel; gen. = General; gov. = Governor; sen. = Senator;
  rev. = Reverend; jr. = Junior; sr. = Senior; vs. = versus; etc. = et cetera; approx. = approximately;
  e.g. = for example; i.e. = that is
`)

const months = "January February March April May June July August September October November December".split(
  " "
)

const compared = new Map([
  ["<", "less than"],
  [">", "greater than"]
])

/** Normalizes English words. */
const speakEnglish = (words: ReadonlyArray<Word>): ReadonlyArray<Token> =>
  words.map(({ gap, original }, index) => ({
    gap,
    original,
    spoken: spokenOf(pronounceable(original), words[index - 1]?.original, words[index + 1]?.original)
  }))

const spokenOf = (word: string, before: string | undefined, after: string | undefined): string => {
  if (word === "" || compared.has(word)) return compared.get(word) ?? ""
  const { before: opening, core, after: closing } = splitWord(word)
  const full = closing.startsWith(".") ? abbreviations.get(`${core.toLowerCase()}.`) : undefined
  if (full !== undefined) {
    // The dot may end a sentence, too: at the text's end, and after "etc." before a capital.
    const ends = after === undefined || (full === "et cetera" && /^\p{Lu}/u.test(after))
    return `${opening}${full}${ends ? closing : closing.slice(1)}`
  }
  if (word === "No." && after !== undefined && /^\d/u.test(after)) return "Number"
  if (word === "St." && after !== undefined && /^\p{Lu}/u.test(after))
    return before !== undefined && /^\p{Lu}/u.test(before) ? "Street" : "Saint"
  return spelledNumbers(written(word))
}

/** Writes out ISO dates, ranges of numbers, and dashes without spaces. */
const written = (word: string): string => {
  const { before, core, after } = splitWord(word)
  const date = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(core)
  const month = months[Number(date?.[2]) - 1]
  if (date !== null && month !== undefined)
    return `${before}${month} ${Number(date[3])}, ${date[1] ?? ""}${after}`
  const range = /^([$£€]?\d+(?:[.,]\d+)?)[-–](\d+(?:[.,]\d+)?%?)$/u.exec(core)
  if (range !== null) return `${before}${range[1] ?? ""} to ${range[2] ?? ""}${after}`
  return word.replace(/(?<=\p{L})(?:--+|[–—])(?=\p{L})/gu, ", ")
}
