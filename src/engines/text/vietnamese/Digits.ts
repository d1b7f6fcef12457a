/** Converts digits of any script to 0-9, and joins numbers that are written with spaces. */
import { splitWord } from "../Pronounceable.ts"
import type { Word } from "../WrittenWords.ts"

/** Converts other scripts' digits, circled numbers and fractions to plain digits. Keeps ² and ³. */
export const westernDigits = (written: string): string =>
  written.replace(/[^\P{N}0-9²³]/gu, (character) => {
    const plain = character.normalize("NFKC").replace(/\u2044/gu, "/")
    return plain.replace(/(?![0-9])\p{Nd}/gu, digitValue)
  })

/** Returns a decimal digit's value: in Unicode, each script's ten digits are consecutive from its zero. */
const digitValue = (digit: string): string => {
  const at = digit.codePointAt(0) ?? 0
  let zero = at
  while (zero > at - 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(at - zero)
}

/** Joins words that form one number: "5 000 000", "0912 345 678". */
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

/** Returns how many words from here form a telephone number; 0 if none. */
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

/** Returns how many words from here form one number in groups of three digits; 0 if only one. */
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
