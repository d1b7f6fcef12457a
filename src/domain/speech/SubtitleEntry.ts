/** A subtitle as it is delivered: the source's wording at the time at which it is heard. */
import { Schema } from "effect"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** One entry of a re-timed subtitle. */
export class SubtitleEntry extends Schema.Class<SubtitleEntry>("SubtitleEntry")({
  /** The source cue's number. */
  index: Schema.NonNegativeInt,
  start: Millis,
  /** When its speech has ended; never before `start`. */
  end: Millis,
  /** Plain text with its line breaks. An entry without any is left out. */
  text: Schema.String,
  speaker: Schema.optional(SpeakerName)
}) {}
