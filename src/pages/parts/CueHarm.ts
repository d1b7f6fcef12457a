/** A cue's harm score: how much its problems disturb a viewer. The cue table is sorted by it. */
import type { ReportedCue } from "../data/PageData.ts"
import { type MarkName, markNames } from "./MarkWords.ts"

/** The fields of a cue that determine its harm. */
export type Judged = Pick<ReportedCue, "status" | "flags" | "start" | "end" | "placed">

/**
 * Returns a cue's harm in points; 0 if there is nothing to check. The worst problem sets the hundreds, and its extent
 * adds 10 points per unit, at most 99:
 *
 * | points | problem | extent |
 * |---|---|---|
 * | 1000 | not spoken, or left silent | the cue's length |
 * | 900 | cut off by the end of the film | seconds after the cue's end |
 * | 890 | another language, or another text, was heard | |
 * | 880 | words were not heard, or markup was | |
 * | 850 | words were doubled or added | |
 * | 800 | sounds odd | |
 * | 700 | overlaps another line, though the source does not | |
 * | 600 | runs over | seconds after the cue's end |
 * | 500 | rushed | speed above 1 |
 * | 400 | starts late | seconds |
 * | 300 | starts early | seconds |
 * | 200 | shares audio with its neighbours | |
 * | 150 | a rewriter's text, unchecked | |
 * | 120 | a shorter text is proposed | |
 * | 100 | a second take | |
 */
export const cueHarm = (cue: Judged): number => {
  const kind = markNames.find((mark) => hasMark(cue, mark))
  if (kind === undefined) return 0
  const { points, reach } = kinds[kind]
  return points + Math.min(99, Math.max(0, Math.round(reach(cue) * 10)))
}

/** Whether a cue carries a mark. */
export const hasMark = ({ status, flags }: Judged, mark: MarkName): boolean =>
  mark === "failed" ? status === "failed" : flags.includes(mark)

interface Measure {
  readonly points: number
  /** The extent of the problem, from 0. */
  readonly reach: (cue: Judged) => number
}

const nothing = (): number => 0
const tail = ({ placed, end }: Judged): number => (placed === undefined ? 0 : placed.end - end)
const shift = ({ placed, start }: Judged): number =>
  placed === undefined ? 0 : Math.abs(placed.start - start)

const missing: Measure = { points: 1000, reach: ({ start, end }) => end - start }

const kinds: Readonly<Record<MarkName, Measure>> = {
  failed: missing,
  silent: missing,
  cut: { points: 900, reach: tail },
  "wrong-language": { points: 890, reach: nothing },
  "wrong-line": { points: 890, reach: nothing },
  "missing-words": { points: 880, reach: nothing },
  "cut-off-words": { points: 880, reach: nothing },
  "tag-spoken": { points: 880, reach: nothing },
  "doubled-words": { points: 850, reach: nothing },
  "invented-words": { points: 850, reach: nothing },
  suspect: { points: 800, reach: nothing },
  overlap: { points: 700, reach: nothing },
  overrun: { points: 600, reach: tail },
  fast: { points: 500, reach: ({ placed }) => (placed?.speed ?? 1) - 1 },
  late: { points: 400, reach: shift },
  early: { points: 300, reach: shift },
  together: { points: 200, reach: nothing },
  rewritten: { points: 150, reach: nothing },
  proposal: { points: 120, reach: nothing },
  held: { points: 110, reach: nothing },
  "repeated-take": { points: 100, reach: nothing }
}
