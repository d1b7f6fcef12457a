/** Tones: how a line is to be said, such as `whispers`. */

/** A tone: letters, digits, spaces, hyphens and apostrophes, so that it cannot be mistaken for anything else. */
export const tonePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '\u2019-]{0,59}$/u

/** A text, separated from the tone in brackets at its beginning. */
export interface TonedText {
  readonly text: string
  readonly tone?: string
}

/** Separates a tone such as `[whispers]` from the text that follows it. Other brackets are part of the text. */
export const splitTone = (text: string): TonedText => {
  const [, tone = "", rest = ""] = /^\s*\[([^[\]]+)\]\s*(\S[^]*)$/u.exec(text) ?? []
  return tonePattern.test(tone) ? { tone, text: rest } : { text }
}

/**
 * Returns the provider's tone that matches a tone: `whispers` means `whispering`, `very sad` means `sad`. Undefined if
 * none fits.
 */
export const toneAmong = (tone: string | undefined, offered: ReadonlyArray<string>): string | undefined => {
  const words = (tone ?? "").split(/[ -]+/u).map(stemOf)
  return offered.find((one) => words.includes(stemOf(one)))
}

/** Removes the endings of English adverbs, participles and verbs. */
const stemOf = (word: string): string => {
  const shorter = word.toLowerCase().replace(/(?<=.{3})(?:ing|ily|ly|y|ed|s)$/u, "")
  return shorter === word.toLowerCase() ? shorter : stemOf(shorter)
}
