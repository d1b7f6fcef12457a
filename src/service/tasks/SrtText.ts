/** A task's text that is an SRT: its entries, or why it is none. */
import { Either } from "effect"
import type { Millis } from "../../domain/time/Units.ts"
import { readScript } from "../../script/ScriptFile.ts"

/** One entry to be spoken. */
export interface Entry {
  /** When it should be heard. */
  readonly start: Millis
  /** Its words without markup, as lines; never empty. */
  readonly text: string
}

/** Whether a text begins like an SRT: a number, or none, and a line with two times. */
export const isSrt = (text: string): boolean =>
  /^\ufeff?\s*(?:\d+[ \t]*\r?\n\s*)?\d{1,3}:\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?[ \t]*-->/u.test(text)

/** The entries of which anything can be said, in order of their start; or what is wrong with the SRT, in words. */
export const readEntries = (text: string): Either.Either<ReadonlyArray<Entry>, string> => {
  const script = readScript(new TextEncoder().encode(text), "text.srt")
  if (Either.isLeft(script)) {
    const [fault] = script.left.faults
    return Either.left(
      `line ${fault.line} of the SRT: ${fault.found === "" ? "" : `"${fault.found}": `}${fault.expected}`
    )
  }
  if (script.right._tag !== "Subtitle") return Either.left("the SRT has no entry")
  const entries = script.right.cues
    .filter((cue) => /[\p{L}\p{N}]/u.test(cue.text))
    .map((cue) => ({ start: cue.start, text: cue.text }))
  return entries.length === 0
    ? Either.left("the SRT has no entry in which anything is said")
    : Either.right(entries)
}
