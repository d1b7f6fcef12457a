/** Where sentences begin and end, in any script. */

/** Abbreviations behind which a full stop ends no sentence. */
const abbreviations = new Set(
  "mr mrs ms dr prof st jr sr vs etc no nos vol fig gen col sgt capt lt rev hon mt ave dept est approx e.g i.e p pp u.s u.k a.m p.m z.b d.h usw bzw sog nr hr fr sra srta sr ud uds pág art núm m mme mlle ts ths gs pgs tp q т.е т.д т.п им г ул стр".split(
    " "
  )
)

const segmenters = new Map<string, Intl.Segmenter>()

/** The most that a segmenter is given at once: with the length of a text it takes ever longer for each step. */
const window = 2_000

/**
 * Where the words or sentences of a text begin: its segments in order, nothing left out. An unknown language tag
 * counts as none.
 */
export const textSegments = (
  text: string,
  granularity: "sentence" | "word",
  language: string | undefined
): ReadonlyArray<string> => {
  const segmenter = segmenterOf(granularity, language)
  const segments: Array<string> = []
  let from = 0
  let size = window
  while (from < text.length) {
    const piece = text.slice(from, from + size)
    const found = Array.from(segmenter.segment(piece), ({ segment }) => segment)
    const last = from + piece.length === text.length
    if (!last && found.length === 1) {
      size *= 2
      continue
    }
    // The last segment of a window may go on behind it: it is looked at again with what follows.
    const kept = last ? found : found.slice(0, -1)
    segments.push(...kept)
    from += kept.reduce((sum, segment) => sum + segment.length, 0)
    size = window
  }
  return segments
}

/** A segmenter for a language, made once. */
const segmenterOf = (granularity: "sentence" | "word", language: string | undefined): Intl.Segmenter => {
  const key = `${granularity} ${language ?? ""}`
  const made = segmenters.get(key)
  if (made !== undefined) return made
  const segmenter = new Intl.Segmenter(language === undefined || !isTag(language) ? undefined : language, {
    granularity
  })
  segmenters.set(key, segmenter)
  return segmenter
}

const isTag = (language: string): boolean => {
  try {
    return Intl.getCanonicalLocales(language).length === 1
  } catch {
    return false
  }
}

/**
 * The sentences of a text in order, trimmed; together they hold every character of it but white space. Signs
 * without a word are part of the sentence before them.
 */
export const splitSentences = (text: string, language?: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let open = ""
  // Its last characters apart: to look at the end of a text that grows takes as long as all of it is.
  let end = ""
  const close = (): void => {
    const last = sentences.at(-1)
    if (last !== undefined && !/[\p{L}\p{N}]/u.test(open))
      sentences[sentences.length - 1] = `${last} ${open.trim()}`.trim()
    else if (last !== undefined && !/[\p{L}\p{N}]/u.test(last))
      sentences[sentences.length - 1] = `${last} ${open.trim()}`
    else if (open.trim() !== "") sentences.push(open.trim())
    open = end = ""
  }
  const segments = textSegments(text, "sentence", language)
  segments.forEach((segment, at) => {
    open += segment
    end = (end + segment).slice(-longestEnd)
    const goesOn = asideAtEnd.test(end) && /^\p{Ll}/u.test(segments[at + 1] ?? "")
    if ((endsSentence(end) && !goesOn) || /\n\s*$/u.test(segment)) close()
  })
  close()
  return sentences
}

/** An exclamation, a question or something quoted: a small letter behind it goes on with the sentence that holds it. */
const asideAtEnd = /(?:[!?…？！]|["'”’»」』])\s*$/u

/** How far back from its end a text is looked at: an abbreviation with its closing signs and white space. */
const longestEnd = 40

/** Whether a text ends where a sentence does: not behind an abbreviation, an initial or a number with its point. */
export const endsSentence = (whole: string): boolean => {
  const text = whole.slice(-longestEnd)
  const end = /([.!?…。！？؟।။៕።]+)["'”’»)\]」』）]*\s*$/u.exec(text)
  if (end === null) return false
  if (end[1] !== ".") return true
  const word = /([\p{L}\p{N}.]+)$/u.exec(text.slice(0, end.index))?.[1] ?? ""
  return !abbreviations.has(word.toLowerCase()) && !/^\p{Lu}$/u.test(word)
}
