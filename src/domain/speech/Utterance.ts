/** What is sent as one task, and which lines it carries. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { Casting } from "./Casting.ts"
import { UtteranceKey } from "../values/Ids.ts"
import { skipValidation } from "../values/SkipValidation.ts"

/**
 * One task's worth of speech. Its key is a hash of what it sounds like, so that the same words by the same voice are
 * one utterance in every job and every run.
 */
export class Utterance extends Schema.Class<Utterance>("Utterance")({
  key: UtteranceKey,
  casting: Casting,
  /** Whether `text` is sent as plain words or as an SRT of one entry a part. */
  input: Schema.Literal("text", "srt"),
  /** The text exactly as sent. */
  text: Schema.NonEmptyString,
  /** The words of each part, in order: what is heard, one part a line. */
  said: Schema.NonEmptyArray(Schema.NonEmptyTrimmedString),
  /** Characters (code points) of `text`: what a provider counts. */
  characters: Schema.Positive.pipe(Schema.int())
}) {}

/**
 * A line by its cue and part. A line too long for one task is spoken in pieces by several utterances: then `piece` is
 * the position from 0 among them, and absent otherwise. The pieces of a line are heard one after another.
 */
export class LineRef extends Schema.Class<LineRef>("LineRef")({
  cue: Schema.NonNegativeInt,
  part: Schema.NonNegativeInt,
  piece: Schema.optional(Schema.NonNegativeInt),
  /** The line is spoken anew by an utterance of its own: this part is not heard. */
  replaced: Schema.optional(Schema.Literal(true))
}) {}

/** An utterance as one job uses it: `lines[i]` is where part i of the utterance belongs. */
export class UtteranceUse extends Schema.Class<UtteranceUse>("UtteranceUse")({
  utterance: Utterance,
  lines: Schema.NonEmptyArray(LineRef)
}) {}

/** The number of characters as providers count them: Unicode code points. */
export const charactersOf = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * The key of what an utterance sounds like: SHA-256 over its casting, input and text. Transcript flags do not count,
 * since they change nothing that is heard.
 */
const utteranceKey = (casting: Casting, input: "text" | "srt", text: string): UtteranceKey =>
  UtteranceKey.make(
    createHash("sha256")
      .update(
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
      )
      .digest("hex")
  )

/**
 * An utterance of these parts, which are words of lines: trimmed and not empty. `text` is what is sent: the words
 * themselves, or the SRT that holds them. They are taken as they are, since a plan makes utterances by the ten thousand
 * and a check of each takes longer than all the rest.
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

/** The name under which a line is found by its reference. */
export const lineName = (line: { readonly cue: number; readonly part: number }): string =>
  `${line.cue}.${line.part}`
