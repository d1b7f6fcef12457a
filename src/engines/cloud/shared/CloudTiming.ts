/** Converts the times that a provider reports for parts of a text to the times of its words and sentences. */
import { millis } from "../../../domain/time/Units.ts"
import { splitSentences } from "../../../script/language/SentenceBoundaries.ts"
import type { WordMark, WordTiming } from "../../Engine.ts"
import { writtenWords } from "../../text/WrittenWords.ts"

/** When a part of the text is heard. */
export interface TimedPart {
  /** UTF-16 positions in the text; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** Milliseconds from the start of the audio. */
  readonly start: number
  readonly end: number
}

interface Span {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Returns the times of words and sentences. `length` is the audio's in ms, if known: no time is after it. */
export const timingOf = (
  text: string,
  language: string,
  parts: ReadonlyArray<TimedPart>,
  length = Infinity
): WordTiming => {
  const known = parts.filter(({ start, end }) => Number.isFinite(start) && Number.isFinite(end))
  return {
    words: marksOf(wordSpans(text, language), known, length),
    sentences: marksOf(sentenceSpans(text, language), known, length)
  }
}

/** Gives each span the time from its first to its last part. Spans without a part, such as a dash, are left out. */
const marksOf = (spans: ReadonlyArray<Span>, parts: ReadonlyArray<TimedPart>, length: number) => {
  const marks: Array<WordMark> = []
  let past = 0
  let at = 0
  for (const { text, from, to } of spans) {
    while (at < parts.length && (parts[at]?.to ?? 0) <= from) at++
    let start: number | undefined
    let end = 0
    for (let next = at; next < parts.length; next++) {
      const part = parts[next]
      if (part === undefined || part.from >= to) break
      start = Math.min(start ?? part.start, part.start)
      end = Math.max(end, part.end)
    }
    if (start === undefined) continue
    const begin = Math.min(Math.max(past, start), length)
    past = Math.min(Math.max(begin, end), length)
    marks.push({ text, start: millis(begin), end: millis(past) })
  }
  return marks
}

/** Returns the words of a text with their positions. */
export const wordSpans = (text: string, language: string): ReadonlyArray<Span> => {
  let at = 0
  return writtenWords(text, language).map(({ gap, original }) => {
    const from = at + gap.length
    at = from + original.length
    return { text: original, from, to: at }
  })
}

const sentenceSpans = (text: string, language: string): ReadonlyArray<Span> => {
  let at = 0
  return splitSentences(text, language).flatMap((sentence) => {
    const from = text.indexOf(sentence, at)
    if (from < 0) return []
    at = from + sentence.length
    return [{ text: sentence, from, to: at }]
  })
}
