/** One speaker's lines of text to what is said: line breaks, hyphens, dashes and signs as a voice takes them. */

/** What a whole file says about its words, in lower case: for words broken at a line's end. */
export interface Vocabulary {
  /** Words written with a hyphen within a line. */
  readonly hyphenated: ReadonlySet<string>
  /** Words that stand by themselves. */
  readonly plain: ReadonlySet<string>
}

/** Gathers a file's words; `texts` are its cues. */
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

/** First halves that keep their hyphen: "self-", "well-", "e-". */
const prefixes = new Set(
  "self well ex non co e anti multi semi half vice all cross high low long short old new mid so pre post re pro auto".split(
    " "
  )
)

/** What a voice is given: one line, with nothing in it that is only for the eye. */
export const cleanLine = (text: string, vocabulary: Vocabulary): string =>
  punctuated(withoutSigns(joined(text.replace(misplaced, "$2$1"), vocabulary))).normalize("NFC")

/** The sign that ends a line from right to left, before it, as an editor that writes from left to right has put it. */
const misplaced =
  /^[ \t]*([.,!?؟،]|[!?؟]{2,3})[ \t]*(?=[\p{sc=Hebrew}\p{sc=Arabic}])([^\n]*[\p{L}\p{M}\p{N}"”])[ \t]*$/gmu

/**
 * Without what is seen and never said: control and private characters, pictures, arrows, and what is left of
 * mark-up.
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
 * With single spaces, dashes as dashes, and none of the dots, commas and dashes that only say that a sentence goes
 * on.
 */
const punctuated = (text: string): string => {
  const line = text
    .replace(/ ?-{2,} ?/gu, " — ")
    .replace(/[—–]{2,}/gu, "—")
    .replace(/ {2,}/gu, " ")
  const lead = /^[ .…,;:、，；—–]+/u.exec(line)?.[0] ?? ""
  // A single full stop before a word belongs to it: ".5", ".NET".
  return line
    .slice(/(?:^| )\.$/u.test(lead) ? lead.length - 1 : lead.length)
    .replace(/ (?=[,.;!?…](?: |$))/gu, (space, at: number, whole: string) =>
      /[.…]/u.test(whole[at - 1] ?? "") ? space : ""
    )
    .replace(/ [-\u2010\u2013] *$/u, "")
    .replace(/(?<=[.!?…]) \.(?! ?\.)/gu, "")
    .trim()
}

/** Words before which a hyphen at a line's end stands for a part left out: "Vor-\nund Nachteile". */
const joiners = new Set("und oder bzw and or et ou y o e en of och eller og i и или".split(" "))

/**
 * Lines as one. A word broken by a hyphen at the end of a line is whole again; it keeps the hyphen where it is
 * known to have one, and where its first half is a word of its own.
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
