/** What of a written word a voice can say. */

/** Emoji, ornaments and invisible characters, of which no voice makes words. */
const mute =
  /(?![©®™])\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f\u20e3\u00ad\u200b\u2060\ufeff♪♫♩♬]|[\p{Cc}\p{Co}\p{Cs}\p{Cn}]/gu

/** A letter, a number, or a sign that is read as a word. */
const meaning = /[\p{L}\p{N}\p{Sc}&@%‰+=<>~^×÷±°§©®™]/u

/** Digits beyond this many are read one by one: no voice makes a number of them that can be followed. */
const longestNumber = 12

/** The word without what is mute; empty if nothing is left to say. */
export const pronounceable = (written: string): string => {
  const plain = written.normalize("NFC").replace(mute, "")
  return meaning.test(plain) ? plain : ""
}

/** The word with every number too long to follow read digit by digit. */
export const spelledNumbers = (word: string): string =>
  word.replace(/\d+/gu, (digits) => (digits.length > longestNumber ? Array.from(digits).join(" ") : digits))

/** A word parted into the punctuation before it, the word itself, and the punctuation behind it. */
export interface SplitWord {
  readonly before: string
  readonly core: string
  readonly after: string
}

const opening = /[\p{Ps}\p{Pi}"'¿¡\-–—…*_.,;:!?]/u
const closing = /[\p{Pe}\p{Pf}"'\-–—…*_.,;:!?。！？]/u

/** Signs that belong to a word's meaning stay in its core: $, %, °, + and the like; a dot inside stays too. */
export const splitWord = (word: string): SplitWord => {
  const characters = Array.from(word)
  let from = 0
  while (from < characters.length && opening.test(characters[from] ?? "")) from++
  let to = characters.length
  while (to > from && closing.test(characters[to - 1] ?? "")) to--
  return {
    before: characters.slice(0, from).join(""),
    core: characters.slice(from, to).join(""),
    after: characters.slice(to).join("")
  }
}
