/** A line to speak: a cue's words, or a part of them, as one speaker says them. */
import { Schema } from "effect"
import { Casting } from "./Casting.ts"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** Why a cue's words are left unspoken. */
export const SkipReason = Schema.Literal(
  "empty",
  "music",
  "sound-effect",
  "repeated",
  "unreadable",
  "other-language",
  "excluded"
)
export type SkipReason = typeof SkipReason.Type

/** When a line should be heard: its cue's time, or its share of it. */
export class Slot extends Schema.Class<Slot>("Slot")({ start: Millis, end: Millis }) {}

/**
 * A line: unique in its job by `cue` and `part`. A cue in which two speakers talk is two lines, one with nothing to say
 * is none. A narration's lines have no slot: they follow each other, with `pause` before them.
 */
export class Line extends Schema.Class<Line>("Line")({
  /** The cue's index; for a narration its position from 1. */
  cue: Schema.NonNegativeInt,
  /** The position from 0 among the lines of this cue. */
  part: Schema.NonNegativeInt,
  speaker: Schema.optional(SpeakerName),
  /** What is to be said, cleaned for speech. */
  said: Schema.NonEmptyTrimmedString,
  slot: Schema.optional(Slot),
  /** Silence before a line of a narration. */
  pause: Schema.optional(Millis),
  casting: Casting
}) {}
