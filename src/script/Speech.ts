/** One speaker's lines of text to what is said: line breaks, hyphens, dashes and signs as a voice takes them. */

/** What a whole file says about its words: for words broken at a line's end. */
export type Vocabulary = ReadonlySet<string>

/** The hyphenated words that a file writes within its lines, in lower case. */
export const vocabularyOf = (texts: Iterable<string>): Vocabulary => {
  const words = new Set<string>()
  for (const text of texts)
    for (const match of text.matchAll(/\p{L}+(?:[-\u2010]\p{L}+)+/gu)) words.add(match[0].toLowerCase())
  return words
}

/** First halves that keep their hyphen: "self-", "well-", "e-". */
const prefixes = new Set(
  "self well ex non co e anti multi semi half vice all cross high low long short old new mid so pre post re pro auto".split(
    " "
  )
)

/** What a voice is given: one line, with nothing in it that is only for the eye. */
export const spokenLine = (text: string, vocabulary: Vocabulary): string =>
  joined(text, vocabulary)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\ufffd]/gu, (sign) =>
      /[\u200c\u200d]/u.test(sign) ? sign : /\s/u.test(sign) ? " " : ""
    )
    .replace(
      /\p{Extended_Pictographic}(?:[\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*/gu,
      (sign) => (/[©®™]/u.test(sign) ? sign : " ")
    )
    .replace(/[{}]/gu, " ")
    .replace(/<(?=\/?\p{L})|(?<=\p{L}["'/]?)>/gu, " ")
    .replace(/[-=]{1,2}>|[→⇒]/gu, " ")
    .replace(/\s*-{2,}\s*/gu, " — ")
    .replace(/\s+/gu, " ")
    .replace(/^(?:\.{2,}|…|[\s,;:、，;])+(?=\s*[^\s.])/u, "")
    .replace(/\s+(?=[,.;!?…](?:\s|$))/gu, (space, at: number, whole: string) =>
      /[.…]/u.test(whole[at - 1] ?? "") ? space : ""
    )
    .replace(/^[\s—–]+|[\s—–]*$/gu, (edge, at: number) => (at === 0 ? "" : edge.trimEnd()))
    .trim()
    .normalize("NFC")

/** Lines as one. A word broken by a hyphen at the end of a line is whole again, and keeps the hyphen where it is known to have one. */
const joined = (text: string, vocabulary: Vocabulary): string =>
  text
    .replace(
      /(?<![\p{L}\p{M}'’-])(\p{L}[\p{L}\p{M}]*)[-\u2010]\n\s*(?=(\p{Ll}[\p{L}\p{M}]*))/gu,
      (_, first: string, second: string) =>
        prefixes.has(first.toLowerCase()) || vocabulary.has(`${first}-${second}`.toLowerCase())
          ? `${first}-`
          : first
    )
    .replace(/\n+/gu, " ")
