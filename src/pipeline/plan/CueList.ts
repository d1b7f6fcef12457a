/** Cues by number, as messages name them: the first ten, and how many more. */
import { Array } from "effect"
import type { Job } from "../load/Job.ts"

/** `cue 3`, `cues 3, 4`, `cues 1, 2, … and 5 more`; each number once. */
export const formatCueList = (numbers: ReadonlyArray<number>): string => {
  const cues = Array.dedupe(numbers)
  return `${cues.length === 1 ? "cue" : "cues"} ${cues.slice(0, 10).join(", ")}${cues.length > 10 ? ` and ${cues.length - 10} more` : ""}`
}

/** That a job's film has ended before these cues are said, in words up to what becomes of them. */
export const filmTooShort = ({ video }: Pick<Job, "video">, cues: ReadonlyArray<number>): string =>
  `${video?.name ?? "the film"} is too short for what is said: ${formatCueList(cues)}`
