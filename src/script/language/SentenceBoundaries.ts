/** Splits text into sentences and words, in any script. */

/** Abbreviations whose full stop does not end a sentence. */
const abbreviations = new Set(
  "mr mrs ms dr prof st jr sr vs etc no nos vol fig gen col sgt capt lt rev hon mt ave dept est approx e.g i.e p pp u.s u.k a.m p.m z.b d.h usw bzw sog nr hr fr sra srta sr ud uds pág art núm m mme mlle ts ths gs pgs tp q т.е т.д т.п им г ул стр".split(
    " "
  )
)

const segmenters = new Map<string, Intl.Segmenter>()

/** Maximum UTF-16 units passed to a segmenter at once: its time per step grows with the length of the text. */
const window = 2_000

/** Splits a text into words or sentences; the segments together are the whole text. Ignores invalid language tags. */
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
    // The last segment of a window may continue after it: segment it again together with what follows.
    const kept = last ? found : found.slice(0, -1)
    segments.push(...kept)
    from += kept.reduce((sum, segment) => sum + segment.length, 0)
    size = window
  }
  return segments
}

/** Returns the cached segmenter for a language. */
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
 * Returns a text's sentences in order, trimmed. Together they contain all its characters except white space. Signs
 * without a word belong to the sentence before them.
 */
export const splitSentences = (text: string, language?: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let open = ""
  // The last characters of `open`, kept separately: matching at the end of a growing text takes quadratic time.
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
    end = (end + segment).slice(-maxEnd)
    const goesOn = asideAtEnd.test(end) && /^\p{Ll}/u.test(segments[at + 1] ?? "")
    if ((endsSentence(end) && !goesOn) || segment.slice(segment.trimEnd().length).includes("\n")) close()
  })
  close()
  return sentences
}

/** An exclamation, question or quotation at the end: if a lower-case letter follows, the sentence continues. */
const asideAtEnd = /(?:[!?…？！]|["'”’»」』])\s*$/u

/** How many characters at a text's end are examined: enough for an abbreviation with closing signs and white space. */
const maxEnd = 40

/** Whether a text ends where a sentence ends, and not after an abbreviation or an initial. */
export const endsSentence = (whole: string): boolean => {
  const text = whole.slice(-maxEnd)
  const end = /([.!?…。！？؟।။៕።]+)["'”’»)\]」』）]*\s*$/u.exec(text)
  if (end === null) return false
  if (end[1] !== ".") return true
  const word = /([\p{L}\p{N}.]+)$/u.exec(text.slice(0, end.index))?.[1] ?? ""
  return !abbreviations.has(word.toLowerCase()) && !/^\p{Lu}$/u.test(word)
}
