/** Whether a clip can be what its text says. */
import type { Pcm } from "../audio/Pcm.ts"
import { speechBounds } from "../audio/Trim.ts"
import type { Estimate } from "../domain/Estimate.ts"

/** What is expected of a clip. */
export interface Expectation {
  /** Characters of the words spoken. */
  readonly characters: number
  /** The voice's usual milliseconds of speech for one character, where enough was heard of it. */
  readonly usual: Estimate | undefined
}

export type Verdict =
  | { readonly _tag: "Good" }
  /** Something is heard, but oddly. */
  | { readonly _tag: "Suspect"; readonly words: string }
  /** Nothing that could be placed. */
  | { readonly _tag: "Unusable"; readonly words: string }

/** Milliseconds of speech for one character that no voice is outside of, with a second to spare for short texts. */
const fastest = 12
const slowest = 400

/** Judges a clip by its energy and its length. */
export const verdictOf = (pcm: Pcm, { characters, usual }: Expectation): Verdict => {
  const bounds = speechBounds(pcm)
  if (bounds === undefined) return { _tag: "Unusable", words: "it is silent" }
  const length = ((bounds.to - bounds.from) * 1000) / pcm.rate
  const said = `${(length / 1000).toFixed(2)} s of speech for ${characters} characters`
  const known = usual !== undefined && usual.count >= 8 ? usual.mean : undefined
  const least = characters * Math.max(fastest, (known ?? 0) * 0.4) - 400
  const most = characters * Math.min(slowest, (known ?? slowest) * 3) + 2_000
  if (length < least) return { _tag: "Suspect", words: `implausibly short: ${said}` }
  if (length > most) return { _tag: "Suspect", words: `implausibly long: ${said}` }
  return { _tag: "Good" }
}
