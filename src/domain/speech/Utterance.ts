/** Utterances: the unit sent as one task, and the lines it contains. */
import { hash } from "node:crypto"
import { Schema } from "effect"
import { Casting } from "./Casting.ts"
import { UtteranceKey } from "../values/Ids.ts"
import { skipValidation } from "../values/SkipValidation.ts"

/**
 * The speech of one task. The key is a hash of casting and text, so the same words by the same voice are one utterance
 * in all jobs and runs.
 */
export class Utterance extends Schema.Class<Utterance>("Utterance")({
  key: UtteranceKey,
  casting: Casting,
  /** Whether `text` is plain words, or an SRT with one entry per part. */
  input: Schema.Literal("text", "srt"),
  /** The text exactly as sent. */
  text: Schema.NonEmptyString,
  /** The words of each part as spoken, one part per line. */
  said: Schema.NonEmptyArray(Schema.NonEmptyTrimmedString),
  /** Code points of `text`, which providers count as characters. */
  characters: Schema.Positive.pipe(Schema.int())
}) {}

/**
 * Identifies a line by its cue and part. `piece` is set if the line is too long for one task: it is the position from 0
 * among the pieces. The pieces of a line play in sequence.
 */
export class LineRef extends Schema.Class<LineRef>("LineRef")({
  cue: Schema.NonNegativeInt,
  part: Schema.NonNegativeInt,
  piece: Schema.optional(Schema.NonNegativeInt),
  /** The line is spoken again by an utterance of its own; this part is muted. */
  replaced: Schema.optional(Schema.Literal(true))
}) {}

/** An utterance as one job uses it: `lines[i]` is the line of part i. */
export class UtteranceUse extends Schema.Class<UtteranceUse>("UtteranceUse")({
  utterance: Utterance,
  lines: Schema.NonEmptyArray(LineRef)
}) {}

/** Returns the number of characters as providers count them: Unicode code points. */
export const charactersOf = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++
    count++
  }
  return count
}

/** Returns the longest accepted sound of a text, in seconds: half a second per character, and a minute; at most 4 h. */
export const longestSound = (characters: number, start = 0): number =>
  Math.min(60 + start + characters / 2, 4 * 3600)

/** Returns the longest accepted sound of an utterance, in seconds. An SRT adds the time line that it states. */
export const longestSoundOf = ({ characters, input, text }: Utterance): number => {
  const starts = input === "srt" ? text.matchAll(/^(\d{1,3}):(\d{1,2}):(\d{1,2})\S* -->/gmu) : []
  return Array.from(starts, ([, h, min, s]) => Number(h) * 3600 + Number(min) * 60 + Number(s)).reduce(
    (latest, start) => Math.max(latest, longestSound(characters, start)),
    longestSound(characters)
  )
}

/**
 * Returns the utterance's key: SHA-256 over casting, input and text. Transcript flags are excluded, since they do not
 * change the sound.
 */
const utteranceKey = (casting: Casting, input: "text" | "srt", text: string): UtteranceKey =>
  UtteranceKey.make(
    hash(
      "sha256",
      JSON.stringify([
        1,
        casting.provider,
        casting.model ?? null,
        casting.voice,
        casting.speed ?? null,
        casting.vol ?? null,
        casting.pitch ?? null,
        input,
        text.normalize("NFC")
      ])
    ),
    skipValidation
  )

/**
 * Builds an utterance. `said` holds the words of each part, trimmed and not empty. `text` is sent to the service: those
 * words, or the SRT with them. Validation is skipped: a plan builds tens of thousands of utterances, and validating
 * them takes most of its time.
 */
export const makeUtterance = (
  casting: Casting,
  input: "text" | "srt",
  text: string,
  said: readonly [string, ...ReadonlyArray<string>]
): Utterance =>
  Utterance.make(
    {
      key: utteranceKey(casting, input, text),
      casting,
      input,
      text,
      said,
      characters: charactersOf(text)
    },
    skipValidation
  )

/** Returns the key of a line within its job. */
export const lineName = (line: { readonly cue: number; readonly part: number }): string =>
  `${line.cue}.${line.part}`
