/** Tones: how a line is to be said, such as `whispers`. */

/** A tone: letters, digits, spaces, hyphens and apostrophes, so that it cannot be mistaken for anything else. */
export const tonePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '\u2019-]{0,59}$/u
