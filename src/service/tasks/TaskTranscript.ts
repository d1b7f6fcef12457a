/** What was said when, as the files that go with a task's audio: SRT and JSON. */
import { Schema } from "effect"
import { Transcript } from "../../contract/Task.ts"
import { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { toSeconds, type Millis } from "../../domain/time/Units.ts"
import type { WordMark } from "../../engines/Engine.ts"
import { srt } from "../../exports/Srt.ts"

/** An entry of an SRT. */
export interface Caption {
  readonly start: Millis
  readonly end: Millis
  readonly text: string
}

/** An SRT of these captions. */
export const taskSrt = (captions: ReadonlyArray<Caption>): string =>
  srt(captions.map((caption, index) => SubtitleEntry.make({ index: index + 1, ...caption })))

/** The JSON transcript of the contract. */
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
 * Captions of a text that was spoken whole: a sentence each, long ones parted between words so that each can be read at
 * a glance, where the words' own times are known.
 */
export const captionsOf = (
  sentences: ReadonlyArray<WordMark>,
  words: ReadonlyArray<WordMark>
): ReadonlyArray<Caption> =>
  sentences.flatMap((sentence) => {
    const own = words.filter((word) => word.start >= sentence.start && word.end <= sentence.end)
    const parted = own.map((word) => word.text).join("") === sentence.text.replace(/\s+/gu, "")
    return sentence.text.length <= longestCaption || !parted ? [sentence] : captionsBetweenWords(own)
  })

/** Two lines of 42 characters: what subtitles commonly allow. */
const longestCaption = 84

const captionsBetweenWords = (words: ReadonlyArray<WordMark>): ReadonlyArray<Caption> => {
  const length = words.reduce((sum, word) => sum + word.text.length + 1, 0)
  const each = length / Math.ceil(length / longestCaption)
  const captions: Array<Caption> = []
  let taken: Array<WordMark> = []
  let size = 0
  words.forEach((word, index) => {
    taken.push(word)
    size += word.text.length + 1
    const next = words[index + 1]
    const full = next === undefined || size + next.text.length > longestCaption || size >= each
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
