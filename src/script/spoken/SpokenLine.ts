/** Cleans one speaker's text for a voice: joins lines, resolves hyphenation, normalizes dashes, removes signs. */

/** A file's words in lower case, for rejoining words hyphenated at line ends. */
export interface Vocabulary {
  /** Words written with a hyphen within a line. */
  readonly hyphenated: ReadonlySet<string>
  /** Words without a hyphen. */
  readonly plain: ReadonlySet<string>
}

/** Collects a file's words; `texts` are its cues. Empty if no word is hyphenated at a line end. */
export const vocabularyOf = (texts: ReadonlyArray<string>): Vocabulary => {
  const hyphenated = new Set<string>()
  const plain = new Set<string>()
  if (texts.some((text) => brokenWord.test(text)))
    for (const text of texts)
      for (const match of text.matchAll(
        /\p{L}[\p{L}\p{M}]*(?:[-\u2010]\p{L}[\p{L}\p{M}]*)*(?![-\u2010\p{L}\p{M}])/gu
      ))
        (/[-\u2010]/u.test(match[0]) ? hyphenated : plain).add(match[0].toLowerCase())
  return { hyphenated, plain }
}

const brokenWord = /\p{L}[-\u2010]\n/u

/** First halves that always keep their hyphen: "self-", "well-", "e-". */
const prefixes = new Set(
  "self well ex non co e anti multi semi half vice all cross high low long short old new mid so pre post re pro auto".split(
    " "
  )
)

/** Returns the text for a voice: one line of words to pronounce. */
export const cleanLine = (text: string, vocabulary: Vocabulary): string =>
  ordinary.test(text) && !untidy.test(text)
    ? text
    : punctuated(withoutSigns(joined(text.replace(misplaced, "$2$1"), vocabulary))).normalize("NFC")

/** Only letters, digits, punctuation and spaces that cleaning keeps, in one line: true of most lines of most files. */
const ordinary =
  /^[A-Za-z\d\u00c0-\u024f\u0400-\u0482\u048a-\u04ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3 .,!?…:;'’"“”«»()%&/、。，！？—–-]*$/u

/** Punctuation and spaces that cleaning may change. */
const untidy = /^[ .…,;:、，—–]|--|[—–]{2}| [ ,.;!?…]| [-–]?$/u

/** Final punctuation before a right-to-left line, where an editor for left-to-right text puts it. */
const misplaced =
  /^[ \t]*([.,!?؟،]|[!?؟]{2,3})[ \t]*(?=[\p{sc=Hebrew}\p{sc=Arabic}])([^\n]*[\p{L}\p{M}\p{N}"”])[ \t]*$/gmu

/**
 * Removes characters that are never pronounced: control and private-use characters, emoji, arrows, leftovers of markup.
 */
const withoutSigns = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\ufffd]/gu, (sign) =>
      /[\u200c\u200d]/u.test(sign) ? sign : /\s/u.test(sign) ? " " : ""
    )
    .replace(
      /\p{Extended_Pictographic}(?:[\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*/gu,
      (sign) => (/[©®™]/u.test(sign) ? sign : " ")
    )
    .replace(/[{}•▪●■]|[-=]{1,2}>|[→⇒]/gu, " ")
    .replace(/<(?=\/?\p{L})|(?<=\p{L}["'/]?)>/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()

/**
 * Normalizes punctuation: single spaces, `--` as an em dash. Removes dots, commas and dashes that only mark the
 * continuation of a sentence.
 */
const punctuated = (text: string): string => {
  const line = text
    .replace(/ ?-{2,} ?/gu, " — ")
    .replace(/[—–]{2,}/gu, "—")
    .replace(/ {2,}/gu, " ")
  const lead = /^[ .…,;:、，；—–]+/u.exec(line)?.[0] ?? ""
  // A single full stop right before a word belongs to it: ".5", ".NET".
  return line
    .slice(/(?:^| )\.$/u.test(lead) ? lead.length - 1 : lead.length)
    .replace(/ (?=[,.;!?…](?: |$))/gu, (space, at: number, whole: string) =>
      /[.…]/u.test(whole[at - 1] ?? "") ? space : ""
    )
    .replace(/ [-\u2010\u2013] *$/u, "")
    .replace(/(?<=[.!?…]) \.(?! ?\.)/gu, "")
    .trim()
}

/** Words before which a hyphen at a line's end marks an omitted part: "Vor-\nund Nachteile". */
const joiners = new Set("und oder bzw and or et ou y o e en of och eller og i и или".split(" "))

/**
 * Joins lines, and rejoins words hyphenated at line ends. A word keeps its hyphen if the file writes it with one. So
 * does a word whose first half is a known prefix or a word of its own.
 */
const joined = (text: string, vocabulary: Vocabulary): string =>
  text
    .replace(
      /(?<![\p{L}\p{M}'’-])(\p{L}[\p{L}\p{M}]*)[-\u2010]\n\s*(?=(\p{Ll}[\p{L}\p{M}]*))/gu,
      (_, first: string, second: string) => {
        if (joiners.has(second)) return `${first}- `
        const [half, whole] = [first.toLowerCase(), `${first}-${second}`.toLowerCase()]
        return prefixes.has(half) || vocabulary.hyphenated.has(whole) || vocabulary.plain.has(half)
          ? `${first}-`
          : first
      }
    )
    .replace(/\n+/gu, " ")
