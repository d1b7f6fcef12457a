/** Builds eSpeak NG's input for a sentence, and maps its events to the times of the pieces. */
import type { EspeakEvent } from "@echogarden/espeak-ng-emscripten"
import type { Piece, Span } from "./EngineProtocol.ts"

/** Phonemes in the engine's notation. */
export type Inlined = string

/** The engine's input. `starts[i]` is the start of piece i in code points, counted from 1 like the engine does. */
export interface EspeakInput {
  readonly text: string
  readonly starts: ReadonlyArray<number>
}

/**
 * Joins pieces. In a text of another language, writes English words as phonemes of the English table. After each, it
 * switches back to `table`, the voice's own.
 */
export const espeakText = (
  pieces: ReadonlyArray<Piece>,
  inlined: ReadonlyMap<Piece, Inlined>,
  table: string
): EspeakInput => {
  let text = ""
  let length = 0
  /** How often the same single letter has been repeated in a row. */
  let alike = 0
  const starts = pieces.map((piece, index) => {
    const phonemes = inlined.get(piece)
    const plain = phonemes === undefined ? inertText(piece.text) : inline(piece.text, phonemes, table)
    alike = /^[A-Za-z]$/u.test(plain) && pieces[index - 1]?.text === piece.text ? alike + 1 : 1
    // The engine drops further repetitions of a single letter; a comma after every third resets that.
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
 * Returns each piece's time, from its first word event to the end of its last sound. If a piece begins with a pause,
 * its time starts at its first sound. The engine reports one time for some neighbours ("of the"); the second gets null.
 * It reports none for some words, such as Korean ones with 지: their sounds belong to the word before, or to the first.
 */
export const spansOf = (
  events: ReadonlyArray<EspeakEvent>,
  starts: ReadonlyArray<number>
): ReadonlyArray<Span | null> => {
  const spans: Array<Span | null> = starts.map(() => null)
  let current = 0
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
    } else if (event.type === "phoneme") {
      if (isSound(event.id)) sounding = true
      else if (spans[current] === null) from = event.audio_position
    }
  }
  return spans
}

/** A phoneme event without a name is a pause; one in parentheses is a change of language. */
const isSound = (id: string | number | undefined): boolean =>
  typeof id === "string" && !/^(?:|_+|\(.*\))$/u.test(id)

/** Returns the index of the last piece that starts at or before a position. */
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

/** Replaces everything that the engine would take for markup, phonemes or control codes. */
export const inertText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, (character) => (character === "\u200d" ? character : " "))
    .replace(/[<>]/gu, " ")
    .replace(/[[{]/gu, "(")
    .replace(/[\]}]/gu, ")")
    .replace(/&/gu, "& ")

/**
 * Returns "[[_^_en ... _^_vi]]" inside the word's own punctuation, to keep its pauses. If there are no phonemes, or
 * they switch languages themselves, returns the word as plain text.
 */
const inline = (text: string, phonemes: string, table: string): string => {
  const { before, after } = wordAlone(text)
  const sounds = phonemes
    .replace(/_/gu, "|")
    .replace(/\|?\s\|?/gu, " ")
    .trim()
  return sounds === "" || /[\^[\]]/u.test(sounds)
    ? inertText(text)
    : `${inertText(before)}[[_^_en ${sounds} _^_${table}]]${inertText(after)}`
}

/** Splits a word from the punctuation around it. */
export const wordAlone = (
  text: string
): { readonly before: string; readonly word: string; readonly after: string } => {
  const found = /\p{L}(?:.*\p{L})?/su.exec(text)
  const [word, at] = found === null ? ["", text.length] : [found[0], found.index]
  return { before: text.slice(0, at), word, after: text.slice(at + word.length) }
}

const codePoints = (text: string): number => Array.from(text).length
