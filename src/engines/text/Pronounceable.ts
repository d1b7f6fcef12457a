/** Removes the parts of a written word that no voice can speak. */

/** Emoji, ornaments and invisible characters, which no voice can speak. */
const mute =
  /(?![©®™])\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f\u20e3\u00ad\u200b\u2060\ufeff♪♫♩♬]|[\p{Cc}\p{Co}\p{Cs}\p{Cn}]/gu

/** A letter, a number, or a sign that is read as a word. */
const meaning = /[\p{L}\p{N}\p{Sc}&@%‰+=<>~^×÷±°§©®™]/u

/** Longer numbers are read digit by digit: as one number they would be unintelligible. */
const maxNumber = 12

/** Returns the word without mute characters; empty if nothing is left to speak. */
export const pronounceable = (written: string): string => {
  const plain = written.normalize("NFC").replace(mute, "")
  return meaning.test(plain) ? plain : ""
}

/** Spells every number of more than 12 digits digit by digit. */
export const spelledNumbers = (word: string): string =>
  word.replace(/\d+/gu, (digits) => (digits.length > maxNumber ? Array.from(digits).join(" ") : digits))

/** A word split into the punctuation before it, the word itself, and the punctuation after it. */
export interface SplitWord {
  readonly before: string
  readonly core: string
  readonly after: string
}

const opening = /[\p{Ps}\p{Pi}"'¿¡\-–—…*_.,;:!?]/u
const closing = /[\p{Pe}\p{Pf}"'\-–—…*_.,;:!?。！？]/u

/** Splits a word. Signs with a meaning, such as $, %, ° and +, stay in its core, and so do dots inside. */
export const splitWord = (word: string): SplitWord => {
  let from = 0
  while (opening.test(word.charAt(from))) from++
  let to = word.length
  while (to > from && closing.test(word.charAt(to - 1))) to--
  return { before: word.slice(0, from), core: word.slice(from, to), after: word.slice(to) }
}
