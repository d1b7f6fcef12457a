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
export const wordsOf = (text: string, language: string): ReadonlyArray<Word> =>
  [...text.matchAll(/(\s*)(\S+)/gu)].flatMap(([, gap = "", run = ""]) =>
    unspaced.test(run)
      ? segments(run, language).map((original, index) => ({ gap: index === 0 ? gap : "", original }))
      : [{ gap, original: run }]
  )

/** A run's words; punctuation goes with the word before it, an opening one with the word behind it. */
const segments = (run: string, language: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  let opening = ""
  for (const { segment, isWordLike } of segmenterFor(language).segment(run)) {
    const last = words.length - 1
    if (isWordLike === true) {
      words.push(opening + segment)
      opening = ""
    } else if (last >= 0 && !/^[\p{Ps}\p{Pi}]/u.test(segment)) words[last] = `${words[last] ?? ""}${segment}`
    else opening += segment
  }
  if (opening !== "") words.push(opening)
  return words
}

const segmenterFor = (language: string): Intl.Segmenter => {
  const known = Intl.Segmenter.supportedLocalesOf([language.replace(/_/gu, "-")].filter(isTag))
  return new Intl.Segmenter(known, { granularity: "word" })
}

const isTag = (language: string): boolean => /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/u.test(language)
