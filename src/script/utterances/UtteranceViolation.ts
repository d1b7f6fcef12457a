/** Lines that cannot be sent within a provider's limits, with messages that say what to do. */
import { Schema } from "effect"
import { ProviderId, SpeakerName } from "../../domain/values/Ids.ts"
import { LineRef } from "../../domain/speech/Utterance.ts"

/** A voice has less text than its provider's minimum; these lines are not sent. */
export class TooLittleText extends Schema.TaggedClass<TooLittleText>()("TooLittleText", {
  provider: ProviderId,
  speaker: Schema.optional(SpeakerName),
  lines: Schema.NonEmptyArray(LineRef),
  /** Characters in all. */
  characters: Schema.NonNegativeInt,
  /** The provider's minimum. */
  minChars: Schema.NonNegativeInt,
  /** Whether the provider would accept the same lines as SRT. */
  srtInput: Schema.Boolean
}) {
  get message(): string {
    const where = `${this.speaker ?? "one voice"} has ${this.characters} characters in ${this.lines.length} ${this.lines.length === 1 ? "line" : "lines"} from cue ${this.lines[0].cue}`
    const remedy = this.srtInput ? "set nativeInput: srt, use another provider" : "use another provider"
    return `${where}, but ${this.provider} needs at least ${this.minChars}; ${remedy}, or give these lines to a voice that speaks more of the script`
  }
}

/** A single word, number or address is longer than a task may be; it cannot be split. */
export class WordTooLong extends Schema.TaggedClass<WordTooLong>()("WordTooLong", {
  provider: ProviderId,
  line: LineRef,
  /** Its first 60 characters. */
  word: Schema.String,
  /** Characters that a task has for words; 0 if the SRT numbers and times need them all. */
  maxChars: Schema.NonNegativeInt
}) {
  get message(): string {
    if (this.maxChars === 0)
      return `cue ${this.line.cue}: maxChars of ${this.provider} leaves no room for words besides the SRT times; raise it or set nativeInput: text`
    return `cue ${this.line.cue}: "${this.word}" cannot be split, and ${this.provider} accepts at most ${this.maxChars} characters; shorten it or replace it with a lexicon entry`
  }
}

export const Violation = Schema.Union(TooLittleText, WordTooLong)
export type Violation = typeof Violation.Type
