/** A text's words as written: between spaces, or as a dictionary tells them apart where a script has no spaces. */

/** A word as written. */
export interface Word {
  /** The white space before it; empty at a place where the script has none. */
  readonly gap: string
  /** With the punctuation that stands at it. */
  readonly original: string
}

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** The words of a text in order. The gaps and originals joined are the text, up to white space at its end. */
export const writtenWords = (text: string, language: string): ReadonlyArray<Word> => {
  const segmenter = unspaced.test(text) ? segmenterFor(language) : undefined
  return [...text.trimEnd().matchAll(/(\s*)(\S+)/gu)].flatMap(([, gap = "", run = ""]) =>
    segmenter !== undefined && unspaced.test(run)
      ? segments(run, segmenter).map((original, index) => ({ gap: index === 0 ? gap : "", original }))
      : [{ gap, original: run }]
  )
}

/** A run's words; punctuation goes with the word before it, an opening one with the word behind it. */
const segments = (run: string, segmenter: Intl.Segmenter): ReadonlyArray<string> => {
  const words: Array<string> = []
  let opening = ""
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    const last = words.length - 1
    if (isWordLike === true) {
      words.push(opening + segment)
      opening = ""
    } else if (last >= 0 && opening === "" && !/^[\p{Ps}\p{Pi}]/u.test(segment))
      words[last] = `${words[last] ?? ""}${segment}`
    else opening += segment
  }
  if (opening !== "") words.push(opening)
  return words
}

/** Of the language's dictionary where the runtime knows the tag, else of the general one. */
const segmenterFor = (language: string): Intl.Segmenter => {
  const tag = /^[A-Za-z]{2,3}/u.exec(language)?.[0]
  return new Intl.Segmenter(tag, { granularity: "word" })
}
