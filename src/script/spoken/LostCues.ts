/** Inserts cues that could not be read into a script's words. */
import type { Cue, Subtitle } from "../../domain/speech/Cue.ts"
import type { SkipReason } from "../../domain/speech/Line.ts"
import { type Reader, skipReasonOf, turnsToSpeech } from "./CueToSpeech.ts"

/** An unreadable cue that has words. */
export interface LostWords {
  readonly cue: number
  readonly line: number
  readonly skipped: "lost"
  /** The found and the expected content. */
  readonly why: string
}

/** An unreadable cue without words to speak. */
interface NoWords {
  readonly cue: number
  readonly line: number
  readonly skipped: SkipReason
}

/** Classifies an unreadable cue: lost if it has words; skipped if it is only music, a sound or empty. */
export const lostWords = (cue: Cue, why: string, reader: Reader): LostWords | NoWords => {
  const turns = cue.turns ?? [{ speaker: cue.speaker, text: cue.text }]
  const said = turns.flatMap((turn) => turnsToSpeech(turn.text, turn.speaker, cue.line, reader))
  const sung = cue.sung === true && reader.settings.music !== "speak"
  const silent = said.every((turn) => turn.said === "") ? skipReasonOf(said) : undefined
  const skipped = sung ? "music" : silent === "empty" && cue.text.includes("\ufffd") ? undefined : silent
  const { index, line } = cue
  return skipped === undefined ? { cue: index, line, skipped: "lost", why } : { cue: index, line, skipped }
}

/** Merges a subtitle's lost cues into its words, by start time. */
export const withLost = <Read>(
  words: ReadonlyArray<Read>,
  { cues, lost }: Subtitle,
  reader: Reader
): ReadonlyArray<Read | LostWords | NoWords> => {
  if (lost.length === 0) return words
  const read = words.map((spoken, at) => ({ spoken, start: cues[at]?.start ?? 0 }))
  const missing = lost.map((cue) => ({ spoken: lostWords(cue, cue.why, reader), start: cue.start }))
  return [...read, ...missing].sort((a, b) => a.start - b.start).map(({ spoken }) => spoken)
}
