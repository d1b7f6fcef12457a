/** Digits as they are written: in any script, and parted by spaces into what is one number. */
import { splitWord } from "../Pronounceable.ts"
import type { Word } from "../WrittenWords.ts"

/** Other scripts' digits, circled numbers, fractions and the like in plain digits; the powers ² and ³ stay. */
export const westernDigits = (written: string): string =>
  written.replace(/[^\P{N}0-9²³]/gu, (character) => {
    const plain = character.normalize("NFKC").replace(/\u2044/gu, "/")
    return plain.replace(/(?![0-9])\p{Nd}/gu, digitValue)
  })

/** A decimal digit's value: every script's ten stand in a row, from its zero. */
const digitValue = (digit: string): string => {
  const at = digit.codePointAt(0) ?? 0
  let zero = at
  while (zero > at - 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(at - zero)
}

/** Words with those joined that are one number: "5 000 000", "0912 345 678". */
export const mergedNumbers = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const merged: Array<Word> = []
  for (let index = 0; index < words.length;) {
    const count = Math.max(1, telephone(words, index), thousands(words, index))
    const own = words.slice(index, index + count)
    merged.push({
      gap: own[0]?.gap ?? "",
      original: own.map(({ gap, original }, at) => (at === 0 ? "" : gap) + original).join("")
    })
    index += count
  }
  return merged
}

/** How many words from here are a telephone number; 0 if none. */
const telephone = (words: ReadonlyArray<Word>, from: number): number => {
  if (!/^\(?(?:0\d{1,4}|\+84\d{0,3})\)?$/u.test(words[from]?.original ?? "")) return 0
  let digits = 0
  for (let count = 0; from + count < words.length; count++) {
    const word = words[from + count]
    if (
      word === undefined ||
      (count > 0 && (word.gap !== " " || !/^\d{2,4}[.,;:!?)]*$/u.test(word.original)))
    )
      return 0
    digits += word.original.replace(/\D/gu, "").length
    const whole = digits >= 9 && digits <= 12
    const next = words[from + count + 1]
    if (whole && (next === undefined || next.gap !== " " || !/^\d{2,4}[.,;:!?)]*$/u.test(next.original)))
      return count + 1
    if (digits > 12) return 0
  }
  return 0
}

/** How many words from here are one number in groups of three; 0 if it is a word alone. */
const thousands = (words: ReadonlyArray<Word>, from: number): number => {
  if (!/^[1-9]\d{0,2}$/u.test(splitWord(words[from]?.original ?? "").core)) return 0
  if (!/\d$/u.test(words[from]?.original ?? "")) return 0
  let count = 1
  for (; from + count < words.length; count++) {
    const word = words[from + count]
    if (
      word === undefined ||
      !/^[ \u00a0\u202f\u2009]$/u.test(word.gap) ||
      !/^\d{3}(?!\d)/u.test(word.original)
    )
      break
    if (!/^\d{3}$/u.test(word.original)) return count + 1
  }
  return count > 1 ? count : 0
}
