/** Finds when each word of a clip is said, if the clip's transcript has times of words rather than of sentences. */
import { Either } from "effect"
import { isNonEmptyReadonlyArray } from "effect/Array"
import type { Fetched } from "../../gateway/requests/Download.ts"
import { alignParts, parseTranscript } from "../../script/transcripts/Transcript.ts"
import type { SaidWord } from "./WordStarts.ts"

/** Returns the words of all parts in order, as written; none if the transcript lacks their times. */
export const wordsOfTranscript = (
  said: ReadonlyArray<string>,
  transcript: Fetched["transcript"]
): ReadonlyArray<SaidWord> => {
  const words = said.flatMap((part) => part.split(/\s+/u))
  if (transcript === undefined || !isNonEmptyReadonlyArray(words)) return []
  const tokens = Either.getOrElse(parseTranscript(transcript.text, transcript.format), () => [])
  if (tokens.some(({ text }) => /\S\s+\S/u.test(text))) return []
  const found = Either.getOrElse(alignParts(words, tokens), () => [])
  return words.flatMap((text, at) => {
    const start = found[at]?.start
    return start === undefined ? [] : { text, start }
  })
}
