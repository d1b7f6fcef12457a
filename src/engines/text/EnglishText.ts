/** Normalizes the English words that engines misread; leaves all others to the engine. */
import type { Token } from "./Token.ts"
import { splitWord, pronounceable, spelledNumbers } from "./Pronounceable.ts"
import type { Word } from "./WrittenWords.ts"

/** Abbreviations written out, since engines take their dot for the end of a sentence. */
const abbreviations = new Map(
  Object.entries({
    "mr.": "Mister",
    "mrs.": "Missus",
    "ms.": "Miz",
    "dr.": "Doctor",
    "prof.": "Professor",
    "sgt.": "Sergeant",
    "capt.": "Captain",
    "lt.": "Lieutenant",
    "col.": "Colonel",
    "gen.": "General",
    "gov.": "Governor",
    "sen.": "Senator",
    "rev.": "Reverend",
    "jr.": "Junior",
    "sr.": "Senior",
    "vs.": "versus",
    "etc.": "et cetera",
    "approx.": "approximately",
    "e.g.": "for example",
    "i.e.": "that is"
  })
)

const months = "January February March April May June July August September October November December".split(
  " "
)

const compared = new Map([
  ["<", "less than"],
  [">", "greater than"]
])

/** Normalizes English words. */
export const speakEnglish = (words: ReadonlyArray<Word>): ReadonlyArray<Token> =>
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
  if (word === "St." && after !== undefined && /^\p{Lu}/u.test(after)) {
    return before !== undefined && /^\p{Lu}/u.test(before) ? "Street" : "Saint"
  }
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
