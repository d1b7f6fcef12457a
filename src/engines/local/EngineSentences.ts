/** Groups tokens into sentences, and splits sentences into parts small enough for an engine. */
import type { Token } from "../text/Token.ts"
import type { Piece } from "./EngineProtocol.ts"

/** A part of a sentence, passed to an engine in one call. */
export interface Part {
  /** Never empty. */
  readonly pieces: ReadonlyArray<Piece>
  /** For each piece, the index of its token among all tokens. */
  readonly tokens: ReadonlyArray<number>
  /** Whether it ends with a sentence, a clause or only a word; decides the pause after it. */
  readonly ends: "sentence" | "clause" | "word"
}

/** A sentence as written and its parts; one part unless it is very long. */
export interface Sentence {
  readonly text: string
  readonly parts: ReadonlyArray<Part>
}

/**
 * Returns the sentences that have something to say. `english` marks the pieces that are English words in another
 * language. No part exceeds `longest` bytes of UTF-8, spaces included. A longer sentence is split after punctuation in
 * its second half, else between words. Words over 40 characters are split: engines lose the end of longer ones.
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

/** Returns each sentence's token range [from, to). */
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
/** Initials such as "J." and titles such as "Dr.", in many languages: a name follows, so the sentence continues. */
const waiting = /^["'“‘«(]*(?:\p{Lu}|dr|hr|fr|prof|sr|sra|srta|st|nr|mme|mlle|dott|ing)\.$/iu

/** Whether a sentence ends with this token: at a final mark other than an abbreviation's, an empty line, or the end. */
const endsSentence = (tokens: ReadonlyArray<Token>, index: number): boolean => {
  const token = tokens[index]
  const next = tokens[index + 1]
  if (token === undefined || next === undefined) return true
  if (/\n\s*\n/u.test(next.gap)) return true
  if (!finalMark.test(token.original) || next.spoken === "") return false
  if (surelyFinal.test(token.original)) return true
  // If the spoken form has lost the dot, it belonged to an abbreviation or a number. After a title, a name follows.
  if (token.spoken !== "" && !finalMark.test(token.spoken)) return false
  if (waiting.test(token.original)) return false
  return !/^["'“‘«(]*\p{Ll}/u.test(next.original)
}

/** Joins the tokens to the text as written. */
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

/** Bytes of a piece and the space before it. An English piece is passed as phonemes, which are longer. */
const bytesOf = (text: string, english: boolean): number => {
  const bytes = Buffer.byteLength(text) + 1
  return english ? 3 * bytes + 24 : bytes
}

/** Splits a word into pieces that engines speak completely, of 40 characters at most; none for an empty word. */
const cut = (word: string): ReadonlyArray<string> => word.match(/.{1,40}/gsu) ?? []

const partsOf = (units: ReadonlyArray<Unit>, longest: number): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let from = 0; from < units.length;) {
    const room = fitting(units, from, longest)
    const to = room === units.length ? room : (clauseEnd(units, from, room) ?? room)
    const taken = units.slice(from, to)
    from = to
    parts.push({
      pieces: taken.map(({ piece }) => piece),
      tokens: taken.map(({ token }) => token),
      ends: to === units.length ? "sentence" : isClauseEnd(taken.at(-1)) ? "clause" : "word"
    })
  }
  return parts
}

/** Returns the end of the units from an index on that fit; at least one does. */
const fitting = (units: ReadonlyArray<Unit>, from: number, longest: number): number => {
  let length = 0
  for (let at = from; at < units.length; at++) {
    length += units[at]?.length ?? 0
    if (at > from && length > longest) return at
  }
  return units.length
}

/** Returns the last end of a clause in the second half of the units that fit. */
const clauseEnd = (units: ReadonlyArray<Unit>, from: number, room: number): number | undefined => {
  for (let to = room; to - from > (room - from) / 2; to--) if (isClauseEnd(units[to - 1])) return to
  return undefined
}

const isClauseEnd = (unit: Unit | undefined): boolean =>
  unit !== undefined && /[,;:.!?…،、，；：。]["'”’)]*$/u.test(unit.piece.text)
