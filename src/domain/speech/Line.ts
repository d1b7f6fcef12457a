/** A line: what one speaker says in one cue, cleaned for speech. */
import { Schema } from "effect"
import { Casting } from "./Casting.ts"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** Why a cue is not spoken. */
export const SkipReason = Schema.Literal(
  "empty",
  "music",
  "sound-effect",
  "repeated",
  "other-language",
  "excluded",
  "before-film",
  "joined"
)
export type SkipReason = typeof SkipReason.Type

/** The time in which a line should play: its cue's time, or a share of it. */
export class Slot extends Schema.Class<Slot>("Slot")({ start: Millis, end: Millis }) {}

/**
 * A line, identified in its job by `cue` and `part`. A cue with two speakers gives two lines; a cue with nothing to say
 * gives none. A narration's lines have no slot: they play in sequence, with `pause` before each.
 */
export class Line extends Schema.Class<Line>("Line")({
  /** The cue's index; for a narration, the block's position from 1. */
  cue: Schema.NonNegativeInt,
  /** Position from 0 among the lines of this cue. */
  part: Schema.NonNegativeInt,
  speaker: Schema.optional(SpeakerName),
  /** The words to say, cleaned for speech. */
  said: Schema.NonEmptyTrimmedString,
  slot: Schema.optional(Slot),
  /** Silence before a line of a narration. */
  pause: Schema.optional(Millis),
  casting: Casting
}) {}
