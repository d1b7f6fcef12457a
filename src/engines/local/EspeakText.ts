/** What is passed to eSpeak NG for a sentence, and what its events say of each piece of it. */
import type { EspeakEvent } from "@echogarden/espeak-ng-emscripten"
import type { Piece, Span } from "./EngineProtocol.ts"

/** Phonemes in the engine's notation. */
export type Inlined = string

/** The sentence as passed: `starts[i]` is where piece i begins, in code points from 1, as the engine counts. */
export interface EspeakInput {
  readonly text: string
  readonly starts: ReadonlyArray<number>
}

/**
 * Joins pieces. English words in another language stand as phonemes of the English table; `table` is the voice's own,
 * to which each returns.
 */
export const espeakText = (
  pieces: ReadonlyArray<Piece>,
  inlined: ReadonlyMap<Piece, Inlined>,
  table: string
): EspeakInput => {
  let text = ""
  let length = 0
  /** How many times in a row one letter stands alone. */
  let alike = 0
  const starts = pieces.map((piece, index) => {
    const phonemes = inlined.get(piece)
    const plain = phonemes === undefined ? inert(piece.text) : inline(piece.text, phonemes, table)
    alike = /^[A-Za-z]$/u.test(plain) && pieces[index - 1]?.text === piece.text ? alike + 1 : 1
    // Of a letter that is repeated more often the engine drops the rest: a comma makes it begin anew.
    const written = alike % 3 === 0 ? `${plain},` : plain
    const gap = index > 0 ? " " : ""
    const start = length + gap.length + 1
    text += gap + written
    length += gap.length + codePoints(written)
    return start
  })
  return { text, starts }
}

/**
 * When each piece is heard: from its first word event (its first sound, where a pause comes before it) to the end of
 * its last sound. The engine reads some neighbours as one ("of the") and tells one time for both: the second has null.
 */
export const spansOf = (
  events: ReadonlyArray<EspeakEvent>,
  starts: ReadonlyArray<number>
): ReadonlyArray<Span | null> => {
  const spans: Array<Span | null> = starts.map(() => null)
  let current = -1
  /** Where the current word would start if sound followed. */
  let from = 0
  let sounding = false
  for (const event of events) {
    if (sounding) {
      const before = spans[current]
      spans[current] = { start: before?.start ?? from, end: event.audio_position }
      sounding = false
    }
    if (event.type === "word") {
      current = Math.max(current, pieceAt(starts, event.text_position))
      from = event.audio_position
    } else if (event.type === "phoneme" && current >= 0) {
      if (isSound(event.id)) sounding = true
      else if (spans[current] === null) from = event.audio_position
    }
  }
  return spans
}

/** A phoneme event without a name is a pause; one in brackets tells of a change of language. */
const isSound = (id: string | number | undefined): boolean =>
  typeof id === "string" && !/^(?:|_+|\(.*\))$/u.test(id)

/** The last piece that starts at or before a position. */
const pieceAt = (starts: ReadonlyArray<number>, position: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? Infinity) <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** Text in which the engine finds no markup, no phonemes and no control codes. */
const inert = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, (character) => (character === "\u200d" ? character : " "))
    .replace(/[<>]/gu, " ")
    .replace(/[[{]/gu, "(")
    .replace(/[\]}]/gu, ")")
    .replace(/&/gu, "& ")

/**
 * "[[_^_en ... _^_vi]]" with the word's own punctuation around it, so that its pauses are kept. Phonemes that switch
 * languages themselves, or none, leave the word as it is.
 */
const inline = (text: string, phonemes: string, table: string): string => {
  const { before, after } = wordAlone(text)
  const sounds = phonemes
    .replace(/_/gu, "|")
    .replace(/\|?\s\|?/gu, " ")
    .trim()
  return sounds === "" || /[\^[\]]/u.test(sounds)
    ? inert(text)
    : `${inert(before)}[[_^_en ${sounds} _^_${table}]]${inert(after)}`
}

/** A word without the punctuation that stands at it. */
export const wordAlone = (
  text: string
): { readonly before: string; readonly word: string; readonly after: string } => {
  const [, before = "", word = "", after = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(text) ?? []
  return { before, word, after }
}

const codePoints = (text: string): number => Array.from(text).length
