/** Cues that could not be read: numbered apart from the others, and their place among a script's words. */
import { type Cue, LostCue, type Subtitle } from "../../domain/speech/Cue.ts"
import type { SkipReason } from "../../domain/speech/Line.ts"
import { unchecked } from "../../domain/values/SkipValidation.ts"
import { millis } from "../../domain/time/Units.ts"
import { isBlank } from "../markup/CueLines.ts"
import type { voicesOf } from "../markup/CueVoices.ts"
import { type Reader, reasonOf, spokenTurns } from "./CueToSpeech.ts"

/** A cue of a file whose time could not be read. */
export interface LostBlock {
  /** The line where it begins, from 1. */
  readonly line: number
  /** The number that the file gives it, if any. */
  readonly number: number | undefined
  readonly lines: ReadonlyArray<string>
  /** What the file holds there, and what was expected. */
  readonly why: string
}

/** A cue that was read: all that a lost one is placed by. */
interface ReadBlock {
  readonly line: number
  readonly number: number | undefined
  readonly end: number
}

/**
 * Lost blocks with any text as cues, in file order. No other cue's number changes for them. `cues` are the blocks that were read, in
 * the same order.
 */
export const lostCues = (
  found: ReadonlyArray<LostBlock>,
  blocks: ReadonlyArray<ReadBlock>,
  cues: ReadonlyArray<Cue>,
  voices: (text: string) => ReturnType<typeof voicesOf>
): ReadonlyArray<LostCue> => {
  const lost = found.filter(({ lines }) => lines.some((text) => !isBlank(text)))
  if (lost.length === 0) return []
  const taken = new Set(cues.map(({ index }) => index))
  const byNumber = cues.every(({ index }, at) => index === blocks[at]?.number)
  const wanted = byNumber ? lost.map(({ number }) => number ?? 0) : []
  let last = [...taken, ...wanted].reduce((top, index) => Math.max(top, index), 0)
  let before = 0
  return lost.map(({ line, number, lines, why }) => {
    while ((blocks[before]?.line ?? Infinity) < line) before++
    const at = millis(blocks[before - 1]?.end ?? 0)
    const index = byNumber && number !== undefined && !taken.has(number) ? number : ++last
    taken.add(index)
    return LostCue.make({ index, start: at, end: at, line, why, ...voices(lines.join("\n")) }, unchecked)
  })
}

/** A cue that has something to say and cannot be read. */
export interface LostWords {
  readonly cue: number
  readonly line: number
  readonly skipped: "lost"
  /** What the file holds there, and what was expected. */
  readonly why: string
}

/** A cue that cannot be read and has nothing to say. */
interface NoWords {
  readonly cue: number
  readonly line: number
  readonly skipped: SkipReason
}

/** What becomes of the words of a cue that cannot be read; music and sounds that nobody says are not lost. */
export const lostWords = (cue: Cue, why: string, reader: Reader): LostWords | NoWords => {
  const turns = cue.turns ?? [{ speaker: cue.speaker, text: cue.text }]
  const said = turns.flatMap((turn) => spokenTurns(turn.text, turn.speaker, cue.line, reader))
  const sung = cue.sung === true && reader.settings.music !== "speak"
  const silent = said.every((turn) => turn.said === "") ? reasonOf(said) : undefined
  const skipped = sung ? "music" : silent === "empty" && cue.text.includes("\ufffd") ? undefined : silent
  const { index, line } = cue
  return skipped === undefined ? { cue: index, line, skipped: "lost", why } : { cue: index, line, skipped }
}

/** A subtitle's words, those of its lost cues among the others by their start. */
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
