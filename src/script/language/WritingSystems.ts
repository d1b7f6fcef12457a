/** Facts about writing systems: scripts without spaces, capitals, word counts, the script of a text. */
import { characterTable, forEachPoint } from "./CharacterTable.ts"

/** One character of a writing system without spaces between words. */
export const unspaced =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]"

const anyUnspaced = new RegExp(unspaced, "u")
const everyUnspaced = new RegExp(unspaced, "gu")

/** Whether a text contains characters of such a writing system. */
export const isUnspaced = (text: string): boolean => anyUnspaced.test(text)

/** Whether a text has anything to pronounce: a letter or a digit. */
export const isPronounceable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Counts words; in scripts without spaces, two characters count as one word. */
export const wordCount = (text: string): number => {
  const characters = text.match(everyUnspaced)?.length ?? 0
  const words = text.replace(everyUnspaced, " ").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu)?.length ?? 0
  return words + Math.ceil(characters / 2)
}

/** Whether a text has at least two capitals and no lower-case letters. */
export const isCapitals = (text: string): boolean => {
  const { upper, lower } = lettersByCase(text)
  return upper >= 2 && lower === 0
}

/** Counts a text's capitals and lower-case letters. */
export const lettersByCase = (text: string): { readonly upper: number; readonly lower: number } => {
  let [upper, lower] = [0, 0]
  forEachPoint(text, (point) => {
    const letter = caseAt(point)
    if (letter > 0) upper++
    else if (letter < 0) lower++
  })
  return { upper, lower }
}

/** Returns 1 for a capital, -1 for a lower-case letter, else 0. */
const caseAt = characterTable((character) =>
  /\p{Lu}/u.test(character) ? 1 : /\p{Ll}/u.test(character) ? -1 : 0
)

/** Normalizes a text for comparison: lower case, single spaces, no punctuation. */
export const wordsOnly = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()

/**
 * Returns the script of most of a text's letters, among the scripts listed below; undefined if no letter is in one of
 * them.
 */
export const scriptOf = (text: string): string | undefined => {
  const counts = new Uint32Array(scripts.length)
  forEachPoint(text, (point) => {
    const script = scriptAt(point)
    if (script >= 0) counts[script] = (counts[script] ?? 0) + 1
  })
  const most = counts.reduce((one, other) => Math.max(one, other))
  return most === 0 ? undefined : scripts[counts.indexOf(most)]?.[0]
}

/** Returns the position of a code point's script in the list below; -1 for other characters. */
const scriptAt = characterTable((character) =>
  scripts.findIndex(([, pattern]) => character.match(pattern) !== null)
)

/** Returns the name of the pattern that a text matches most often, the first of equals; undefined without a match. */
export const mostFrequent = (
  text: string,
  patterns: ReadonlyArray<readonly [name: string, pattern: RegExp]>
): string | undefined => {
  let best: string | undefined
  let most = 0
  for (const [name, pattern] of patterns) {
    const count = text.match(pattern)?.length ?? 0
    if (count > most) {
      most = count
      best = name
    }
  }
  return best
}

/** Whether a text has letters of the named script. */
export const hasScript = (text: string, script: string): boolean =>
  scripts.some(([name, pattern]) => name === script && text.match(pattern) !== null)

const scripts: ReadonlyArray<readonly [string, RegExp]> = [
  ["Latin", /\p{sc=Latin}/gu],
  ["Han", /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu],
  ["Hangul", /\p{sc=Hangul}/gu],
  ["Cyrillic", /\p{sc=Cyrillic}/gu],
  ["Arabic", /\p{sc=Arabic}/gu],
  ["Hebrew", /\p{sc=Hebrew}/gu],
  ["Greek", /\p{sc=Greek}/gu],
  ["Thai", /\p{sc=Thai}/gu],
  ["Devanagari", /\p{sc=Devanagari}/gu],
  ["Bengali", /\p{sc=Bengali}/gu],
  ["Gujarati", /\p{sc=Gujarati}/gu],
  ["Tamil", /\p{sc=Tamil}/gu],
  ["Telugu", /\p{sc=Telugu}/gu],
  ["Georgian", /\p{sc=Georgian}/gu],
  ["Armenian", /\p{sc=Armenian}/gu]
]
