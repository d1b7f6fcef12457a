/** Where sentences begin and end, in any script. */

/** Abbreviations behind which a full stop ends no sentence. */
const abbreviations = new Set(
  "mr mrs ms dr prof st jr sr vs etc no nos vol fig gen col sgt capt lt rev hon mt ave dept est approx e.g i.e p pp u.s u.k a.m p.m z.b d.h usw bzw sog nr hr fr sra srta sr ud uds pág art núm m mme mlle ts ths gs pgs tp q т.е т.д т.п им г ул стр".split(
    " "
  )
)

const segmenters = new Map<string, Intl.Segmenter>()

/** A segmenter for a language, made once; an unknown tag gives the general one. */
export const segmenterOf = (
  granularity: "sentence" | "word",
  language: string | undefined
): Intl.Segmenter => {
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

/** The sentences of a text in order, trimmed; together they hold every character of it but white space. */
export const sentencesOf = (text: string, language?: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let open = ""
  for (const { segment } of segmenterOf("sentence", language).segment(text)) {
    open += segment
    if (endsSentence(open) || /\n\s*$/u.test(segment)) {
      sentences.push(open.trim())
      open = ""
    }
  }
  if (open.trim() !== "") sentences.push(open.trim())
  return sentences.filter((sentence) => sentence !== "")
}

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
