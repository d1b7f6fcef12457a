/** Judges from an alignment whether a clip says its text, once and completely. */

/** Measurements of a clip from its alignment. */
export interface SpeechFit {
  /** Length of the clip's speech divided by that of the reference, without pauses. */
  readonly ratio: number
  /** The longest stretch of the text without counterpart in the clip, in seconds of the reference. */
  readonly skipped: number
  /** The longest stretch of the clip without counterpart in the text, in seconds. */
  readonly added: number
  /** Distance from the text relative to that from another text, if that was measured. */
  readonly strangeness?: number | undefined
}

/** Something that seems wrong with a clip. */
export interface Misfit {
  readonly kind: "cut-off" | "repeated" | "another-text"
  readonly detail: string
}

/**
 * In complete speech, stretches without counterpart are shorter than these, in seconds. Measured: at most 0.2 s in 380
 * clips of eight voices at four speeds.
 */
const maxSkipped = 0.25
const maxAdded = 0.3
/** In speech of less than three quarters of its length at the voice's usual pace, shorter stretches are missing. */
const shortestPace = 0.75
const maxSkippedIfShort = 0.12
/**
 * Bounds of the ratio in complete speech. Speech that lacks a third of its text, or says half of it twice, is outside.
 */
const shortestRatio = 0.8
/** With a stretch of twice the length, slow speech is incomplete below this ratio. */
const shortestSlowRatio = 0.9
const maxRatio = 1.5
/** From this value on, the clip fits the words in opposite order better than the text. */
const strangest = 1

/**
 * Returns the fault of a clip, if it has one. A stretch alone may be a voice's style, and so may an unusual pace.
 * `another-text` is a weaker sign than the others: a warning, not a reason to pay for a new take. `pace` is the clip's
 * length divided by the voice's usual length for the text, if that is known.
 */
export const misfitOf = (
  { ratio, skipped, added, strangeness = 0 }: SpeechFit,
  pace = 1
): Misfit | undefined => {
  const isShort = pace < shortestPace && skipped > maxSkippedIfShort
  const isGap = skipped > maxSkipped && ratio < shortestRatio
  if (isShort || isGap || (skipped > 2 * maxSkipped && ratio < shortestSlowRatio))
    return { kind: "cut-off", detail: `${skipped.toFixed(1)} s of the text seem to be missing` }
  if (added > maxAdded && ratio > maxRatio)
    return { kind: "repeated", detail: `${added.toFixed(1)} s of speech seem to be too much` }
  return strangeness > strangest
    ? { kind: "another-text", detail: "the speech does not resemble the text" }
    : undefined
}
