/** The manifest's lexicon: replaces words and patterns by the words to speak instead. */
import { Either, RegExp as RegularExpression } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { isNonEmptyReadonlyArray } from "effect/Array"
import type { LexiconEntry } from "../../domain/manifest/ScriptSettings.ts"
import { unspaced } from "../language/WritingSystems.ts"

/** An invalid entry, by its position from 0. */
export interface LexiconFault {
  readonly entry: number
  readonly why: string
}

/** Compiled entries; earlier ones take precedence. */
export type Lexicon = ReadonlyArray<{
  readonly find: RegExp
  readonly say: string
  readonly pattern: boolean
}>

/** A lexicon that changes nothing. */
export const emptyLexicon: Lexicon = []

/**
 * Compiles entries. Fails with every invalid one: it has neither or both of `word` and `pattern`, or an invalid regular
 * expression.
 */
export const lexiconOf = (
  entries: ReadonlyArray<LexiconEntry>
): Either.Either<Lexicon, NonEmptyReadonlyArray<LexiconFault>> => {
  const faults: Array<LexiconFault> = []
  const ready: Array<Lexicon[number]> = []
  entries.forEach((entry, i) =>
    Either.match(readied(entry), {
      onLeft: (why) => faults.push({ entry: i, why }),
      onRight: (made) => ready.push(made)
    })
  )
  return isNonEmptyReadonlyArray(faults) ? Either.left(faults) : Either.right(ready)
}

const readied = (entry: LexiconEntry): Either.Either<Lexicon[number], string> => {
  if (entry.word !== undefined && entry.pattern !== undefined)
    return Either.left("has both word and pattern; give only one of them")
  if (entry.word !== undefined) {
    const word = entry.word.normalize("NFC").trim()
    return word === ""
      ? Either.left("has an empty word; set the word to replace")
      : Either.right({ find: wholeWord(word), say: entry.say, pattern: false })
  }
  if (entry.pattern === undefined) return Either.left("has neither word nor pattern; give one of them")
  const source = entry.pattern
  return Either.mapLeft(
    Either.try(() => ({ find: new RegExp(source, "gu"), say: entry.say, pattern: true })),
    (error) =>
      `has an invalid regular expression as its pattern: ${error instanceof Error ? error.message : String(error)}`
  )
}

/**
 * Builds the pattern of a word. A word in lower case matches any case; one with capitals matches exactly. Scripts
 * without spaces need no word boundaries.
 */
const wholeWord = (word: string): RegExp => {
  const text = RegularExpression.escape(word).replace(/\s+/gu, "\\s+")
  const before = new RegExp(`^(?:${unspaced}|[^\\p{L}\\p{M}\\p{N}])`, "u").test(word)
    ? ""
    : "(?<![\\p{L}\\p{M}\\p{N}_])"
  const after = new RegExp(`(?:${unspaced}|[^\\p{L}\\p{M}\\p{N}])$`, "u").test(word)
    ? ""
    : "(?![\\p{L}\\p{M}\\p{N}_])"
  return new RegExp(`${before}${text}${after}`, /\p{Lu}/u.test(word) ? "gu" : "giu")
}

/** Applies the lexicon to a text. Every entry matches the original text: replacements are never replaced again. */
export const sayBy = (lexicon: Lexicon, text: string): string => {
  const changes: Array<{ from: number; to: number; say: string }> = []
  for (const entry of lexicon)
    for (const match of text.matchAll(entry.find)) {
      const from = match.index
      const to = from + match[0].length
      if (to > from && changes.every((change) => to <= change.from || from >= change.to))
        changes.push({ from, to, say: entry.pattern ? filled(entry.say, match) : entry.say })
    }
  changes.sort((a, b) => a.from - b.from)
  let said = ""
  let at = 0
  for (const change of changes) {
    said += text.slice(at, change.from) + change.say
    at = change.to
  }
  return said + text.slice(at)
}

const filled = (say: string, match: RegExpExecArray): string =>
  say.replace(/\$(?:(\$)|(&)|(\d{1,2})|<([^>]+)>)/gu, (_, dollar, all, number, name) =>
    dollar !== undefined
      ? "$"
      : all !== undefined
        ? match[0]
        : number !== undefined
          ? (match[Number(number)] ?? "")
          : (match.groups?.[name] ?? "")
  )
