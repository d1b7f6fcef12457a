/** Decides which clips are compared with their texts, because their speech is unusually short or long. */
import { charactersOf } from "../../domain/speech/Utterance.ts"
import type { Estimate } from "../../domain/values/Estimate.ts"
import { likelyLength } from "../../script/language/SpeechRate.ts"

/** Minimum number of clips of a voice for its usual length to be trusted. */
const enough = 8
/** Shares of the expected length between which a clip is not compared: narrower if the voice's pace is known. */
const known = { least: 0.75, most: 1.4 }
const guessed = { least: 0.6, most: 1.6 }
/** Differences up to this are usual for short texts, in milliseconds. */
const slack = 400

/** Whether the milliseconds of speech are unusual for the texts. `usual` is the voice's own pace per character. */
export const isOddLength = (
  length: number,
  said: ReadonlyArray<string>,
  usual: Estimate | undefined
): boolean => {
  const isKnown = usual !== undefined && usual.count >= enough
  const expected = said.reduce(
    (sum, text) => sum + (isKnown ? usual.mean * charactersOf(text) : likelyLength(text)),
    0
  )
  const { least, most } = isKnown ? known : guessed
  return length < expected * least - slack || length > expected * most + slack
}
