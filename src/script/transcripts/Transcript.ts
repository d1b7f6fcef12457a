/** Parses a speech service's transcript (SRT or JSON with times), and finds when each part of our text is spoken. */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { millis, type Millis } from "../../domain/time/Units.ts"
import { lettersOf, partTimes, type Letters } from "./PartTimes.ts"
import { readSrtVtt } from "../formats/cues/SrtVtt.ts"
import { longestTime } from "../formats/cues/TimingLine.ts"
import { jsonTokens, type FoundTokens } from "./TranscriptJson.ts"

/** A piece of speech with its time: a character, a word, or a whole segment. */
export interface TranscriptToken {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/**
 * Parses a transcript. SRT gives one token per entry. JSON may be:
 *
 * - our own: `{ "duration": s, "sentences": [{ text, start, end }], "words": [{ text, start, end }] }`
 * - any with arrays of objects that have a text and a time
 * - any with an array of characters next to arrays of their times
 *
 * The finest times are used: those of characters or words rather than of segments. Field names distinguish seconds from
 * milliseconds; without such names, the plausible speech rate decides.
 */
export const parseTranscript = (
  text: string,
  kind: "srt" | "json"
): Either.Either<ReadonlyArray<TranscriptToken>, string> => {
  if (kind === "srt")
    return Either.mapBoth(readSrtVtt(text.replace(/^\ufeff/u, "").replace(/\r\n?/gu, "\n"), "srt"), {
      onLeft: (faults) => `not valid SRT: ${faults[0].expected}`,
      onRight: ({ cues }) =>
        cues
          .filter((cue) => cue.text !== "")
          .map((cue): TranscriptToken => ({ text: cue.text, start: cue.start, end: cue.end }))
    })
  return Either.flatMap(jsonTokens(text), (found) => {
    const tokens = inMillis(found)
    return tokens === undefined ? Either.left("contains impossible times") : Either.right(tokens)
  })
}

/** When a part of the text is spoken. */
export interface HeardPart {
  readonly start: Millis
  readonly end: Millis
  /** Whether both ends are at token edges, not inside a token that several parts share. */
  readonly exact: boolean
}

/**
 * Finds each part of a text in a transcript by aligning letters: words may be spelt differently, missing or added, and
 * numbers written out. A part is undefined if the transcript goes directly from the previous part to the next:
 * providers skip what their voice cannot pronounce. Fails if the transcript is of another text, or has other words
 * instead of a part.
 */
export const alignParts = (
  said: NonEmptyReadonlyArray<string>,
  transcript: ReadonlyArray<TranscriptToken>
): Either.Either<NonEmptyReadonlyArray<HeardPart | undefined>, string> => {
  const ours = lettersOf(said)
  const theirs = lettersOf(transcript.map((token) => token.text))
  if (theirs.letters.length === 0) return Either.left("the transcript has no words")
  const pairs = alignTexts(ours.letters, theirs.letters)
  const same = pairs.reduce(
    (count, theirsAt, i) =>
      theirsAt >= 0 && ours.letters[i] === theirs.letters[theirsAt] ? count + 1 : count,
    0
  )
  if (same < ours.letters.length * leastAlike)
    return Either.left(
      `the transcript does not match the text: ${Math.round((100 * same) / Math.max(1, ours.letters.length))} % of the letters agree`
    )
  const parts = partTimes(said.length, ours, theirs, pairs, transcript)
  const lost = parts.findIndex(
    (part, at) => part === undefined && lettersInPlaceOf(at, ours, theirs, pairs) > 0
  )
  if (lost >= 0) return Either.left(`the transcript does not contain "${(said[lost] ?? "").slice(0, 60)}"`)
  return isNonEmptyReadonlyArray(parts) ? Either.right(parts) : Either.left("nothing was said")
}

/** Counts the transcript's letters between the previous part's last aligned letter and the next part's first. */
const lettersInPlaceOf = (part: number, ours: Letters, theirs: Letters, pairs: Int32Array): number => {
  const before = pairs.subarray(0, ours.first[part]).reduce((last, at) => Math.max(last, at), -1)
  const behind = pairs.subarray(ours.first[part + 1]).find((at) => at >= 0)
  return (behind ?? theirs.letters.length) - before - 1
}

/** Least share of letters in common; below, the transcript is of another text. */
const leastAlike = 0.5

/**
 * Converts times to whole, non-decreasing milliseconds; undefined if one is impossible. If no field name gives
 * the unit, the speech rate decides: times are seconds if that makes more than one letter per second. Fractional times
 * are also seconds down to one letter in 50 s.
 */
const inMillis = ({ tokens, unit }: FoundTokens): ReadonlyArray<TranscriptToken> | undefined => {
  const last = tokens.reduce((most, token) => Math.max(most, token.end, token.start), 0)
  const letters = tokens.reduce((sum, token) => sum + token.text.length, 0)
  const whole = tokens.every((token) => Number.isInteger(token.start) && Number.isInteger(token.end))
  const rate = letters / last
  const factor = unit ?? (rate > 1 || (!whole && rate > 0.02) ? 1000 : 1)
  if (!tokens.every(({ start, end }) => [start, end].every((time) => isPossible(time * factor))))
    return undefined
  let before = 0
  return tokens.map((token) => {
    const start = Math.max(before, token.start * factor)
    const end = Math.max(start, token.end * factor)
    before = start
    return { text: token.text.trim(), start: millis(start), end: millis(end) }
  })
}

/** Whether milliseconds may be a time in a clip. A few below zero are an encoder's delay. */
const isPossible = (time: number): boolean => time > -50 && time < longestTime

/** Half the band's width in letters: a share of the longer text's length, within these bounds. */
const narrowest = 96
const share = 0.08
const widest = 600

/**
 * Returns for each position of `ours` the aligned position of `theirs`, ascending; -1 if it has no counterpart. Time
 * and memory are proportional to the length times the band's width.
 */
const alignTexts = (ours: string, theirs: string): Int32Array => {
  const [n, m] = [ours.length, theirs.length]
  const pairs = new Int32Array(n).fill(-1)
  if (n === 0 || m === 0) return pairs
  const band = Math.min(widest, Math.max(narrowest, Math.round(Math.max(n, m) * share)))
  const width = 2 * band + 1
  const slope = m / n
  const from = (i: number): number => Math.round(i * slope) - band
  const steps = new Uint8Array((n + 1) * width)
  let before = new Float64Array(width).fill(Infinity)
  let now = new Float64Array(width).fill(Infinity)
  for (let i = 0; i <= n; i++) {
    const start = from(i)
    const shift = i === 0 ? 0 : start - from(i - 1)
    now.fill(Infinity)
    for (let k = 0; k < width; k++) {
      const j = start + k
      if (j < 0 || j > m) continue
      if (i === 0 && j === 0) {
        now[k] = 0
        continue
      }
      const beside =
        i > 0 && j > 0 ? (before[k + shift - 1] ?? Infinity) + cost(ours, i - 1, theirs, j - 1) : Infinity
      const alone = i > 0 ? (before[k + shift] ?? Infinity) + 1 : Infinity
      const added = j > 0 && k > 0 ? (now[k - 1] ?? Infinity) + 1 : Infinity
      const least = Math.min(beside, alone, added)
      now[k] = least
      steps[i * width + k] = least === beside ? step.beside : least === alone ? step.alone : step.added
    }
    ;[before, now] = [now, before]
  }
  let i = n
  let j = m
  while (i > 0 && j > 0) {
    const k = j - from(i)
    const reached = k < 0 || k >= width ? step.alone : (steps[i * width + k] ?? step.alone)
    if (reached === step.beside) {
      pairs[i - 1] = j - 1
      i--
      j--
    } else if (reached === step.alone) i--
    else j--
  }
  return pairs
}

/** How a cell of the table was reached: both letters aligned, one of `ours` skipped, or one of `theirs` skipped. */
const step = { beside: 1, alone: 2, added: 3 } as const

/** A substitution costs 1.6, a little less than a deletion plus an insertion (2). */
const cost = (ours: string, i: number, theirs: string, j: number): number =>
  ours.charCodeAt(i) === theirs.charCodeAt(j) ? 0 : 1.6
