/** What a subtitle or text file says, before anything is decided about it. */
import { Schema } from "effect"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** What one speaker says in a cue, where the format itself names more than one. */
export class Turn extends Schema.Class<Turn>("Turn")({
  speaker: Schema.optional(SpeakerName),
  text: Schema.String
}) {}

/** One entry of a subtitle. `index`, `start`, `end` and `text` are the source file's own. */
export class Cue extends Schema.Class<Cue>("Cue")({
  /**
   * The number the file gives the cue; every cue's position from 1 where the file gives none or repeats one. Unique in
   * a file.
   */
  index: Schema.NonNegativeInt,
  start: Millis,
  /** Never before `start`; equal to it where the file gives the cue no time. */
  end: Millis,
  /** The wording with its line breaks, tags and entities resolved to plain text; may be empty. */
  text: Schema.String,
  /** The speaker that the format itself names: an ASS Name, a WebVTT `<v>`. */
  speaker: Schema.optional(SpeakerName),
  /** The speakers' turns in order, where the format names several in one cue; together they are `text`. */
  turns: Schema.optional(Schema.NonEmptyArray(Turn)),
  /** The format itself says that the words are sung: an ASS event timed by syllables. */
  sung: Schema.optional(Schema.Literal(true)),
  /** The ASS style that the event is shown in. */
  style: Schema.optional(Schema.String),
  /** The line of the file on which the cue's time stands, from 1. */
  line: Schema.Positive.pipe(Schema.int())
}) {}

/**
 * A cue that the reader found but could not read, such as one with a broken time line. Its `index` is the file's number
 * where the file gives one that no other cue has, else a number above all others. Where its times cannot be read,
 * `start` and `end` are those at which the cue before it in the file ends.
 */
export class LostCue extends Cue.extend<LostCue>("LostCue")({
  /** Why it cannot be read: what the file holds there, and what was expected. */
  why: Schema.NonEmptyString
}) {}

/** The formats a script is read from. */
const ScriptFormat = Schema.Literal("srt", "vtt", "ass", "text", "markdown")
export type ScriptFormat = typeof ScriptFormat.Type

/** Something in a file that was mended or passed over when reading it. */
export class Notice extends Schema.Class<Notice>("Notice")({
  /** From 1. */
  line: Schema.Positive.pipe(Schema.int()),
  message: Schema.NonEmptyString
}) {}

/** A subtitle file, read: its cues in order of their start (ties in file order). */
export class Subtitle extends Schema.TaggedClass<Subtitle>()("Subtitle", {
  format: Schema.Literal("srt", "vtt", "ass"),
  cues: Schema.Array(Cue),
  /** Cues that could not be read, in file order. */
  lost: Schema.Array(LostCue).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => [])
  ),
  notices: Schema.Array(Notice)
}) {}

/** A block of a narration: a paragraph or a heading. */
export class Block extends Schema.Class<Block>("Block")({
  kind: Schema.Literal("heading", "paragraph"),
  text: Schema.NonEmptyTrimmedString,
  /** Who wrote it, in an exported chat. */
  speaker: Schema.optional(SpeakerName),
  line: Schema.Positive.pipe(Schema.int())
}) {}

/** A plain text or Markdown file, read: it has no times of its own. */
export class Narration extends Schema.TaggedClass<Narration>()("Narration", {
  format: Schema.Literal("text", "markdown"),
  blocks: Schema.Array(Block),
  notices: Schema.Array(Notice)
}) {}

/** A source file, read. */
export type Script = Subtitle | Narration

/** Why a file could not be read as a script; one of possibly several faults, each with its line. */
export class ScriptFault extends Schema.Class<ScriptFault>("ScriptFault")({
  /** From 1; 1 where the whole file is at fault. */
  line: Schema.Positive.pipe(Schema.int()),
  /** What stands there, cut to a few words. */
  found: Schema.String,
  /** What was expected, and how to mend it. */
  expected: Schema.NonEmptyString
}) {}

/** A file that cannot be used, with every fault found in it. */
export class ScriptRejected extends Schema.TaggedError<ScriptRejected>()("ScriptRejected", {
  file: Schema.String,
  faults: Schema.NonEmptyArray(ScriptFault)
}) {
  override get message(): string {
    return this.faults
      .map(
        (fault) =>
          `${this.file}:${fault.line}: ${fault.found === "" ? "" : `"${fault.found}": `}${fault.expected}`
      )
      .join("\n")
  }
}
