/** The marks of cues that a person should check, and the words for skipped cues. */
import type { ReportedCue, SkipName } from "../data/PageData.ts"
import { hasMark } from "./CueHarm.ts"
import { type MarkName, markNames } from "./MarkWords.ts"

/** The fields of a cue that determine its marks. */
export type Marked = Pick<ReportedCue, "status" | "flags" | "start" | "end" | "placed" | "speaker">

/** Returns a cue's marks, worst first; empty if there is nothing to check. */
export const marksOf = (cue: Marked): ReadonlyArray<MarkName> =>
  markNames.filter((mark) => hasMark(cue, mark))

/** Counts the cues that carry a mark. */
export const looksOf = (cues: ReadonlyArray<Marked>): number =>
  cues.filter((cue) => marksOf(cue).length > 0).length

/** Why a cue was not spoken, as shown to people. */
export const skipWords: Readonly<Record<SkipName, string>> = {
  empty: "nothing to say",
  music: "music",
  "sound-effect": "sound effect",
  repeated: "already said",
  "other-language": "another language",
  excluded: "excluded",
  "before-film": "before the film",
  joined: "joined with another cue"
}
