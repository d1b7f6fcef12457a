/** Where each line is heard. */
import { Schema } from "effect"
import { SpeakerName, UtteranceKey } from "./Ids.ts"
import { LineRef } from "./Utterance.ts"
import { Millis } from "./Units.ts"

/** What a person should look at. */
export const Flag = Schema.Literal(
  "early",
  "late",
  "fast",
  "overrun",
  "together",
  "repeated-take",
  "suspect",
  "silent"
)
export type Flag = typeof Flag.Type

/** One line's speech on the result's timeline. */
export class Placement extends Schema.Class<Placement>("Placement")({
  line: LineRef,
  speaker: Schema.optional(SpeakerName),
  utterance: UtteranceKey,
  /** Which segment of the utterance's clip is heard. */
  segment: Schema.NonNegativeInt,
  start: Millis,
  /** When its speech has ended. */
  end: Millis,
  /** How much faster than recorded; 1 is as recorded. */
  speed: Schema.Positive,
  flags: Schema.Array(Flag),
  /** How many characters the line would have to lose to fit its slot, where it does not. */
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
