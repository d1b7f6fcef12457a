/** Finds sentences that run over several cues. */
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { endsSentence } from "./SentenceBoundaries.ts"

/** Longest gap between cues spoken in one breath, in milliseconds. */
export const breath = 1_500

/** Share of lines ending a sentence above which a missing full stop means that the sentence continues. */
const punctuated = 0.12

/** Whether a file uses full stops, so that a line without one does not end its sentence. */
export const isPunctuated = (said: ReadonlyArray<string>): boolean =>
  said.filter(endsSentence).length > said.length * punctuated

/**
 * Returns for each line the position of the line in which its sentence begins. Only adjacent lines with the same
 * speaker and casting are joined.
 */
export const sentenceRuns = (lines: ReadonlyArray<Line>): ReadonlyArray<number> => {
  const strict = isPunctuated(lines.map(({ said }) => said))
  let start = 0
  return lines.map((line, i) => {
    const before = lines[i - 1]
    if (before === undefined || !goesOn(before, line, strict)) start = i
    return start
  })
}

const goesOn = (line: Line, next: Line, strict: boolean): boolean => {
  if (line.speaker !== next.speaker || castingKey(line.casting) !== castingKey(next.casting)) return false
  if (line.slot === undefined || next.slot === undefined) return false
  if (next.slot.start - line.slot.end > breath || next.slot.start < line.slot.start) return false
  if (line.cue === next.cue || endsSentence(line.said)) return false
  return strict || /^\p{Ll}/u.test(next.said) || /[,;:、，；—–-]$/u.test(line.said)
}

/** A text that two castings share if they are the same. */
export const castingKey = ({ provider, voice, model, speed, vol, pitch, tone }: Casting): string =>
  JSON.stringify([provider, voice, model, speed, vol, pitch, tone])
