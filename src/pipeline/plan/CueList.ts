/** Formats cue numbers for messages: the first ten, and how many more. */
import { Array } from "effect"
import type { Job } from "../load/Job.ts"

/** Returns `cue 3`, `cues 3, 4`, or `cues 1, 2, … and 5 more`; each number once. */
export const formatCueList = (numbers: ReadonlyArray<number>): string => {
  const cues = Array.dedupe(numbers)
  return `${cues.length === 1 ? "cue" : "cues"} ${cues.slice(0, 10).join(", ")}${cues.length > 10 ? ` and ${cues.length - 10} more` : ""}`
}

/** Says that these cues run past the film's end. The caller appends the verb: `cut off` or `would be cut off`. */
export const filmTooShort = ({ video }: Pick<Job, "video">, cues: ReadonlyArray<number>): string =>
  `${video?.name ?? "the film"} is shorter than the speech: ${formatCueList(cues)}`
