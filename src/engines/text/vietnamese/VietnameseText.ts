/** Writes out Vietnamese text as people would read it aloud: numbers, dates, units, abbreviations and signs. */
import type { Token } from "../Token.ts"
import { splitWord, pronounceable } from "../Pronounceable.ts"
import type { Word } from "../WrittenWords.ts"
import { ownsDot } from "./Abbreviations.ts"
import { mergedNumbers, westernDigits } from "./Digits.ts"
import { digitByDigit } from "./Numbers.ts"
import { type Neighbours, readCore } from "./WordReading.ts"

/** Writes out words. The spoken forms contain no digits. */
export const speakVietnamese = (words: ReadonlyArray<Word>): ReadonlyArray<Token> => {
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
