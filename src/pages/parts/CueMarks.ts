/** What the pages say about cues that a person should look at. */
import type { CueReport } from "../../domain/report/Report.ts"
import { hasMark, overlapsIn } from "./CueHarm.ts"
import { type MarkName, markNames } from "./MarkWords.ts"

/** What the marks of a cue depend on. */
export type Marked = Pick<CueReport, "status" | "flags" | "start" | "end" | "placed" | "speaker">

/** Each cue's marks, the gravest first; none where there is nothing to check. */
export const marksIn = (cues: ReadonlyArray<Marked>): ReadonlyArray<ReadonlyArray<MarkName>> => {
  const overlaps = overlapsIn(cues)
  return cues.map((cue, at) => markNames.filter((mark) => hasMark(cue, mark, overlaps[at] ?? 0)))
}

/** How many cues somebody should look at. */
export const looksOf = (cues: ReadonlyArray<Marked>): number =>
  marksIn(cues).filter((names) => names.length > 0).length

/** Why a cue is left unspoken, in words. */
export const skipWords: Readonly<Record<NonNullable<CueReport["skipped"]>, string>> = {
  empty: "nothing to say",
  music: "music",
  "sound-effect": "sound effect",
  repeated: "said already",
  unreadable: "nothing that can be read out",
  "other-language": "another language",
  excluded: "left out"
}
