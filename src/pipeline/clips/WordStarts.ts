/** Finds where the words of each part of a clip begin, from the times of an alignment or a transcript. */
import { Segment } from "../../domain/speech/Clip.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { Frames, type Millis, type SampleRate } from "../../domain/time/Units.ts"

/** When a word is said. */
export interface SaidWord {
  readonly text: string
  readonly start: Millis
}

/** Maximum number of consecutive words without sound, such as dashes. */
const maxUnsaid = 2

/**
 * Adds the words to the segments, one for each part, or one for all of them. Segments without any of their words stay
 * as they are.
 */
export const withWordStarts = (
  segments: readonly [Segment, ...ReadonlyArray<Segment>],
  said: ReadonlyArray<string>,
  words: ReadonlyArray<SaidWord>,
  rate: SampleRate
): readonly [Segment, ...ReadonlyArray<Segment>] => {
  const texts = segments.length === 1 ? [said.join(" ")] : said
  if (segments.length !== texts.length) return segments
  let next = 0
  const startOf = (written: string): Millis | undefined => {
    const among = words.slice(next, next + 1 + maxUnsaid).findIndex(({ text }) => text === written)
    if (among < 0) return undefined
    next += among + 1
    return words[next - 1]?.start
  }
  const withWords = (segment: Segment, text: string): Segment => {
    const starts = text.split(/\s+/u).map(startOf)
    if (starts.every((start) => start === undefined)) return segment
    let past: number = segment.from
    const frames = starts.map((start) => {
      const frame = start === undefined ? past : Math.round((start * rate) / 1000)
      past = Math.min(segment.to, Math.max(past, frame))
      return Frames.make(past)
    })
    return Segment.make({ ...segment, words: frames }, skipValidation)
  }
  const [first, ...others] = segments
  return [
    withWords(first, texts[0] ?? ""),
    ...others.map((segment, part) => withWords(segment, texts[part + 1] ?? ""))
  ]
}
