/** Parses a task's text as SRT: its entries, or why it is invalid. */
import { Either } from "effect"
import type { Millis } from "../../domain/time/Units.ts"
import { readScript } from "../../script/ScriptFile.ts"

/** One SRT entry to speak. */
export interface Entry {
  /** When it should start. */
  readonly start: Millis
  /** Its lines without markup; never empty. */
  readonly text: string
}

/** Whether a text starts like an SRT: an optional number, then a line with two times. */
export const isSrt = (text: string): boolean =>
  /^\ufeff?\s*(?:\d+[ \t]*\r?\n\s*)?\d{1,3}:\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?[ \t]*-->/u.test(text)

/** Parses an SRT into its entries with words to speak, ordered by start. Returns a message if it is invalid. */
export const readEntries = (text: string): Either.Either<ReadonlyArray<Entry>, string> => {
  const script = readScript(new TextEncoder().encode(text), "text.srt")
  if (Either.isLeft(script)) {
    const [fault] = script.left.faults
    return Either.left(
      `line ${fault.line} of the SRT: ${fault.found === "" ? "" : `"${fault.found}": `}${fault.expected}`
    )
  }
  if (script.right._tag !== "Subtitle")
    return Either.left("the SRT has no entries; expected a time line such as 00:00:01,000 --> 00:00:02,500")
  const entries = script.right.cues
    .filter((cue) => /[\p{L}\p{N}]/u.test(cue.text))
    .map((cue) => ({ start: cue.start, text: cue.text }))
  return entries.length === 0
    ? Either.left("the SRT has no entries with words to speak; add words to an entry")
    : Either.right(entries)
}
