/** A word of a text as written and as spoken. */

/** One written word, or several read as one such as "5 000", and its spoken form. */
export interface Token {
  /** The text's characters between the previous token and this one. */
  readonly gap: string
  /** As written, with punctuation. All gaps and originals joined give the text, except white space at its end. */
  readonly original: string
  /** What to speak: words separated by single spaces, with punctuation for pauses; empty if silent. */
  readonly spoken: string
}

/** Reads a table such as `TP Tp = thành phố; VN = Việt Nam`: the spoken form of each written one. */
export const readings = (table: string): ReadonlyMap<string, string> =>
  new Map(
    table.split(";").flatMap((entry) => {
      const [written = "", spoken = ""] = entry.trim().split(" = ")
      return written.split(" ").map((form) => [form, spoken] as const)
    })
  )
