/** Hint to set `stickySpeakers`, for jobs whose subtitle names speakers but leaves many of their cues unnamed. */
import type { JobPlan } from "../../pipeline/plan/BatchPlan.ts"
import { type FollowUps, followUpsOf } from "../../script/spoken/MidSentence.ts"

/** Returns the hint for a job, unless its manifest sets `stickySpeakers`. */
export const stickyHint = ({ job, script, words }: JobPlan): ReadonlyArray<string> => {
  if (script._tag === "Narration" || job.text.stickySpeakers !== undefined) return []
  const found = followUpsOf(words.cues, script.cues)
  return found === undefined
    ? []
    : [
        `job ${job.id}: ${followUpsText(found)}. To keep the speaker before them, set text: { stickySpeakers: true } ` +
          `(false hides this hint).`
      ]
}

/** Describes a subtitle's unnamed cues. */
export const followUpsText = ({ unnamed, spoken }: FollowUps): string =>
  `${unnamed} of ${spoken} cues name no speaker and get the job's voice`
