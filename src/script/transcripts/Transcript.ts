/**
 * What a service says about when its words are heard, in the shapes that speech services use; and our own words
 * found in it.
 */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { type Millis, millis } from "../../domain/time/Units.ts"
import { alignTexts } from "./TextAlignment.ts"
import { type Letters, lettersOf, partTimes } from "./PartTimes.ts"
import { readSrtVtt } from "../formats/SrtVtt.ts"
import { longestTime } from "../formats/TimingLine.ts"
import { type FoundTokens, jsonTokens } from "./TranscriptJson.ts"

/** A stretch of speech with its time: a word, a character, or a whole segment. */
export interface TranscriptToken {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/**
 * Reads a transcript. SRT gives one token an entry. JSON may be ours, `{ "duration": s, "sentences": [{ text,
 * start, end }], "words": [{ text, start, end }] }`, or any with arrays of objects that hold a text and a time, or
 * of characters beside arrays of their times. The finest times count: characters and words before segments. Seconds
 * and milliseconds are told by the names of the fields, else by which of the two people could speak at.
 */
export const parseTranscript = (
  text: string,
  kind: "srt" | "json"
): Either.Either<ReadonlyArray<TranscriptToken>, string> => {
  if (kind === "srt")
    return Either.mapBoth(readSrtVtt(text.replace(/^\ufeff/u, "").replace(/\r\n?/gu, "\n"), "srt"), {
      onLeft: (faults) => `not an SRT: ${faults[0].expected}`,
      onRight: ({ cues }) =>
        cues
          .filter((cue) => cue.text !== "")
          .map((cue): TranscriptToken => ({ text: cue.text, start: cue.start, end: cue.end }))
    })
  return Either.flatMap(jsonTokens(text), (found) => {
    const tokens = inMillis(found)
    return tokens === undefined ? Either.left("holds times that cannot be") : Either.right(tokens)
  })
}

/** Where a part of what was said is heard. */
export interface HeardPart {
  readonly start: Millis
  readonly end: Millis
  /** Whether both ends stand at the edge of a token, and not somewhere inside of one that several parts share. */
  readonly exact: boolean
}

/**
 * Finds each part of what was said in a transcript, by aligning the letters of both and not by trust: words may be
 * spelt otherwise, missing or added, and numbers written out. A part is undefined where the transcript goes on from the
 * part before it to the one behind: a provider passes over what its voice cannot say. Left where the transcript does
 * not say what was said, or says something else in a part's place.
 */
export const alignParts = (
  said: NonEmptyReadonlyArray<string>,
  transcript: ReadonlyArray<TranscriptToken>
): Either.Either<NonEmptyReadonlyArray<HeardPart | undefined>, string> => {
  const ours = lettersOf(said)
  const theirs = lettersOf(transcript.map((token) => token.text))
  if (theirs.letters.length === 0) return Either.left("the transcript holds no words")
  const pairs = alignTexts(ours.letters, theirs.letters)
  const same = pairs.reduce(
    (count, theirsAt, i) =>
      theirsAt >= 0 && ours.letters[i] === theirs.letters[theirsAt] ? count + 1 : count,
    0
  )
  if (same < ours.letters.length * leastAlike)
    return Either.left(
      `the transcript says something else: ${Math.round((100 * same) / Math.max(1, ours.letters.length))} % of the letters agree`
    )
  const parts = partTimes(said.length, ours, theirs, pairs, transcript)
  const lost = parts.findIndex(
    (part, at) => part === undefined && lettersInPlaceOf(at, ours, theirs, pairs) > 0
  )
  if (lost >= 0) return Either.left(`the transcript does not say "${(said[lost] ?? "").slice(0, 60)}"`)
  return isNonEmptyReadonlyArray(parts) ? Either.right(parts) : Either.left("nothing was said")
}

/**
 * How many letters of theirs lie between what stands beside the parts before a part and what stands beside those behind
 * it.
 */
const lettersInPlaceOf = (part: number, ours: Letters, theirs: Letters, pairs: Int32Array): number => {
  const before = pairs.subarray(0, ours.first[part]).reduce((last, at) => Math.max(last, at), -1)
  const behind = pairs.subarray(ours.first[part + 1]).find((at) => at >= 0)
  return (behind ?? theirs.letters.length) - before - 1
}

/** Fewer letters in common than this, and it is another text. */
const leastAlike = 0.5

/**
 * Whole milliseconds, never going back; undefined where one is beyond all that can be. Where no name tells the unit:
 * nobody says more than forty letters a second, or fewer than one; times that are no whole numbers are seconds, unless
 * that would be a letter in most of a minute.
 */
const inMillis = ({ tokens, unit }: FoundTokens): ReadonlyArray<TranscriptToken> | undefined => {
  const last = tokens.reduce((most, token) => Math.max(most, token.end, token.start), 0)
  const letters = tokens.reduce((sum, token) => sum + token.text.length, 0)
  const whole = tokens.every((token) => Number.isInteger(token.start) && Number.isInteger(token.end))
  const rate = letters / last
  const factor = unit ?? (rate > 1 || (!whole && rate > 0.02) ? 1000 : 1)
  if (!tokens.every((token) => token.start * factor < longestTime && token.end * factor < longestTime))
    return undefined
  let before = 0
  return tokens.map((token) => {
    const start = Math.max(before, token.start * factor)
    const end = Math.max(start, token.end * factor)
    before = start
    return { text: token.text.trim(), start: millis(start), end: millis(end) }
  })
}
