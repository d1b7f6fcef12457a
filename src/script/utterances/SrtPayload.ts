/**
 * Builds the SRT sent to a provider: one entry per part, on a timeline of its own. Each entry's time depends only on
 * its words (generous for any voice). So the same words by the same voice are the same task anywhere in a film.
 */
import { stringifySync } from "subtitle"
import { naturalLength } from "../language/SpeechRate.ts"

/** Gap between two entries, in milliseconds. */
const gap = 800

/** Returns the SRT text of these parts. */
export const srtInput = (said: ReadonlyArray<string>): string => {
  let start = 0
  return stringifySync(
    said.map((text) => {
      const end = start + slotOf(text)
      const data = { start, end, text }
      start = end + gap
      return { type: "cue", data }
    }),
    { format: "SRT" }
  )
}

/** Maximum characters that an entry needs besides its words. */
export const srtOverhead = "10000\n100:00:00,000 --> 100:00:00,000\n\n\n".length

/** An entry's length in milliseconds: 125 % of its natural length, rounded up to a tenth of a second. */
const slotOf = (words: string): number => Math.ceil((naturalLength(words) * 1.25) / 100) * 100
