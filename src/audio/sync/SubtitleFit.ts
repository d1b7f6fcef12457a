/** Judges an alignment: whether a subtitle fits its film, and by how much it is off. */
import type { TimedSpan } from "./CueEvidence.ts"
import type { FilmAlignment } from "./FilmAlignment.ts"
import { rateFactors } from "./FrameRatePairs.ts"
import type { SpeechTrack } from "./SpeechTrack.ts"

/** How a subtitle fits. Times are seconds; a time t of a piece's cues is heard at `t * rate + offset`. */
export interface SubtitleFit {
  readonly verdict: "in-sync" | "shifted" | "rate" | "pieces" | "unsure" | "no-speech"
  /** Of the longest piece. */
  readonly offset: number
  readonly rate: number
  /** The cues from `first` to `until`, exclusive, in the order of the spans. */
  readonly pieces: ReadonlyArray<{ readonly first: number; readonly until: number; readonly offset: number }>
  readonly confidence: number
}

/** Below this confidence, the verdict is `unsure`. */
export const minConfidence = 0.8

/** Offsets below this, in seconds, are in sync: subtitles are made to appear a little before or after the voice. */
export const minOffset = 0.25

/**
 * A drift counts if it moves the first or last cue by this much against the middle, in seconds. Below this, cues that
 * start a little before or after the voice look like a drift. With 0.1, this happened to one of seven fitting subtitles
 * of five minutes. The rates of frame-rate pairs have evidence of their own, so less is enough for them.
 */
const minDrift = 0.25
const minUsualDrift = 0.08

/** A sound with less speech than this share, or than this many seconds, counts as a sound without speech. */
const minSpeechShare = 0.01
const minSpeechSeconds = 3

/** Whether anybody speaks in a sound, by its track. */
export const hasSpeech = ({ speech }: SpeechTrack): boolean => {
  let likely = 0
  for (const value of speech) if (value > 160) likely++
  return likely >= Math.max(minSpeechSeconds * 100, minSpeechShare * speech.length)
}

/** Judges an alignment of spans; undefined means too few spans. */
export const judgeFit = (
  alignment: FilmAlignment | undefined,
  spans: ReadonlyArray<TimedSpan>
): SubtitleFit => {
  if (alignment === undefined) return { verdict: "unsure", offset: 0, rate: 1, pieces: [], confidence: 0 }
  const { runs, confidence } = alignment
  const half = (spans.at(-1)!.start - spans[0]!.start) / 2
  const least = rateFactors.includes(alignment.rate) ? minUsualDrift : minDrift
  const steady = Math.abs(alignment.rate - 1) * half < least
  const rate = steady ? 1 : alignment.rate
  const pieces = runs.map(({ first, until, shift }) => {
    const middle = (spans[first]!.start + spans[until - 1]!.start) / 2
    return { first, until, offset: shift + (alignment.rate - rate) * middle }
  })
  const longest = pieces.reduce((most, piece) =>
    piece.until - piece.first > most.until - most.first ? piece : most
  )
  const fit = { offset: longest.offset, rate, pieces, confidence }
  if (confidence < minConfidence) return { ...fit, verdict: "unsure" }
  if (pieces.length > 1) return { ...fit, verdict: "pieces" }
  if (rate !== 1) return { ...fit, verdict: "rate" }
  return { ...fit, verdict: Math.abs(fit.offset) < minOffset ? "in-sync" : "shifted" }
}
