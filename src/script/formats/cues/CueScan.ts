/** The state of a scan for cues, and the functions that report problems. */
import { type ScriptFault, noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import { excerpt } from "../../markup/CueLines.ts"
import type { LostBlock } from "./LostBlocks.ts"
import type { CueTiming } from "./TimingLine.ts"

/** One cue as written in the file: times in milliseconds, lines trimmed, no empty line at either end. */
export interface CueBlock {
  /** Line number of the cue's time line, from 1. */
  readonly line: number
  /** The cue number above it, if there is one. */
  readonly number: number | undefined
  readonly start: number
  readonly end: number
  readonly lines: ReadonlyArray<string>
  /** Set if the time is readable but the text is not: the found and the expected content. */
  readonly why?: string
}

/** A line that holds a cue's number; the number is undefined if it is written in words. */
export interface NumberLine {
  readonly at: number
  readonly number: number | undefined
}

/** A file's lines with the time in each, and the results of the scan so far. */
export interface Scan {
  readonly lines: ReadonlyArray<string>
  readonly timings: ReadonlyArray<CueTiming>
  /** The number of each cue, by its time line. */
  readonly numbers: ReadonlyMap<number, NumberLine>
  readonly notices: Array<Notice>
  readonly faults: Array<ScriptFault>
  readonly unreadable: Array<ScriptFault>
  readonly blocks: Array<CueBlock>
  readonly lost: Array<LostBlock>
}

/** Reports a repaired or ignored part; `line` counts from 1. */
export const notice = (scan: Scan, line: number, message: string): void => {
  scan.notices.push(noticeAt(line, message))
}

/** Reports lines that are skipped, unless they are blank. */
export const passOver = (scan: Scan, from: number, to: number, what: string): void => {
  const words = scan.lines.slice(from, to).join(" ").trim()
  if (words !== "") notice(scan, from + 1, `skipped ${what}: "${excerpt(words)}"`)
}
