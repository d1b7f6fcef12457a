/** Finds the word of a cue that is being spoken: by the times of its words, else in proportion to their letters. */
import type { PageCue } from "../../data/PageData.ts"

/** Returns the position of the word at a time in seconds; -1 if the cue is not heard then. */
export const saidWordAt = (
  { heard, wordStarts }: PageCue,
  words: ReadonlyArray<string>,
  seconds: number
): number => {
  if (heard === undefined || seconds < heard[0] || seconds >= heard[1]) return -1
  if (wordStarts?.length === words.length)
    return Math.max(0, wordStarts.filter((start) => start <= seconds).length - 1)
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let left = ((seconds - heard[0]) / (heard[1] - heard[0])) * letters
  return Math.max(
    0,
    words.findIndex((word) => (left -= word.length) < 0)
  )
}
