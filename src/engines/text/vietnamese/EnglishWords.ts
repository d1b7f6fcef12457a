/** Finds the words of a Vietnamese text that are English, or better read as English than spelled out. */
import { hasVietnameseMarks, isSyllable } from "./Syllable.ts"

/** Short English words that could be Vietnamese syllables: their neighbours decide. */
const ambiguous = new Set(
  "a am an be by can come do done dance fan for go gone ha he hey hi him ho home i in is la lie like me men mine my no of oh on one or our she so some son song sun than thank the them then this to too two us was we with you".split(
    " "
  )
)

/**
 * Returns for each word whether it is English: letters that cannot be a Vietnamese syllable, or a short ambiguous word
 * between two of those. Words may include punctuation.
 */
export const englishWords = (words: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  const cores = words.map((word) => /\p{L}(?:.*\p{L})?/su.exec(word)?.[0] ?? "")
  // A text without any tone marks may be Vietnamese typed without them.
  const unmarked = !cores.some(hasVietnameseMarks)
  const sure = cores.map((core) => isForeign(core, unmarked))
  return cores.map(
    (core, index) =>
      sure[index] === true ||
      (ambiguous.has(core.toLowerCase()) && sure[index - 1] === true && sure[index + 1] === true)
  )
}

/** Whether a word of Latin letters is neither a Vietnamese syllable nor several joined by hyphens. */
const isForeign = (core: string, unmarked: boolean): boolean =>
  /^[A-Za-z][A-Za-z'’-]+$/u.test(core) &&
  !hasVietnameseMarks(core) &&
  !core.split(/['’-]/u).every((part) => part === "" || isSyllable(part, unmarked))
