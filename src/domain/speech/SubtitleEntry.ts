/** An entry of a delivered subtitle: the source's text, re-timed to the speech. */
import { Schema } from "effect"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** One entry of a re-timed subtitle. */
export class SubtitleEntry extends Schema.Class<SubtitleEntry>("SubtitleEntry")({
  /** The source cue's number. */
  index: Schema.NonNegativeInt,
  start: Millis,
  /** Where the speech ends; never before `start`. */
  end: Millis,
  /** Plain text with line breaks. Entries with empty text are not written. */
  text: Schema.String,
  speaker: Schema.optional(SpeakerName)
}) {}
