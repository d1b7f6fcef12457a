/** Lost cues: blocks of a subtitle file whose times could not be read, with numbers that no other cue has. */
import { type Cue, LostCue } from "../../../domain/speech/Cue.ts"
import { skipValidation } from "../../../domain/values/SkipValidation.ts"
import { millis } from "../../../domain/time/Units.ts"
import { isBlank } from "../../markup/CueLines.ts"
import type { cueVoices } from "../../markup/CueVoices.ts"

/** A block whose time could not be read. */
export interface LostBlock {
  /** The line where it begins, from 1. */
  readonly line: number
  /** Its number in the file, if any. */
  readonly number: number | undefined
  readonly lines: ReadonlyArray<string>
  /** The found and the expected content. */
  readonly why: string
}

/** The fields of a readable cue that determine where lost cues are placed. */
interface ReadBlock {
  readonly line: number
  readonly number: number | undefined
  readonly end: number
}

/**
 * Converts lost blocks that have text into cues, in file order. Other cues keep their numbers. `cues` are made from
 * `blocks`, in the same order.
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
