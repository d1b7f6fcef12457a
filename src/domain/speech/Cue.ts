/** Cues, blocks and scripts: the parsed contents of a subtitle or text file. */
import { Schema } from "effect"
import { SpeakerName } from "../values/Ids.ts"
import { Millis } from "../time/Units.ts"

/** The words of one speaker in a cue, if the format itself names several speakers. */
export class Turn extends Schema.Class<Turn>("Turn")({
  speaker: Schema.optional(SpeakerName),
  text: Schema.String
}) {}

/** One entry of a subtitle. `index`, `start`, `end` and `text` come from the source file. */
export class Cue extends Schema.Class<Cue>("Cue")({
  /**
   * The cue's number in the file. If any cue has none or a number repeats, every cue's position from 1. Unique in a
   * file.
   */
  index: Schema.NonNegativeInt,
  start: Millis,
  /** Never before `start`. Equal to it if the file gives the cue no time. */
  end: Millis,
  /** The text with line breaks; tags and entities are resolved to plain text. May be empty. */
  text: Schema.String,
  /** The speaker that the format itself names: an ASS Name, a WebVTT `<v>`. */
  speaker: Schema.optional(SpeakerName),
  /** The speakers' turns in file order, if the format names several in one cue. Joined, they are `text`. */
  turns: Schema.optional(Schema.NonEmptyArray(Turn)),
  /** Set if the format marks the words as sung: an ASS event timed by syllables. */
  sung: Schema.optional(Schema.Literal(true)),
  /** The style of the ASS event. */
  style: Schema.optional(Schema.String),
  /** Line number of the cue's timing line in the file, from 1. */
  line: Schema.Positive.pipe(Schema.int())
}) {}

/**
 * A cue that was found but could not be read, for example because its timing line is broken.
 *
 * Its `index` is the file's number if no other cue has that number, else a number above all others. If its times cannot
 * be read, `start` and `end` are the end of the previous cue in the file.
 */
export class LostCue extends Cue.extend<LostCue>("LostCue")({
  /** Why it cannot be read: the text found there, and the expected one. */
  why: Schema.NonEmptyString
}) {}

/** A problem in a file that was repaired or skipped during reading. */
export class Notice extends Schema.Class<Notice>("Notice")({
  /** From 1. */
  line: Schema.Positive.pipe(Schema.int()),
  message: Schema.NonEmptyString
}) {}

/** A notice at a line, from 1. */
export const noticeAt = (line: number, message: string): Notice => Notice.make({ line, message })

/** A parsed subtitle file. Cues are ordered by start, ties by file order. */
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
  /** The author, in an exported chat. */
  speaker: Schema.optional(SpeakerName),
  line: Schema.Positive.pipe(Schema.int())
}) {}

/** A parsed plain text or Markdown file, without times. */
export class Narration extends Schema.TaggedClass<Narration>()("Narration", {
  format: Schema.Literal("text", "markdown"),
  blocks: Schema.Array(Block),
  notices: Schema.Array(Notice)
}) {}

/** A parsed source file. */
export type Script = Subtitle | Narration

/** One fault in a file that could not be read as a script, with its line. */
export class ScriptFault extends Schema.Class<ScriptFault>("ScriptFault")({
  /** From 1. It is 1 if the fault is about the whole file. */
  line: Schema.Positive.pipe(Schema.int()),
  /** The text found there, cut to a few words. */
  found: Schema.String,
  /** The expected content, and how to fix the file. */
  expected: Schema.NonEmptyString
}) {}

/** A fault at a line, from 1. */
export const faultAt = (line: number, found: string, expected: string): ScriptFault =>
  ScriptFault.make({ line, found, expected })

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
