/** Lines that no task can carry as they are, and what to do about it. */
import { Schema } from "effect"
import { ProviderId, SpeakerName } from "../../domain/values/Ids.ts"
import { LineRef } from "../../domain/speech/Utterance.ts"

/** A voice has too few words in all for its provider: nothing is sent for these lines. */
export class TooLittleText extends Schema.TaggedClass<TooLittleText>()("TooLittleText", {
  provider: ProviderId,
  speaker: Schema.optional(SpeakerName),
  lines: Schema.NonEmptyArray(LineRef),
  /** What there is, in characters. */
  characters: Schema.NonNegativeInt,
  /** What the provider takes at least. */
  minChars: Schema.NonNegativeInt,
  /** Whether the provider would take the same lines as SRT. */
  srtInput: Schema.Boolean
}) {
  get message(): string {
    const where = `${this.speaker ?? "one voice"} has ${this.characters} characters in ${this.lines.length} ${this.lines.length === 1 ? "line" : "lines"} from cue ${this.lines[0].cue}`
    const mend = this.srtInput ? "set nativeInput: srt, use another provider" : "use another provider"
    return `${where}, and ${this.provider} takes ${this.minChars} at least: ${mend}, or let it share a voice that says more`
  }
}

/** A single word, number or address is longer than a task may be. */
export class WordTooLong extends Schema.TaggedClass<WordTooLong>()("WordTooLong", {
  provider: ProviderId,
  line: LineRef,
  /** Its beginning. */
  word: Schema.String,
  /** The room that a task has for words; 0 where what goes beside them takes all. */
  maxChars: Schema.NonNegativeInt
}) {
  get message(): string {
    if (this.maxChars === 0)
      return `cue ${this.line.cue}: maxChars of ${this.provider} leaves no room for a word beside the times of SRT: raise it, or set nativeInput: text`
    return `cue ${this.line.cue}: "${this.word}" cannot be cut, and ${this.provider} takes ${this.maxChars} characters at most: shorten it, or say it otherwise with a lexicon entry`
  }
}

export const Violation = Schema.Union(TooLittleText, WordTooLong)
export type Violation = typeof Violation.Type
