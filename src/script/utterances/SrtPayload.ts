/**
 * The SRT that a provider speaks: one entry a part, on a timeline of its own. Each entry's time follows from its
 * words alone, generous for any voice, so that the same words by the same voice are the same task wherever they
 * stand in a film.
 */
import { naturalLength } from "../language/SpeechRate.ts"
import { srtClock } from "../formats/TimingLine.ts"

/** Milliseconds between two entries. */
const gap = 800

/** The SRT text of these parts. */
export const srtInput = (said: ReadonlyArray<string>): string => {
  let start = 0
  return said
    .map((words, i) => {
      const end = start + slotOf(words)
      const entry = `${i + 1}\n${srtClock(start)} --> ${srtClock(end)}\n${words}\n`
      start = end + gap
      return entry
    })
    .join("\n")
}

/** The most characters that an entry takes besides its words. */
export const srtOverhead = "10000\n100:00:00,000 --> 100:00:00,000\n\n\n".length

/** A quarter more than the words need, in tenths of a second. */
const slotOf = (words: string): number => Math.ceil((naturalLength(words) * 1.25) / 100) * 100
