/** How much harm a cue does to whoever watches the film: what the list of cues is sorted by. */
import type { CueReport } from "../../domain/report/Report.ts"
import { type MarkName, markNames } from "./MarkWords.ts"

/** What the harm of a cue is judged by. */
export type Judged = Pick<CueReport, "status" | "flags" | "start" | "end" | "placed">

/**
 * Points of harm: 0 where there is nothing to check. The kind of trouble counts first, and within a kind how far it
 * goes (below 100 points):
 *
 * | points | trouble | how far |
 * |---|---|---|
 * | 1000 | not spoken, or left silent | the cue's length |
 * | 900 | cut off by the film's end | seconds after the cue's end |
 * | 800 | sounds odd | |
 * | 700 | overlaps the same speaker's next line | seconds of overlap |
 * | 600 | runs over | seconds after the cue's end |
 * | 500 | rushed | speed above 1 |
 * | 400 | starts late | seconds |
 * | 300 | starts early | seconds |
 * | 200 | spoken together with its neighbours | |
 * | 100 | a second take | |
 */
export const cueHarm = (cue: Judged, overlap = 0): number => {
  const kind = markNames.find((mark) => hasMark(cue, mark, overlap))
  if (kind === undefined) return 0
  const { points, reach } = kinds[kind]
  return points + Math.min(99, Math.max(0, Math.round(reach(cue, overlap) * 10)))
}

/** Whether a cue has a mark; `overlap` is in seconds. */
export const hasMark = ({ status, flags }: Judged, mark: MarkName, overlap: number): boolean => {
  if (mark === "failed") return status === "failed"
  return mark === "overlap" ? overlap > 0 : flags.includes(mark)
}

interface Measure {
  readonly points: number
  /** How far it goes, 0 and up. */
  readonly reach: (cue: Judged, overlap: number) => number
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
  suspect: { points: 800, reach: nothing },
  overlap: { points: 700, reach: (_cue, overlap) => overlap },
  overrun: { points: 600, reach: tail },
  fast: { points: 500, reach: ({ placed }) => (placed?.speed ?? 1) - 1 },
  late: { points: 400, reach: shift },
  early: { points: 300, reach: shift },
  together: { points: 200, reach: nothing },
  "repeated-take": { points: 100, reach: nothing }
}

/**
 * By how many seconds each cue is heard over the next one of the same speaker; more than the rounding of times to
 * milliseconds.
 */
export const overlapsIn = (
  cues: ReadonlyArray<Judged & Pick<CueReport, "speaker">>
): ReadonlyArray<number> => {
  const next = new Map<string, number>()
  const overlaps = cues.map(() => 0)
  for (let at = cues.length - 1; at >= 0; at--) {
    const cue = cues[at]
    if (cue?.placed === undefined || cue.flags.includes("together")) continue
    const name = cue.speaker ?? ""
    const overlap = cue.placed.end - (next.get(name) ?? Infinity)
    if (overlap > 0.005) overlaps[at] = overlap
    next.set(name, cue.placed.start)
  }
  return overlaps
}
