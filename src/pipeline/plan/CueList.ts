/** Formats cues for messages: the first numbers and how many more, and notices about cues that cannot be heard. */
import { Array } from "effect"
import type { Words } from "../../script/spoken/CueWords.ts"
import type { Job } from "../load/Job.ts"

/** Returns `cue 3`, `cues 3, 4`, or `cues 1, 2, … and 5 more`; each number once. */
export const formatCueList = (numbers: ReadonlyArray<number>): string => {
  const cues = Array.dedupe(numbers)
  return `${cues.length === 1 ? "cue" : "cues"} ${cues.slice(0, 10).join(", ")}${cues.length > 10 ? ` and ${cues.length - 10} more` : ""}`
}

/** Says that these cues run past the film's end. The caller appends the verb: `cut off` or `would be cut off`. */
export const filmTooShort = ({ video }: Pick<Job, "video">, cues: ReadonlyArray<number>): string =>
  `${video?.name ?? "the film"} is shorter than the speech: ${formatCueList(cues)}`

/** Maximum number of lines listed in the notice. */
const named = 3

/** The notice that some of the script's lines cannot be read, and whether the job fails. */
export const lostNotice = ({ inputName, onFailure }: Job, words: Words): string | undefined => {
  const lost = words.cues.flatMap((cue) => ("why" in cue ? [cue.line] : []))
  if (lost.length === 0) return undefined
  const [it, they] = lost.length === 1 ? ["it", "line"] : ["them", "lines"]
  const places = lost.slice(0, named).map((line) => `${inputName}:${line}`)
  const more = lost.length > named ? ` and ${lost.length - named} more` : ""
  const outcome =
    onFailure === "silence"
      ? `onFailure: silence delivers the job without ${it}`
      : `the job fails unless you correct ${it} or set onFailure: silence`
  return `${lost.length} ${they} cannot be read and will not be spoken (${places.join(", ")}${more}); ${outcome}`
}

/** The notice that voices cannot read these cues' lines, of `all` lines. */
export const unreadNotice = (cues: ReadonlyArray<number>, all: number, why: string): string =>
  `${cues.length} of ${all} lines cannot be spoken (${formatCueList(cues)}): ${why}`
