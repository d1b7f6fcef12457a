/** Tokens as sentences, and sentences in parts that an engine takes at once. */
import type { Token } from "../text/Token.ts"
import type { Piece } from "./EngineProtocol.ts"

/** What is passed to an engine at once. */
export interface Part {
  /** Never empty. */
  readonly pieces: ReadonlyArray<Piece>
  /** For each piece, the index of its token among all tokens. */
  readonly tokens: ReadonlyArray<number>
  /** Where it ends, which decides the pause behind it. */
  readonly ends: "sentence" | "clause" | "word"
}

/** A sentence as written, and its parts in order; one, unless it is very long. */
export interface Sentence {
  readonly text: string
  readonly parts: ReadonlyArray<Part>
}

/**
 * The sentences of which anything is said. `english` tells of each piece whether it is an English word in another
 * language. No part has more than `longest` bytes of UTF-8, spaces counted; a longer sentence is parted behind
 * punctuation where there is some in its second half, else between words. Words beyond 40 characters are cut: engines
 * lose the end of longer ones.
 */
export const engineSentences = (
  tokens: ReadonlyArray<Token>,
  longest: number,
  english: (words: ReadonlyArray<string>) => ReadonlyArray<boolean> = (words) => words.map(() => false)
): ReadonlyArray<Sentence> =>
  ranges(tokens).flatMap(([from, to]) => {
    const own = tokens.slice(from, to)
    const units = unitsOf(own, from, english)
    return units.length === 0 ? [] : [{ text: writtenText(own), parts: partsOf(units, longest) }]
  })

interface Unit {
  readonly piece: Piece
  readonly token: number
  readonly length: number
}

/** [from, to) of each sentence. */
const ranges = (tokens: ReadonlyArray<Token>): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  let from = 0
  for (let index = 0; index < tokens.length; index++) {
    if (!endsSentence(tokens, index)) continue
    found.push([from, index + 1])
    from = index + 1
  }
  return found
}

const closing = String.raw`["'”’»›)\]}」』）]*`
const finalMark = new RegExp(`[.!?…。！？।॥؟۔]${closing}$`, "u")
const surelyFinal = new RegExp(`[!?。！？।॥؟۔]${closing}$`, "u")
/** "J." waits for its name, "Dr." and its like in many languages for a person's. */
const waiting = /^["'“‘«(]*(?:\p{Lu}|dr|hr|fr|prof|sr|sra|srta|st|nr|mme|mlle|dott|ing)\.$/iu

/**
 * Whether a sentence ends with this token: a final mark that is not an abbreviation's, an empty line, or the text's
 * end.
 */
const endsSentence = (tokens: ReadonlyArray<Token>, index: number): boolean => {
  const token = tokens[index]
  const next = tokens[index + 1]
  if (token === undefined || next === undefined) return true
  if (/\n\s*\n/u.test(next.gap)) return true
  if (!finalMark.test(token.original) || next.spoken === "") return false
  if (surelyFinal.test(token.original)) return true
  // An abbreviation that was written out in full, or a number's own dot, has lost it; a title waits for its name.
  if (token.spoken !== "" && !finalMark.test(token.spoken)) return false
  if (waiting.test(token.original)) return false
  return !/^["'“‘«(]*\p{Ll}/u.test(next.original)
}

/** The text from the first to the last token, as written. */
const writtenText = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token, index) => (index === 0 ? "" : token.gap) + token.original)
    .join("")
    .replace(/\s+/gu, " ")

const unitsOf = (
  tokens: ReadonlyArray<Token>,
  first: number,
  english: (words: ReadonlyArray<string>) => ReadonlyArray<boolean>
): ReadonlyArray<Unit> => {
  const units = tokens.flatMap((token, index) =>
    token.spoken
      .split(/\s+/u)
      .flatMap(cut)
      .map((text) => ({ text, token: first + index }))
  )
  const flags = english(units.map(({ text }) => text))
  return units.map(({ text, token }, index) => {
    const isEnglish = flags[index] ?? false
    return { piece: { text, english: isEnglish }, token, length: bytesOf(text, isEnglish) }
  })
}

/** Bytes of a piece and the space before it; an English one is passed as phonemes, which take more room. */
const bytesOf = (text: string, english: boolean): number => {
  const bytes = Buffer.byteLength(text) + 1
  return english ? 3 * bytes + 24 : bytes
}

/** Characters of a word that engines say whole. */
const longestWord = 40

/** A word in pieces that engines say whole; none for no word. */
const cut = (word: string): ReadonlyArray<string> => {
  const characters = Array.from(word)
  return Array.from({ length: Math.ceil(characters.length / longestWord) }, (_, index) =>
    characters.slice(index * longestWord, (index + 1) * longestWord).join("")
  )
}

const partsOf = (units: ReadonlyArray<Unit>, longest: number): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let rest = units
  while (rest.length > 0) {
    const room = fitting(rest, longest)
    const size = room === rest.length ? room : (clauseEnd(rest, room) ?? room)
    const taken = rest.slice(0, size)
    rest = rest.slice(size)
    parts.push({
      pieces: taken.map(({ piece }) => piece),
      tokens: taken.map(({ token }) => token),
      ends: rest.length === 0 ? "sentence" : isClauseEnd(taken.at(-1)) ? "clause" : "word"
    })
  }
  return parts
}

/** How many units fit; at least one. */
const fitting = (units: ReadonlyArray<Unit>, longest: number): number => {
  let length = 0
  let count = 0
  for (const unit of units) {
    length += unit.length
    if (count > 0 && length > longest) return count
    count++
  }
  return count
}

/** How many units there are up to the last clause's end in the second half of those that fit. */
const clauseEnd = (units: ReadonlyArray<Unit>, room: number): number | undefined => {
  for (let size = room; size > room / 2; size--) if (isClauseEnd(units[size - 1])) return size
  return undefined
}

const isClauseEnd = (unit: Unit | undefined): boolean =>
  unit !== undefined && /[,;:.!?…،、，；：。]["'”’)]*$/u.test(unit.piece.text)
