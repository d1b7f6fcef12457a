/**
 * A text as an engine should read it, token by token, so that the times of what is spoken can be told of the words as
 * they were written.
 */
import { speakEnglish } from "./EnglishText.ts"
import { pronounceable, spelledNumbers } from "./Pronounceable.ts"
import { speakVietnamese } from "./vietnamese/VietnameseText.ts"
import type { Token } from "./Token.ts"
import { writtenWords } from "./WrittenWords.ts"

/**
 * The tokens of a text in a language (a BCP 47 tag). Vietnamese is written out in full: numbers, dates, units,
 * abbreviations. English is helped only where engines misread it. Every other language is left to the engine.
 */
export const normalizeText = (text: string, language: string): ReadonlyArray<Token> => {
  const words = writtenWords(text, language)
  switch (primaryTag(language)) {
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

/** "vi" of "vi-VN". */
export const primaryTag = (language: string): string => language.toLowerCase().replace(/[-_].*$/u, "")

/**
 * Punctuation that stands alone ("Quoi ?", "one – two") goes with the word before it: final marks as they are, others
 * as a comma.
 */
const withPauses = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> =>
  tokens.map((token, index) => {
    const next = tokens[index + 1]
    if (next === undefined || next.spoken !== "" || !/[\p{L}\p{N}]$/u.test(token.spoken)) return token
    if (/^[!?]+$/u.test(next.original)) return { ...token, spoken: token.spoken + next.original }
    return /^[-–—―…,;:.]+$/u.test(next.original) ? { ...token, spoken: `${token.spoken},` } : token
  })
