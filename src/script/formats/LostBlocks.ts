/** Blocks of a subtitle file whose times could not be read, as cues of their own: numbered apart from the others. */
import { type Cue, LostCue } from "../../domain/speech/Cue.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { millis } from "../../domain/time/Units.ts"
import { isBlank } from "../markup/CueLines.ts"
import type { cueVoices } from "../markup/CueVoices.ts"

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
 * Lost blocks with any text as cues, in file order. No other cue's number changes for them. `cues` are the blocks that
 * were read, in the same order.
 */
export const lostCues = (
  found: ReadonlyArray<LostBlock>,
  blocks: ReadonlyArray<ReadBlock>,
  cues: ReadonlyArray<Cue>,
  voices: (text: string) => ReturnType<typeof cueVoices>
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
    return LostCue.make({ index, start: at, end: at, line, why, ...voices(lines.join("\n")) }, skipValidation)
  })
}
