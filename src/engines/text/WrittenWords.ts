/** Splits a text into words at spaces, or with a dictionary for scripts without spaces. */

/** A word as written. */
export interface Word {
  /** The white space before it; empty between words of a script without spaces. */
  readonly gap: string
  /** The word with its punctuation. */
  readonly original: string
}

/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Returns the words of a text. All gaps and originals joined give the text, except white space at its end. */
export const writtenWords = (text: string, language: string): ReadonlyArray<Word> => {
  const segmenter = unspaced.test(text) ? segmenterFor(language) : undefined
  return [...text.trimEnd().matchAll(/(\s*)(\S+)/gu)].flatMap(([, gap = "", run = ""]) =>
    segmenter !== undefined && unspaced.test(run)
      ? segments(run, segmenter).map((original, index) => ({ gap: index === 0 ? gap : "", original }))
      : [{ gap, original: run }]
  )
}

/** Splits a run into words. Opening punctuation goes with the next word, all other with the previous one. */
const segments = (run: string, segmenter: Intl.Segmenter): ReadonlyArray<string> => {
  const words: Array<string> = []
  let opening = ""
  // A segmenter's time grows with the square of a run's length: long runs are cut, at commas or stops if there are any.
  for (const piece of run.match(/.{1,499}[。！？，、；]|.{1,500}/gu) ?? []) {
    for (const { segment, isWordLike } of segmenter.segment(piece)) {
      const last = words.length - 1
      if (isWordLike === true) {
        words.push(opening + segment)
        opening = ""
      } else if (last >= 0 && opening === "" && !/^[\p{Ps}\p{Pi}]/u.test(segment))
        words[last] = `${words[last] ?? ""}${segment}`
      else opening += segment
    }
  }
  if (opening !== "") words.push(opening)
  return words
}

/** Returns a segmenter with the language's dictionary if the runtime knows the tag, else the general one. */
const segmenterFor = (language: string): Intl.Segmenter => {
  const tag = /^[A-Za-z]{2,3}/u.exec(language)?.[0]
  return new Intl.Segmenter(tag, { granularity: "word" })
}
