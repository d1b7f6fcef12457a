/** Normalizes a text for an engine, token by token, so that spoken times map back to the words as written. */
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { speakEnglish } from "./EnglishText.ts"
import { pronounceable, spelledNumbers } from "./Pronounceable.ts"
import { speakVietnamese } from "./vietnamese/VietnameseText.ts"
import type { Token } from "./Token.ts"
import { writtenWords } from "./WrittenWords.ts"

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
