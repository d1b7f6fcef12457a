/** A task's transcript files, SRT and JSON, from the timings of its speech. */
import { Schema } from "effect"
import { Transcript } from "../../contract/Task.ts"
import { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { toSeconds, type Millis } from "../../domain/time/Units.ts"
import type { WordMark } from "../../engines/Engine.ts"
import { srt } from "../../exports/text/Subtitles.ts"

/** One SRT entry. */
export interface Caption {
  readonly start: Millis
  readonly end: Millis
  readonly text: string
}

/** Formats captions as an SRT. */
export const taskSrt = (captions: ReadonlyArray<Caption>): string =>
  srt(captions.map((caption, index) => SubtitleEntry.make({ index: index + 1, ...caption })))

/** Formats timings as the JSON transcript defined in `contract/Task.ts`. */
export const taskJson = (transcript: {
  readonly duration: Millis
  readonly sentences: ReadonlyArray<WordMark>
  readonly words: ReadonlyArray<WordMark>
}): string =>
  JSON.stringify(
    encode({
      duration: toSeconds(transcript.duration),
      sentences: transcript.sentences.map(timed),
      words: transcript.words.map(timed)
    })
  )

/**
 * Makes the captions of a text that was spoken whole: one per sentence. Sentences longer than 84 characters are split
 * between words, if the words' timings are known.
 */
export const captionsOf = (
  sentences: ReadonlyArray<WordMark>,
  words: ReadonlyArray<WordMark>
): ReadonlyArray<Caption> =>
  sentences.flatMap((sentence) => {
    const own = words.filter((word) => word.start >= sentence.start && word.end <= sentence.end)
    const parted = own.map((word) => word.text).join("") === sentence.text.replace(/\s+/gu, "")
    return sentence.text.length <= maxCaption || !parted ? [sentence] : captionsBetweenWords(own)
  })

/** Two lines of 42 characters, the usual limit for subtitles. */
const maxCaption = 84

const captionsBetweenWords = (words: ReadonlyArray<WordMark>): ReadonlyArray<Caption> => {
  const length = words.reduce((sum, word) => sum + word.text.length + 1, 0)
  const each = length / Math.ceil(length / maxCaption)
  const captions: Array<Caption> = []
  let taken: Array<WordMark> = []
  let size = 0
  words.forEach((word, index) => {
    taken.push(word)
    size += word.text.length + 1
    const next = words[index + 1]
    const full = next === undefined || size + next.text.length > maxCaption || size >= each
    const [first] = taken
    if (!full || first === undefined) return
    captions.push({ start: first.start, end: word.end, text: taken.map((mark) => mark.text).join(" ") })
    taken = []
    size = 0
  })
  return captions
}

const encode = Schema.encodeSync(Transcript)

const timed = (mark: WordMark) => ({
  text: mark.text,
  start: toSeconds(mark.start),
  end: toSeconds(mark.end)
})
