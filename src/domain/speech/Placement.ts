/** Where each line is heard. */
import { Schema } from "effect"
import { SpeakerName, UtteranceKey } from "../values/Ids.ts"
import { LineRef } from "./Utterance.ts"
import { Millis } from "../time/Units.ts"

/** What a person should look at. */
export const Flag = Schema.Literal(
  "early",
  "late",
  "fast",
  "overrun",
  "together",
  "repeated-take",
  "suspect",
  "silent",
  "cut"
)
export type Flag = typeof Flag.Type

/** A segment of an utterance's clip. */
export class ClipPart extends Schema.Class<ClipPart>("ClipPart")({
  utterance: UtteranceKey,
  /** Its position from 0 among the clip's segments. */
  segment: Schema.NonNegativeInt
}) {}

/**
 * A stretch of one speaker's speech on the result's timeline: usually one line from one segment. A line spoken in
 * several pieces has several parts, heard one after the other; lines that could not be told apart share one placement.
 */
export class Placement extends Schema.Class<Placement>("Placement")({
  lines: Schema.NonEmptyArray(LineRef),
  parts: Schema.NonEmptyArray(ClipPart),
  speaker: Schema.optional(SpeakerName),
  start: Millis,
  /** When its speech has ended. */
  end: Millis,
  /** How much faster than recorded; 1 is as recorded. */
  speed: Schema.Positive,
  flags: Schema.Array(Flag),
  /** How many characters the lines would have to lose to fit their slot, where they do not. */
  shortenBy: Schema.optional(Schema.Positive.pipe(Schema.int()))
}) {}

/** Limits within which lines are moved and sped up. Times in milliseconds. */
export class FitLimits extends Schema.Class<FitLimits>("FitLimits")({
  /** The speed up to which a line may be sped up to fit; 1 is as recorded. */
  maxSpeed: Schema.Number,
  /** The speed that is never passed, whatever the harm. */
  hardMaxSpeed: Schema.Number,
  /** How far before its cue a line may start. */
  early: Millis,
  /** How far behind its cue a line may end without being an overrun. */
  late: Millis
}) {}

/**
 * Whether speech that lasts `length` milliseconds is faster than a limit, by more than the rounding of its times to
 * milliseconds.
 */
export const isFaster = (speed: number, length: number, limit: number): boolean =>
  length * (speed / limit - 1) > 0.5 + 1e-9
