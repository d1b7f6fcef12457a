/** A word of a text as it is written, and as it is spoken. */

/** One written word (or several that are read as one, such as "5 000") and what is said for it. */
export interface Token {
  /** The text's own characters between the token before and this one. */
  readonly gap: string
  /** As written, with its punctuation. The gaps and originals joined are the text, up to white space at its end. */
  readonly original: string
  /** What to say: words with single spaces between them, and punctuation for its pauses; empty for what is silent. */
  readonly spoken: string
}
